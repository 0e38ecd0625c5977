// A text file opened for an edit: its bytes, its lines, its identity.

import { AtomicError } from "../errors.ts";
import { toolMessage } from "../hashline/messages.ts";
import { tagOfContent } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { FsError, type FileStat } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Random } from "../ports/random.ts";
import { isNotebook, openNotebook } from "../resources/notebook.ts";
import { decode, encode, type Encoding, toStored } from "../text/encoding.ts";
import { diffLines } from "../text/diff.ts";
import type { LineMap } from "../text/line-map.ts";
import { joinLines, type Lines, normalizedText, splitLines } from "../text/lines.ts";

export interface EditableFile extends TextIdentity {
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
  readonly lines: Lines;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** The file's bytes with other lines; undefined where its encoding cannot carry them. */
  write(lines: Lines, random: Random): Written | undefined;
}

export interface Written {
  readonly bytes: Uint8Array;
  /** As the next read shows them: a notebook numbers its cells anew. */
  readonly lines: Lines;
}

/** What a snapshot of the text is known by. */
export interface TextIdentity {
  readonly content: Uint8Array;
  readonly hash: string;
  readonly tag: string;
}

/**
 * @param options `marked`: it holds marks of a merge, so a notebook is no JSON but text like any other
 * @throws AtomicError `file.not_found`, `edit.inaccessible` (decision 26)
 */
export async function openEditable(
  file: { readonly path: string; readonly real: string },
  { fs, bytes }: Pick<Host, "fs" | "bytes">,
  { marked = false }: { readonly marked?: boolean } = {},
): Promise<EditableFile> {
  const { path, real } = file;
  let found: Awaited<ReturnType<typeof fs.read>>;
  try {
    found = await fs.read(real, limits.editableFile);
    if (found && (await fs.mayAccess(real, "write")) === false) throw new FsError("EACCES", real);
  } catch (thrown) {
    throw openFailure(path, thrown);
  }
  if (!found) throw notFound(path);
  const decoded = decode(found.bytes);
  if (!decoded) {
    const reason =
      "It has a UTF-16 byte order mark but is not valid UTF-16, so it could not be written back unchanged.";
    throw new AtomicError("edit.encoding", toolMessage.notText(path, reason));
  }
  const { encoding, bom } = decoded;
  const notebook = !marked && isNotebook(path) ? openNotebook(found.bytes, path) : undefined;
  const lines = splitLines(notebook?.text ?? decoded.text);
  return {
    bytes: found.bytes,
    stat: found.stat,
    lines,
    encoding,
    bom,
    ...identify(lines, bytes),
    write(changed, random) {
      const text = joinLines(changed);
      if (!notebook) {
        const encoded = encode(text, encoding, bom);
        return encoded && { bytes: encoded, lines: changed };
      }
      const file = notebook.write(text, random);
      return { bytes: file, lines: splitLines(openNotebook(file, path).text) };
    },
  };
}

/** What the next read of a file with these bytes shows and records; undefined where that is no text. */
export function shownLines(path: string, file: Uint8Array): Lines | undefined {
  const decoded = decode(file);
  if (!decoded || !isNotebook(path)) return decoded && splitLines(decoded.text);
  try {
    return splitLines(openNotebook(file, path).text);
  } catch (thrown) {
    if (thrown instanceof AtomicError) return undefined;
    throw thrown;
  }
}

/** The same with its identity; undefined also where it is too large to be edited. */
export function describeFile(
  path: string,
  file: Uint8Array,
  bytes: Host["bytes"],
): (TextIdentity & { readonly lines: Lines }) | undefined {
  const lines = file.length > limits.editableFile ? undefined : shownLines(path, file);
  return lines && { lines, ...identify(lines, bytes) };
}

/** What differs between two states of a file; undefined where one of them is no text. An absent file has no lines. */
export function lineMapOf(
  before: { readonly lines: Lines } | undefined | "absent",
  after: { readonly lines: Lines } | undefined | "absent",
): LineMap | undefined {
  const [old, now] = [before, after].map((side) => (side === "absent" ? [] : side?.lines.texts));
  return old && now && diffLines(old, now);
}

export function identify(lines: Lines, bytes: Host["bytes"]): TextIdentity {
  const content = toStored(normalizedText(lines));
  return { content, hash: bytes.sha256(content), tag: tagOfContent(content, bytes) };
}

export function notFound(path: string): AtomicError {
  return new AtomicError("file.not_found", toolMessage.notFound(path), { data: { path } });
}

function openFailure(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof FsError)) return thrown;
  const options = { cause: thrown, data: { path, errno: thrown.code } };
  if (thrown.code === "EFBIG") {
    const most = `${limits.editableFile / (1024 * 1024)} MiB`;
    return new AtomicError(
      "file.too_large",
      toolMessage.notText(path, `It is larger than ${most}.`),
      options,
    );
  }
  if (thrown.code === "ENOTREG") {
    return new AtomicError(
      "file.not_regular",
      toolMessage.notText(path, "It is not a regular file."),
      options,
    );
  }
  return new AtomicError("edit.inaccessible", toolMessage.couldNotEdit(path, thrown.code), options);
}
