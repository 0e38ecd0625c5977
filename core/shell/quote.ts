// A path as one literal word of a shell. It follows the shell, not the system (seed 000, "Bash interception").

import type { ShellDialect } from "./choose.ts";

/** @param path without NUL */
export function quoteLiteral(path: string, dialect: ShellDialect): string {
  return dialect === "powershell"
    ? // PowerShell takes the typographic single quotes for delimiters as well.
      `'${path.replace(/['\u2018-\u201b]/g, "$&$&")}'`
    : `'${path.replaceAll("'", "'\\''")}'`;
}
