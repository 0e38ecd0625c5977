import { type ErrorCode, errors, type ExitClass, exitStatus } from "../errors.ts";
import { columns } from "../text/layout.ts";

const meanings: Readonly<Record<ExitClass, string>> = {
  success: "it worked",
  failed: "the tool failed; nothing half done is left behind",
  usage: "the command line, the JSON input or the edit script is wrong",
  conflict: "stale tag or someone else's change; nothing was written",
  "not found": "what was named does not exist",
  refused: "refused by policy",
  "needs a person": "nobody to ask, or the answer was no",
  unavailable: "something it needs cannot be had",
  "time limit": "a time limit ended it",
  "cannot run": "a command could not be started; otherwise bash ends with the command's own status",
  "hung up": "its terminal was closed",
  interrupted: "interrupted (Ctrl-C)",
  terminated: "terminated",
};

/** Both tables as text: statuses, then the codes that lead to each. */
export function exitCodes(): string {
  const statuses = Object.entries(exitStatus) as [ExitClass, number][];
  const codes = Object.keys(errors) as ErrorCode[];
  const widest = Math.max(...codes.map((code) => code.length));
  const groups = statuses.flatMap(([exit, status]) => {
    const rows = codes.filter((code) => errors[code].exit === exit);
    if (rows.length === 0) return [];
    const table = rows.map((code) => [code, errors[code].when] as const);
    return [`  ${status} ${exit}\n${columns(table, "    ", widest)}`];
  });
  return [
    `EXIT STATUS\n${columns(statuses.map(([exit, status]) => [String(status), meanings[exit]]))}`,
    "ERROR CODES\n  With --json, details.code is one of these and details.status the number.",
    ...groups,
  ].join("\n\n");
}
