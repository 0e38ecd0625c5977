// The read tool over a few files in memory, and what it said and recorded.

import { nodeBytes } from "../../adapters/shared/bytes.ts";

import type { Bytes } from "../../core/ports/bytes.ts";
import { type FileKind, type FileStat, type Fs, FsError } from "../../core/ports/fs.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Seen, Session } from "../../core/session/session.ts";
import { read } from "../../core/tools/read.ts";
import { callFor } from "./call.ts";

/** Text or bytes of a regular file; or what else stands at the path. */
export type Entry =
  | string
  | Uint8Array
  | { readonly kind: FileKind }
  | { readonly link: string }
  | { readonly fails: string; readonly on?: "stat" | "read" };

export interface Reading {
  /** The text of the answer; for bytes, their Latin-1. */
  text(target: string, input?: { plain?: boolean; raw?: boolean }): Promise<string>;
  bytes(target: string): Promise<Uint8Array>;
  details(target: string): Promise<Record<string, unknown>>;
  readonly notices: string[];
  readonly recorded: Seen[];
  readonly options: { unlimited: boolean; partial: boolean; force: boolean; dryRun: boolean };
  sessionFailure: Error | undefined;
  readonly opened: string[];
}

export const cwd = "/w";

export function reading(files: Readonly<Record<string, Entry>>): Reading {
  const fs = fakeFs(new Map(Object.entries(files).map(([path, entry]) => [absolute(path), entry])));
  const host = {
    fs: fs.port,
    bytes,
    env: { cwd, home: "/home/me" },
  } as unknown as Host;
  const state: Reading = {
    async text(target, input = {}) {
      const rendered = read.render(await run(target, input));
      return "text" in rendered ? rendered.text : Buffer.from(rendered.bytes).toString("latin1");
    },
    async bytes(target) {
      const rendered = read.render(await run(target, {}));
      if ("text" in rendered) throw new Error(`text, not bytes: ${rendered.text}`);
      return rendered.bytes;
    },
    async details(target) {
      return read.details(await run(target, {}));
    },
    notices: [],
    recorded: [],
    options: { unlimited: true, partial: false, force: false, dryRun: false },
    sessionFailure: undefined,
    opened: fs.opened,
  };
  const session = {
    unsettled: async () => [],
    async record(seen: Seen) {
      state.recorded.push(seen);
    },
  } as unknown as Session;
  function run(path: string, input: { plain?: boolean; raw?: boolean }) {
    return read.run({ plain: false, raw: false, ...input, path }, host, {
      ...callFor({
        cwd,
        options: state.options,
        notice: (text) => void state.notices.push(text),
        async session() {
          if (state.sessionFailure) throw state.sessionFailure;
          return session;
        },
      }),
      allowWrite: async () => {},
      mayExecute: true,
      ownTools: async () => [],
      hasTool: () => true,
    });
  }
  return state;
}

const bytes: Bytes = {
  ...nodeBytes(),
  compress: (text) => text,
  decompress: (text) => text,
};

function absolute(path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

function fakeFs(entries: ReadonlyMap<string, Entry>) {
  const opened: string[] = [];
  function follow(path: string, hops = 0): string {
    const entry = entries.get(path);
    if (!entry || typeof entry === "string" || !("link" in entry)) return path;
    if (hops > 40) throw new FsError("ELOOP", path);
    return follow(entry.link, hops + 1);
  }
  function kindOf(entry: Entry): FileKind {
    if (typeof entry === "string" || entry instanceof Uint8Array || "fails" in entry) return "file";
    return "link" in entry ? "symlink" : entry.kind;
  }
  function describe(path: string): FileStat | undefined {
    const entry = entries.get(path);
    if (entry === undefined) return undefined;
    if (typeof entry === "object" && "fails" in entry && entry.on !== "read") {
      throw new FsError(entry.fails, path);
    }
    const kind = kindOf(entry);
    return { kind, size: 0, mode: 0o644, uid: 1, gid: 1, links: 1, modified: 0, identity: path };
  }
  const port: Partial<Fs> = {
    stat: async (path) => describe(follow(path)),
    lstat: async (path) => describe(path),
    realPath: async (path) => (entries.has(follow(path)) ? follow(path) : undefined),
    async readLink(path) {
      const entry = entries.get(path);
      return typeof entry === "object" && "link" in entry ? entry.link : undefined;
    },
    async read(path, limit = Infinity) {
      opened.push(path);
      const entry = entries.get(follow(path));
      if (entry === undefined) return undefined;
      if (typeof entry === "object" && "fails" in entry) throw new FsError(entry.fails, path);
      const data = typeof entry === "string" ? new TextEncoder().encode(entry) : entry;
      if (!(data instanceof Uint8Array)) throw new FsError("ENOTREG", path);
      if (data.length > limit) throw new FsError("EFBIG", path);
      return { bytes: data, stat: describe(follow(path))! };
    },
  };
  return { port: port as Fs, opened };
}
