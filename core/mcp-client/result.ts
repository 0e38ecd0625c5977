// A result of a server's tool as text that an agent may read: data, not instructions. What is no text is kept as a file.

import type { CallToolResult, ContentBlock, ResourceContents } from "@modelcontextprotocol/client";

import { limits } from "../limits.ts";
import { keepOutput, previewOf, sizeWords } from "../persist/persisted.ts";
import type { Host } from "../ports/host.ts";
import { formatSize } from "../text/size.ts";
import {
  addRemoved,
  cleanLine,
  cleanUntrusted,
  fenced,
  nothingRemoved,
  type Removed,
  removedText,
} from "../text/untrusted.ts";
import { mapTexts, type Redact } from "./redact.ts";

export interface ShownResult {
  /** Fenced. */
  readonly text: string;
  /** The same without the fence and what is said about it. */
  readonly plain: string;
  readonly removed: Removed;
  /** The blocks, with their bytes in files. */
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent: unknown;
  /** Of what did not fit, and of bytes. */
  readonly files: readonly string[];
}

interface Keeping {
  /** The session's folder, absolute; it may not exist yet. */
  folder(): Promise<string>;
  readonly redact: Redact;
  /** As in "mcp:server/tool". */
  readonly source: string;
}

type Ports = Pick<Host, "fs" | "env" | "random" | "clock">;

export async function showResult(
  { content, structuredContent }: Pick<CallToolResult, "content" | "structuredContent">,
  keeping: Keeping,
  ports: Ports,
): Promise<ShownResult> {
  const show = new Show(keeping, ports);
  const parts: string[] = [];
  for (const block of content) parts.push(await show.block(block));
  const structured =
    structuredContent === undefined
      ? undefined
      : mapTexts(structuredContent, (text) => show.clean(text));
  if (parts.length === 0 && structured !== undefined) {
    parts.push(JSON.stringify(structured, undefined, 2));
  }
  const plain = parts.length === 0 ? "(no content)" : parts.join("\n\n");
  const { text, file } = await bounded(plain, keeping, ports);
  const notes = [removedText(show.removed), ...(file ? [file.note] : [])].filter(
    (note) => note !== undefined,
  );
  return {
    text: [fenced(keeping.source, text), ...notes].join("\n"),
    plain,
    removed: show.removed,
    content: show.blocks,
    structuredContent: structured,
    files: [...show.files, ...(file ? [file.path] : [])],
  };
}

/** Text of a server's that is no result, such as a description: cleaned and fenced. */
export function showText(text: string, source: string, redact: Redact): string {
  const cleaned = cleanUntrusted(text);
  const note = removedText(cleaned.removed);
  const block = fenced(source, redact(cleaned.text));
  return note === undefined ? block : `${block}\n${note}`;
}

async function bounded(plain: string, { folder, source }: Keeping, ports: Ports) {
  if (plain.length <= limits.persistCharacters) return { text: plain };
  const bytes = new TextEncoder().encode(plain);
  const path = await keepOutput(
    bytes,
    { tool: source.replace(/\W+/g, "-"), folder, suffix: "txt" },
    ports,
  );
  if (path === undefined) return { text: plain };
  const { text } = previewOf(bytes);
  const note = `Output too large (${sizeWords(bytes.length)}); the first ${sizeWords(limits.persistPreview)} are shown. Full output, as little to be trusted, saved to: ${path}`;
  return { text: `${text}\n...`, file: { path, note } };
}

class Show {
  removed: Removed = nothingRemoved;
  readonly blocks: Readonly<Record<string, unknown>>[] = [];
  readonly files: string[] = [];
  readonly #keeping: Keeping;
  readonly #ports: Ports;

  constructor(keeping: Keeping, ports: Ports) {
    this.#keeping = keeping;
    this.#ports = ports;
  }

  clean(text: string): string {
    const { text: cleaned, removed } = cleanUntrusted(text);
    this.removed = addRemoved(this.removed, removed);
    return this.#keeping.redact(cleaned);
  }

  async block(block: ContentBlock): Promise<string> {
    if (block.type === "text") {
      const text = this.clean(block.text);
      this.blocks.push({ type: "text", text });
      return text;
    }
    if (block.type === "image") return this.#bytes("image", "Image", block.data, block.mimeType);
    if (block.type === "audio") return this.#bytes("audio", "Audio", block.data, block.mimeType);
    if (block.type === "resource") return this.resource(block.resource);
    if (block.type === "resource_link") {
      const uri = this.#line(block.uri);
      const name = this.#line(block.title ?? block.name);
      const description = this.#line(block.description ?? "");
      this.blocks.push({ type: "resource_link", uri, name, description });
      return `[Resource link: ${uri}] ${name}${description === "" ? "" : `: ${description}`}`;
    }
    const other = mapTexts(block, (text) => this.clean(text));
    this.blocks.push(other as Readonly<Record<string, unknown>>);
    return JSON.stringify(other);
  }

  async resource(resource: ResourceContents): Promise<string> {
    const uri = this.#line(resource.uri);
    const { text, blob } = resource as { readonly text?: unknown; readonly blob?: unknown };
    if (typeof text === "string") {
      const cleaned = this.clean(text);
      this.blocks.push({ type: "resource", uri, text: cleaned });
      return `[Resource: ${uri}]\n${cleaned}`;
    }
    return this.#bytes(
      "resource",
      `Resource: ${uri}`,
      String(blob ?? ""),
      resource.mimeType ?? "",
      { uri },
    );
  }

  async #bytes(
    type: string,
    title: string,
    data: string,
    mimeType: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const mime = this.#line(mimeType).slice(0, 100) || "unknown type";
    const bytes = fromBase64(data);
    if (bytes === undefined) {
      this.blocks.push({ type, mimeType: mime, ...more, problem: "not base64" });
      return `[${title}, ${mime}: its data is no base64]`;
    }
    const { folder, source } = this.#keeping;
    const name = { tool: source.replace(/\W+/g, "-"), folder, suffix: suffixOf(mime) };
    const path = await keepOutput(bytes, name, this.#ports);
    if (path !== undefined) this.files.push(path);
    this.blocks.push({
      type,
      mimeType: mime,
      ...more,
      bytes: bytes.length,
      ...(path !== undefined && { path }),
    });
    const where = path === undefined ? "which could not be kept" : `saved to ${path}`;
    return `[${title}, ${mime}, ${formatSize(bytes.length)}, ${where}]`;
  }

  #line(text: string): string {
    return cleanLine(this.clean(text), 1_000);
  }
}

function fromBase64(data: string): Uint8Array | undefined {
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A file's ending, by which `read` knows what to do with it. */
function suffixOf(mime: string): string {
  const kind = mime.split(";", 1)[0]!.trim().toLowerCase();
  return suffixes[kind] ?? "bin";
}

const suffixes: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/json": "json",
  "text/html": "html",
  "text/csv": "csv",
  "text/markdown": "md",
  "text/plain": "txt",
};
