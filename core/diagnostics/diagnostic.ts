// What a language server finds wrong with a file, as data and as lines.

import { showName } from "../paths.ts";
import { showEscapes } from "../text/encoding.ts";
import { positionsIn } from "./positions.ts";

/** In the protocol's order: 1 is an error. */
const severities = ["error", "warning", "info", "hint"] as const;

export type Severity = (typeof severities)[number];

export interface Diagnostic {
  /** As the tool's text names the file. */
  readonly path: string;
  /** 1-based; columns count characters (code points). The end is after the last character. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: Severity;
  /** On one line. */
  readonly message: string;
  /** Who found it, such as "typescript", and its name for it. */
  readonly source?: string;
  readonly code?: string;
}

/** By place, each once. What does not have the shape of a diagnostic is left out. */
export function readDiagnostics(
  items: unknown,
  { path, text }: { readonly path: string; readonly text: string },
): readonly Diagnostic[] {
  if (!Array.isArray(items)) return [];
  const positions = positionsIn(text);
  const found = new Map<string, Diagnostic>();
  for (const item of items) {
    const { range, severity, message, source, code } = (item ?? {}) as Record<string, unknown>;
    const { start, end } = (range ?? {}) as Record<string, unknown>;
    const from = positions.offset(start);
    if (from === undefined || typeof message !== "string") continue;
    const first = positions.place(from);
    const last = positions.place(Math.max(from, positions.offset(end) ?? from));
    const diagnostic: Diagnostic = {
      path,
      ...first,
      endLine: last.line,
      endColumn: last.column,
      // Without one, it is for the client to say.
      severity: severities[Number(severity ?? 1) - 1] ?? "error",
      message: oneLine(message),
      ...(typeof source === "string" && { source: oneLine(source) }),
      ...((typeof code === "string" || typeof code === "number") && { code: oneLine(`${code}`) }),
    };
    const line = diagnosticLine(diagnostic);
    if (!found.has(line)) found.set(line, diagnostic);
  }
  return [...found.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

export function diagnosticLine({ path, line, column, severity, message }: Diagnostic): string {
  return `${showName(path)}:${line}:${column} ${severity} ${message}`;
}

/** "2 errors, 1 warning"; empty for none. */
export function countText(diagnostics: readonly Diagnostic[]): string {
  return severities
    .map((severity) => {
      const count = diagnostics.filter((each) => each.severity === severity).length;
      return count === 0 ? "" : `${count} ${severity}${count === 1 ? "" : "s"}`;
    })
    .filter((text) => text !== "")
    .join(", ");
}

/** The worst first where not all can be shown; those that are, by place. */
export function worst(diagnostics: readonly Diagnostic[], most: number): readonly Diagnostic[] {
  if (diagnostics.length <= most) return diagnostics;
  const ranked = diagnostics.toSorted(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  const kept = new Set(ranked.slice(0, most));
  return diagnostics.filter((each) => kept.has(each));
}

const LONGEST_MESSAGE = 1_000;

function oneLine(text: string): string {
  const line = showEscapes(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}
