// How commands, arguments and options are described, in help and in the manual alike.

import type { Flag } from "./args.ts";
import type { Operand } from "./command.ts";

export const quickStart = `  atomic read src/main.ts:1-40
  atomic edit <<'EOF'
  [src/main.ts#0A3B]
  replace 12..12:
  +const enabled = true;
  EOF`;

export const exitRows: readonly (readonly [string, string])[] = [
  ["0", "it worked"],
  ["1", "it failed"],
  ["2", "the command line, the JSON input or the edit script is wrong"],
  ["3", "stale or in conflict; nothing was written"],
  ["4", "not found"],
  ["5", "refused by policy"],
  ["6", "needs a person"],
  ["7", "unavailable"],
];

export function operandUsage({ name, required, repeat }: Operand): string {
  const word = repeat ? `${name}...` : name;
  return required ? word : `[${word}]`;
}

export function describeOperand({ description, choices }: Operand): string {
  return choices === undefined ? description : `${description}: ${choices.join(", ")}`;
}

/** Blanks stand where others have a one-letter form, so that names line up. */
export function flagUsage(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  if (flag.type !== "boolean") {
    const value = flag.choices?.join("|") ?? flag.placeholder ?? placeholders[flag.type];
    return `${short}--${flag.name} ${value}`;
  }
  if (flag.describesOff) return `${short}--no-${flag.name}`;
  return short + (flag.default === true ? `--[no-]${flag.name}` : `--${flag.name}`);
}

const placeholders: Readonly<Record<string, string>> = {
  string: "TEXT",
  number: "N",
  list: "TEXT",
};

export function describeFlag({ description, type, default: fallback, describesOff }: Flag): string {
  const notes: string[] = [];
  if (fallback === true && !describesOff) notes.push("default: on");
  if (type === "list") notes.push("may repeat");
  if (fallback !== undefined && type !== "boolean") notes.push(`default: ${fallback}`);
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}
