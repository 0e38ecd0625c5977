// One state folder, a clock that stands still, and any number of sessions and processes over it.

import { nodeBytes } from "../../../adapters/shared/bytes.ts";
import { tagOfContent } from "../../../core/hashline/tag.ts";
import { limits } from "../../../core/limits.ts";
import type { Bytes } from "../../../core/ports/bytes.ts";
import type { FileKind, Fs } from "../../../core/ports/fs.ts";
import type { Host } from "../../../core/ports/host.ts";
import { openSession, type OpenSession } from "../../../core/session/open.ts";
import type { Change, Seen } from "../../../core/session/session.ts";
import { openState, type State } from "../../../core/session/state.ts";
import type { LineMap } from "../../../core/text/line-map.ts";
import { type MemoryStores, memoryStores } from "./memory-stores.ts";

export const folder = "/home/me/.local/state/atomic";
export const start = 1_700_000_000_000;

export interface World {
  readonly host: Pick<Host, "fs" | "bytes" | "stores" | "locks" | "clock" | "random" | "env">;
  readonly stores: MemoryStores;
  readonly notices: string[];
  readonly folders: Map<string, { kind: FileKind; mode: number; uid: number }>;
  now: number;
  /** Pretends that each content compresses to so many bytes, without spending them. */
  frameSize: ((content: Uint8Array) => number) | undefined;
  /** As a new process would. */
  session(id?: string): Promise<OpenSession>;
  state(): Promise<State>;
}

export function createWorld(): World {
  const stores = memoryStores();
  const folders: World["folders"] = new Map();
  let random = 0;
  const world: World = {
    stores,
    notices: [],
    folders,
    now: start,
    frameSize: undefined,
    host: {
      bytes: pretendingBytes(() => world.frameSize),
      stores,
      fs: foldersOnly(folders) as Fs,
      locks: { acquire: async () => () => {} },
      clock: { now: () => world.now, sleep: async () => {} },
      random: { hex: (length) => String(++random).padStart(2 * length, "0") },
      env: {
        get: () => undefined,
        cwd: "/w",
        home: "/home/me",
        platform: "linux",
        pid: 4711,
        uid: 1000,
        host: "box",
      },
    },
    session: (id = "one") =>
      openSession(world.host, { folder, id, notice: (text) => void world.notices.push(text) }),
    state: () => openState(world.host, { folder, notice: (text) => void world.notices.push(text) }),
  };
  return world;
}

export const bytes: Bytes = nodeBytes();

let zeros: Uint8Array | undefined;

/** Frames that claim a size are views of one zeroed buffer, never touched; what they stand for is remembered aside. */
function pretendingBytes(frameSize: () => World["frameSize"]): Bytes {
  const contents = new WeakMap<Uint8Array, Uint8Array>();
  return {
    ...bytes,
    compress(content) {
      const size = frameSize();
      if (!size) return bytes.compress(content);
      zeros ??= new Uint8Array(2 * limits.storeBytes);
      const frame = zeros.subarray(0, size(content));
      contents.set(frame, content.slice());
      return frame;
    },
    decompress: (frame, limit) => contents.get(frame) ?? bytes.decompress(frame, limit),
  };
}

export function hashOf(text: string): string {
  return bytes.sha256(encode(text));
}

export function tagFor(text: string): string {
  return tagOfContent(encode(text), bytes);
}

/** As `read` would record a file that holds exactly this text; the tag may be forged, to collide. */
export function seen(path: string, text: string, tag = tagFor(text)): Seen {
  return { path, tag, content: encode(text), bytesHash: hashOf(text) };
}

/** As `edit` would log the change of a file; undefined: it is not there. */
export function change(
  path: string,
  before: string | undefined,
  after: string | undefined,
  options: { map?: LineMap; inPlace?: boolean; tag?: string } = {},
): Change {
  return {
    path,
    before: before === undefined ? undefined : { bytes: encode(before), mode: 0o644 },
    after: after === undefined ? undefined : { bytes: encode(after), mode: 0o644 },
    seen: after === undefined ? undefined : seen(path, after, options.tag),
    fromHash: before === undefined ? undefined : hashOf(before),
    map: options.map ?? [{ at: 0, removed: 1, added: 1 }],
    inPlace: options.inPlace ?? false,
  };
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function foldersOnly(folders: World["folders"]): Pick<Fs, "lstat" | "makeDirectory" | "setMode"> {
  return {
    async lstat(path) {
      const found = folders.get(path);
      return found && { size: 0, gid: 1000, links: 1, modified: 0, identity: path, ...found };
    },
    async makeDirectory(path, mode = 0o755) {
      if (!folders.has(path)) folders.set(path, { kind: "directory", mode, uid: 1000 });
    },
    async setMode(path, mode) {
      folders.set(path, { ...folders.get(path)!, mode });
    },
  };
}
