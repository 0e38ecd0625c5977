// The Agent Skill as a file that can tell whether somebody has changed it since we wrote it.

import type { Bytes } from "../ports/bytes.ts";

export interface SkillSource {
  readonly front: readonly string[];
  readonly body: string;
}

const MARK = "  atomic-digest: ";

/** SKILL.md: front matter, with a digest of all the rest of the file in it, and the body. */
export function skillFile({ front, body }: SkillSource, bytes: Pick<Bytes, "sha256">): string {
  const whole = (digest: string) =>
    `---\n${[...front, "metadata:", MARK + digest].join("\n")}\n---\n\n${body}\n`;
  return whole(digestOf(whole(""), bytes));
}

/** Whether a file is one of ours, of any version, as it was written. */
export function isUntouchedSkill(given: string, bytes: Pick<Bytes, "sha256">): boolean {
  // git may have given it the line ends of another system.
  const text = given.replaceAll("\r\n", "\n");
  const found = /^---\n[^]*?^ {2}atomic-digest: ([0-9a-f]{16})$[^]*?^---$/m.exec(text);
  if (!found) return false;
  const at = found.index + found[0].indexOf(MARK) + MARK.length;
  return digestOf(text.slice(0, at) + text.slice(at + 16), bytes) === found[1];
}

function digestOf(text: string, bytes: Pick<Bytes, "sha256">): string {
  return bytes.sha256(new TextEncoder().encode(text)).slice(0, 16);
}
