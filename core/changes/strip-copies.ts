// What a tool showed, given back as content: recognised by the session's own snapshots, and by nothing less.

import { copiedHeader, stripCopied } from "../hashline/copied.ts";
import { displayPath, resolvePath, type Where } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import { decode } from "../text/encoding.ts";

interface Context extends Where {
  readonly ports: Pick<Host, "fs">;
  readonly session: Session;
}

/**
 * The content without the header and the prefixes of rows (seed 000, "Outputs"; tools.md §9.1); undefined where it is no
 * copy, and is meant as it stands.
 * @param target `given` and `absolute` are the names by which a confirmation counts as ours
 */
export async function withoutCopies(
  content: Uint8Array,
  { given, absolute }: { readonly given: string; readonly absolute: string },
  { ports, session, cwd }: Context,
): Promise<Uint8Array | undefined> {
  if (!mayBegin.has(content[0])) return undefined;
  const decoded = decode(content);
  if (!decoded || decoded.encoding !== "utf-8" || decoded.bom) return undefined;
  const header = copiedHeader(decoded.text);
  if (!header) return undefined;
  const names = [given, absolute, displayPath(absolute, cwd)];
  for (const path of unquoted(header.path)) {
    const real = await realPathOf(resolvePath(path, cwd), ports);
    const { snapshots } = await session.lookup(real, header.tag);
    for (const { text } of snapshots) {
      const stripped = stripCopied(decoded.text, text, names);
      if (stripped !== undefined) return new TextEncoder().encode(stripped);
    }
  }
  return undefined;
}

/** A blank, a folder heading or a header: what a copy begins with. */
const mayBegin: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x23, 0x5b]);

/** A name with control characters stands in the header as a JSON string. */
function unquoted(path: string): readonly string[] {
  if (!/^".*"$/s.test(path)) return [path];
  try {
    return [String(JSON.parse(path)), path];
  } catch {
    return [path];
  }
}

async function realPathOf(absolute: string, { fs }: Pick<Host, "fs">): Promise<string> {
  try {
    return (await fs.realPath(absolute)) ?? absolute;
  } catch (thrown) {
    if (thrown instanceof FsError) return absolute;
    throw thrown;
  }
}
