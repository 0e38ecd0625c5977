// An answer that does not fit: kept whole in a private file, and told by its beginning (seed 000, "Persisted tool output").

import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { cutBytes } from "../text/cut-bytes.ts";
import { privateFolder, PRIVATE_FOLDER, UnsafePlace } from "./private-tree.ts";
import { openSpill } from "./spill.ts";

type Ports = Pick<Host, "fs" | "env" | "random" | "clock">;

/**
 * @param tool its name
 * @param folder the session's folder, absolute; it may not exist yet
 * @returns what to show instead; the text itself where nothing can be kept, since that is never fatal
 */
export async function persistText(
  text: string,
  { tool, folder }: { readonly tool: string; folder(): Promise<string> },
  ports: Ports,
): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const path = await keepOutput(bytes, { tool, folder, suffix: "txt" }, ports);
  return path === undefined ? text : persistedText(bytes, path);
}

/**
 * @param kept `tool` and `suffix` name the file; `folder` is the session's, absolute, and may not exist yet
 * @returns the file's path; undefined where nothing can be kept
 */
export async function keepOutput(
  bytes: Uint8Array,
  {
    tool,
    folder,
    suffix,
  }: { readonly tool: string; folder(): Promise<string>; readonly suffix: string },
  ports: Ports,
): Promise<string | undefined> {
  try {
    const base = await folder();
    if (!(await ports.fs.stat(base))) await ports.fs.makeDirectory(base, PRIVATE_FOLDER);
    const results = await privateFolder(base, ["tool-results"], ports);
    const path = `${results}/${callName(tool, ports)}.${suffix}`;
    const file = await openSpill(path, ports.fs);
    await file.write(bytes);
    await file.finish();
    return path;
  } catch (thrown) {
    if (thrown instanceof FsError || thrown instanceof UnsafePlace) return undefined;
    throw thrown;
  }
}

/** "20250131T120000Z-search-1a2b3c4d" */
function callName(tool: string, { clock, random }: Pick<Host, "clock" | "random">): string {
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${time}-${tool.replace(/[^A-Za-z0-9._-]+/g, "_")}-${random.hex(4)}`;
}

export function persistedText(bytes: Uint8Array, path: string): string {
  const { text: preview, isAll } = previewOf(bytes);
  return [
    "<persisted-output>",
    `Output too large (${sizeWords(bytes.length)}). Full output saved to: ${path}`,
    "",
    `Preview (first ${sizeWords(limits.persistPreview)}):`,
    preview,
    ...(isAll ? [] : ["..."]),
    "</persisted-output>",
  ].join("\n");
}

/** Up to the last line end, where that leaves more than half, else up to a character's. */
export function previewOf(bytes: Uint8Array): { readonly text: string; readonly isAll: boolean } {
  if (bytes.length <= limits.persistPreview) {
    return { text: new TextDecoder().decode(bytes), isAll: true };
  }
  const first = bytes.subarray(0, cutBytes(bytes, limits.persistPreview));
  const lineEnd = first.lastIndexOf(0x0a);
  const kept = lineEnd > limits.persistPreview / 2 ? first.subarray(0, lineEnd) : first;
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept), isAll: false };
}

/** "999 bytes", "70.3KB", "1.5MB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${trimmed(bytes / 1024)}KB`;
  return `${trimmed(bytes / (1024 * 1024))}MB`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}
