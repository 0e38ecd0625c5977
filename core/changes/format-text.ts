// A written file's text as its formatter would have it. Nothing is written here.

import type { FormatRule } from "../config/config.ts";
import { runFormatter } from "../diagnostics/formatter.ts";
import { HelperFailure, until } from "../diagnostics/helper.ts";
import type { Indentation } from "../diagnostics/language-server.ts";
import { applyTextEdits } from "../diagnostics/positions.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { decode, type Decoded, encode } from "../text/encoding.ts";
import { equalBytes } from "./durable-write.ts";
import type { ServerPool } from "./server-pool.ts";

export interface FormatSubject {
  readonly file: { readonly real: string; readonly bytes: Uint8Array };
  readonly rule: FormatRule;
  readonly languageId: string;
}

/**
 * @param folder where commands run
 * @returns undefined where it is well as it stands
 * @throws HelperFailure
 */
export async function formatText(
  { file, rule, languageId }: FormatSubject,
  folder: string,
  servers: ServerPool,
  ports: Pick<Host, "fs" | "processes" | "random">,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const decoded = decode(file.bytes);
  if (!decoded || decoded.encoding === "8-bit") throw new HelperFailure("the file is not UTF-8");
  let formatted: Uint8Array;
  if ("server" in rule) {
    const server = await until(servers.open(rule, signal), signal);
    server.show({ path: file.real, languageId, text: decoded.text });
    const edits = await server.format(file.real, indentationOf(decoded.text), signal);
    formatted = encoded(applyTextEdits(decoded.text, edits), decoded);
  } else {
    if (decoded.encoding !== "utf-8") throw new HelperFailure("the file is not UTF-8");
    const command = { words: rule.command, stdin: rule.stdin, folder };
    formatted = await runFormatter(command, { path: file.real, bytes: file.bytes }, ports, signal);
  }
  if (equalBytes(formatted, file.bytes)) return undefined;
  if (formatted.length > limits.editableFile) throw new HelperFailure("the result is too large");
  if (
    decode(formatted)?.encoding !== decoded.encoding ||
    (formatted.includes(0) && !file.bytes.includes(0))
  ) {
    throw new HelperFailure(`the result is no ${decoded.encoding.toUpperCase()} text`);
  }
  return formatted;
}

function encoded(text: string, { encoding, bom }: Decoded): Uint8Array {
  const bytes = encode(text, encoding, bom);
  if (!bytes) throw new HelperFailure("the result is no text");
  return bytes;
}

/** A server must be told; what it reads from the project's own files wins mostly. */
function indentationOf(text: string): Indentation {
  const indents = text.match(/^[ \t]+(?=\S)/gm) ?? [];
  const tabs = indents.filter((indent) => indent.startsWith("\t")).length;
  if (tabs * 2 > indents.length) return { tabSize: 4, insertSpaces: false };
  const widths = indents.filter((indent) => !indent.includes("\t")).map(({ length }) => length);
  const least = Math.min(...widths.slice(0, MOST_INDENTS).filter((width) => width > 1));
  return { tabSize: least <= 8 ? least : 2, insertSpaces: true };
}

const MOST_INDENTS = 1_000;
