// What is kept between calls, in a store of its own in the state folder (0600): which definitions the user trusts, and what
// servers said of their tools when they were last asked.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { type Store, StoreError } from "../ports/store.ts";
import { prepareStateFolder } from "../session/state-folder.ts";

/** A tool as its server describes it: cleaned, without secrets, cut to size. */
export interface KnownTool {
  /** As the server wants it; what is shown is cleaned. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** It declares itself read-only. */
  readonly isReadOnly: boolean;
}

export interface KnownServer {
  /** Milliseconds since the epoch. */
  readonly asked: number;
  /** What the server calls itself. */
  readonly title: string;
  readonly instructions?: string;
  readonly protocol?: string;
  readonly tools: readonly KnownTool[];
}

export interface Trusted {
  readonly name: string;
  /** Where it is defined, absolute. */
  readonly file: string;
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface Book {
  trusted(hash: string): Promise<Trusted | undefined>;
  allTrusted(): Promise<readonly (Trusted & { readonly hash: string })[]>;
  trust(hash: string, entry: Trusted): Promise<void>;
  /** False where it was not trusted. */
  revoke(hash: string): Promise<boolean>;
  known(hash: string): Promise<KnownServer | undefined>;
  learn(hash: string, server: KnownServer): Promise<void>;
  close(): void;
}

type Ports = Pick<Host, "fs" | "env" | "stores" | "clock">;

const TRUST = "trust";
const KNOWN = "known";

/**
 * Opened, and made where it is missing, when it is first asked. What it gives rejects with AtomicError
 * `session.unavailable`, `session.unsafe`.
 * @param folder the state folder, absolute
 */
export function openBook(folder: string, ports: Ports): Book {
  let opened: Promise<Store> | undefined;
  async function open(): Promise<Store> {
    await prepareStateFolder(ports, folder);
    const own = `${folder}/mcp`;
    if (!(await ports.fs.stat(own))) await ports.fs.makeDirectory(own, 0o700);
    return openStore(own, ports);
  }
  const read: Store["read"] = async (work) => (await (opened ??= open())).read(work);
  const write: Store["write"] = async (work, options) =>
    (await (opened ??= open())).write(work, options);
  return {
    trusted: (hash) => read((at) => parsed<Trusted>(at.get(TRUST, hash))),
    allTrusted: () =>
      read((at) =>
        at.range(TRUST).flatMap(({ key, value }) => {
          const entry = parsed<Trusted>(value);
          return entry === undefined ? [] : [{ hash: key, ...entry }];
        }),
      ),
    trust: (hash, entry) =>
      write((at) => at.put(TRUST, hash, JSON.stringify(entry)), { durable: true }),
    revoke: (hash) =>
      write(
        (at) => {
          if (at.get(TRUST, hash) === undefined) return false;
          at.delete(TRUST, hash);
          return true;
        },
        { durable: true },
      ),
    known: (hash) => read((at) => parsed<KnownServer>(at.get(KNOWN, hash))),
    learn: (hash, server) =>
      write((at) => {
        const old = ports.clock.now() - limits.mcpForgotten;
        for (const { key, value } of at.range(KNOWN)) {
          const entry = parsed<KnownServer>(value);
          if (entry === undefined || entry.asked < old) at.delete(KNOWN, key);
        }
        at.put(KNOWN, hash, JSON.stringify(server));
      }),
    close() {
      // One that never opened has said so to whoever asked for it.
      void opened?.then(
        (store) => store.close(),
        () => undefined,
      );
    },
  };
}

/** What is damaged is put aside: servers are asked anew, and the user too. */
async function openStore(folder: string, { stores }: Pick<Host, "stores">): Promise<Store> {
  try {
    return await stores.open(folder, { busyTimeoutMs: limits.storeBusyTimeout });
  } catch (thrown) {
    if (!(thrown instanceof StoreError)) throw thrown;
    if (thrown.reason === "corrupt") {
      await stores.setAside(folder);
      return stores.open(folder, { busyTimeoutMs: limits.storeBusyTimeout });
    }
    throw new AtomicError(
      "session.unavailable",
      `Could not open what is kept about MCP servers in ${JSON.stringify(folder)}: ${thrown.message}`,
      { cause: thrown, data: { folder, reason: thrown.reason } },
    );
  }
}

function parsed<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
