// The store of one state folder: checked, migrated, replaced when damaged, its failures in our words.

import { asAtomicError, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { LockTimeout } from "../ports/locks.ts";
import {
  type ReadTransaction,
  type Store,
  StoreError,
  type StoreFailure,
  type WriteTransaction,
} from "../ports/store.ts";
import { checkFormat, currentFormat, migrate } from "./migrations.ts";
import { prepareStateFolder, type StateFolder } from "./state-folder.ts";

export interface State extends StateFolder {
  /** As in the store port. Throws AtomicError `session.unavailable` when the store fails. */
  read<T>(work: (transaction: ReadTransaction) => T): Promise<T>;
  write<T>(
    work: (transaction: WriteTransaction) => T,
    options?: { readonly durable?: boolean },
  ): Promise<T>;
  close(): void;
}

/**
 * Opens the state, or makes it. A damaged store is set aside whole, at any moment that the damage shows, and the work
 * goes on with a new one.
 * @param notice told where a damaged store is now
 * @throws AtomicError `session.unsafe`, `session.unavailable`
 */
export async function openState(
  host: Pick<Host, "fs" | "stores" | "locks" | "env" | "random">,
  { folder: path, notice }: { readonly folder: string; notice(text: string): void },
): Promise<State> {
  const { folder, locksFolder } = await prepareStateFolder(host, path);
  let opened: Opened | undefined;
  let renewal: Promise<Opened> | undefined;
  let closed = false;
  try {
    opened = (await openUndamaged()) ?? (await renew());
  } catch (thrown) {
    throw explain(thrown, folder);
  }

  return {
    folder,
    locksFolder,
    read: (work) => use((store) => store.read(work)),
    write: (work, options) =>
      use((store) =>
        store.write((transaction) => {
          // A newer program may have migrated the store since we opened it.
          checkFormat(transaction, folder);
          return work(transaction);
        }, options),
      ),
    close() {
      closed = true;
      opened?.store.close();
    },
  };

  async function use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    try {
      const used = opened ?? (await renew());
      try {
        return await work(used.store);
      } catch (thrown) {
        if (!isDamage(thrown) || closed) throw thrown;
        const { store } = opened === used ? await renew() : (opened ?? (await renew()));
        return await work(store);
      }
    } catch (thrown) {
      throw explain(thrown, folder);
    }
  }

  /** Once for all calls that wait for it. */
  function renew(): Promise<Opened> {
    return (renewal ??= replace().finally(() => (renewal = undefined)));
  }

  async function replace(): Promise<Opened> {
    const damaged = opened;
    opened = undefined;
    damaged?.store.close();
    // Setting aside what another process has just put in the damaged one's place would lose what it holds.
    const release = await host.locks.acquire(locksFolder, ["session store"], {
      timeoutMs: limits.lockTimeout,
    });
    try {
      const found = await openUndamaged();
      if (found && (!damaged || found.id !== damaged.id)) return (opened = found);
      found?.store.close();
      const aside = await host.stores.setAside(folder);
      opened = await open(host, folder);
      notice(
        `The session state was damaged. It was set aside as ${JSON.stringify(aside)} and a new one is in use: tags handed out before are unknown now, so read again before you edit.`,
      );
      return opened;
    } finally {
      release();
    }
  }

  async function openUndamaged(): Promise<Opened | undefined> {
    try {
      return await open(host, folder);
    } catch (thrown) {
      if (isDamage(thrown)) return undefined;
      throw thrown;
    }
  }
}

interface Opened {
  readonly store: Store;
  /** The random name it got when it was made. */
  readonly id: string | undefined;
}

async function open(
  { stores, random }: Pick<Host, "stores" | "random">,
  folder: string,
): Promise<Opened> {
  const store = await stores.open(folder, { busyTimeoutMs: limits.storeBusyTimeout });
  try {
    const { format, id } = await store.read((transaction) => ({
      format: checkFormat(transaction, folder),
      id: transaction.get("meta", "id"),
    }));
    if (format === currentFormat) return { store, id };
    return await store.write((transaction) => {
      migrate(transaction, folder);
      const name = transaction.get("meta", "id") ?? random.hex(16);
      transaction.put("meta", "id", name);
      return { store, id: name };
    });
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.reason === "corrupt";
}

const reasons: Readonly<Record<StoreFailure, { readonly found: string; readonly hint?: string }>> =
  {
    corrupt: { found: "it is damaged and could not be replaced" },
    busy: {
      found: `another process has held it for ${limits.storeBusyTimeout / 1000} seconds`,
      hint: "Try again; if it stays so, look for an atomic process that hangs.",
    },
    unavailable: { found: "it cannot be opened or written" },
  };

function explain(thrown: unknown, folder: string): AtomicError {
  if (thrown instanceof LockTimeout) {
    return explain(new StoreError("busy", thrown.message, { cause: thrown }), folder);
  }
  if (!(thrown instanceof StoreError)) return asAtomicError(thrown);
  const { found, hint } = reasons[thrown.reason];
  return new AtomicError(
    "session.unavailable",
    `The session state in ${JSON.stringify(folder)} is not available: ${found} (${thrown.message}).`,
    { cause: thrown, data: { folder, reason: thrown.reason }, ...(hint && { hint }) },
  );
}
