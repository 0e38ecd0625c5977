// FILE_MUTATION_CONFLICT: a file that is not what the session may take it for (seed 000, "write"; tools.md §9.2). One
// fact per line, the most important first.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import { showEscapes } from "../text/encoding.ts";
import { splitLines } from "../text/lines.ts";
import { formatCount, formatSize } from "../text/size.ts";

export type ConflictReason =
  | "changed_before_write"
  | "no_prior_observation"
  | "changed_since_observation"
  | "target_exists"
  | "target_missing"
  | "target_unreadable";

export interface Conflict {
  readonly reason: ConflictReason;
  /** As the caller named it. */
  readonly path: string;
  /** Why, as the rest of a sentence. */
  readonly because: string;
  /** What to do next, as a sentence. */
  readonly instead: string;
  /** More facts, a line each. */
  readonly facts?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** @param requester who asked, so that two agents can tell their refusals apart */
export function conflict(
  { reason, path, because, instead, facts = [], data, cause }: Conflict,
  requester: { readonly session: string; readonly env: Env },
): AtomicError {
  const message = [
    `FILE_MUTATION_CONFLICT:${reason} ${showName(path)}`,
    `Reason: ${because}`,
    `Do: ${instead}`,
    ...facts,
    `Requester: ${identityOf(requester)}`,
  ].join("\n");
  return new AtomicError("file.conflict", message, { cause, data: { path, reason, ...data } });
}

function identityOf({ session, env }: { readonly session: string; readonly env: Env }): string {
  const parent = env.get("ATOMIC_PARENT_SESSION");
  const by = parent ? ` parent=${showName(parent)}` : "";
  return `session=${session} pid=${env.pid} user=${env.uid}@${env.host}${by}`;
}

/** Where two texts part, after the lines that they share at both ends; the first fact of a changed file. */
export function firstDifference(expected: string, found: string): string {
  const [before, after] = [splitLines(expected), splitLines(found)];
  let start = 0;
  let ends = [before.texts.length, after.texts.length] as const;
  const same = (a: number, b: number) =>
    before.texts[a] === after.texts[b] && (before.ends[a] === "") === (after.ends[b] === "");
  while (start < ends[0] && start < ends[1] && same(start, start)) start++;
  while (ends[0] > start && ends[1] > start && same(ends[0] - 1, ends[1] - 1))
    ends = [ends[0] - 1, ends[1] - 1];
  const [removed, added] = [ends[0] - start, ends[1] - start];
  if (removed === 0 && added === 0) {
    return "First difference: none in the lines; line endings, a byte order mark or the encoding changed.";
  }
  const [was, is] = [before.texts[start], after.texts[start]];
  if (removed === 1 && added === 1 && was === is) {
    const how = before.ends[start] === "" ? "had no line end and has one" : "has lost its line end";
    return `First difference: line ${start + 1}, the last, ${how}.`;
  }
  const expectation = removed > 0 ? excerpt(was!) : "nothing";
  const finding = added > 0 ? excerpt(is!) : "nothing";
  const spans = `${formatCount(removed, "line", "lines")} became ${added}`;
  return `First difference: line ${start + 1}, expected ${expectation}, found ${finding} (${spans}).`;
}

/** @param text undefined: no text */
export function describeNow(
  size: number,
  text: { readonly text: string; readonly tag: string } | undefined,
): string {
  if (!text) return `Now: ${formatSize(size)} that are no text.`;
  const { texts } = splitLines(text.text);
  const count = formatCount(texts.length, "line", "lines");
  const first = texts.length > 0 ? `, first line ${excerpt(texts[0]!)}` : "";
  return `Now: ${count}${first}, tag #${text.tag} (for comparison only).`;
}

function excerpt(line: string): string {
  const shown = showEscapes(line);
  const cut = shown.length > limits.conflictExcerpt;
  return JSON.stringify(cut ? `${shown.slice(0, limits.conflictExcerpt - 1)}…` : shown);
}
