// The record store in memory: plain maps, with every change undone when the work throws.

import type { Fs } from "../../core/ports/fs.ts";
import {
  type ReadTransaction,
  type Store,
  StoreError,
  type Stores,
  type WriteTransaction,
} from "../../core/ports/store.ts";

export interface MemoryStores extends Stores {
  /** What opening, reading and writing throw until it is unset. */
  fault: StoreError | undefined;
  /** What only writing throws. */
  writeFault: StoreError | undefined;
  /** From now on the folder's store is damaged, until it is set aside. */
  damage(folder: string): void;
}

interface Content {
  readonly spaces: Map<string, Map<string, string>>;
  readonly blobs: Map<string, Uint8Array>;
  isDamaged: boolean;
}

export function memoryStores(fs: Pick<Fs, "stat">): MemoryStores {
  const contents = new Map<string, Content>();
  let asides = 0;

  function contentOf(folder: string): Content {
    const known = contents.get(folder);
    if (known) return known;
    const made: Content = { spaces: new Map(), blobs: new Map(), isDamaged: false };
    contents.set(folder, made);
    return made;
  }

  function storeOver(folder: string, content: Content): Store {
    let isOpen = true;
    function check(): void {
      if (!isOpen) throw new StoreError("unavailable", "it is closed");
      if (stores.fault) throw stores.fault;
      if (content.isDamaged) throw new StoreError("corrupt", "it is damaged");
      if (contents.get(folder) !== content) {
        throw new StoreError("corrupt", "its file was replaced");
      }
    }
    return {
      async read(work) {
        check();
        return during(content, [], work);
      },
      async write(work) {
        check();
        if (stores.writeFault) throw stores.writeFault;
        const undo: (() => void)[] = [];
        try {
          return during(content, undo, work);
        } catch (thrown) {
          for (const step of undo.toReversed()) step();
          throw thrown;
        }
      },
      close: () => void (isOpen = false),
    };
  }

  const stores: MemoryStores = {
    fault: undefined,
    writeFault: undefined,
    async open(folder) {
      if (stores.fault) throw stores.fault;
      if ((await fs.stat(folder))?.kind !== "directory") {
        throw new StoreError("unavailable", "its file cannot be opened: ENOENT");
      }
      const content = contentOf(folder);
      if (content.isDamaged) throw new StoreError("corrupt", "it is damaged");
      return storeOver(folder, content);
    },
    async setAside(folder) {
      const content = contents.get(folder);
      if (!content) {
        throw new StoreError("unavailable", "its file cannot be set aside: ENOENT");
      }
      contents.delete(folder);
      return `${folder}/atomic-damaged-${++asides}.db`;
    },
    damage: (folder) => void (contentOf(folder).isDamaged = true),
  };
  return stores;
}

function during<T>(
  { spaces, blobs }: Content,
  undo: (() => void)[],
  work: (transaction: WriteTransaction) => T,
): T {
  let isOpen = true;
  function live<Value>(map: Map<string, Value>): Map<string, Value> {
    if (!isOpen) throw new StoreError("unavailable", "the transaction is over");
    return map;
  }
  function set<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
    const old = live(map).get(key);
    undo.push(() => void (old === undefined ? map.delete(key) : map.set(key, old)));
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
  function space(name: string): Map<string, string> {
    const known = live(spaces).get(name) ?? new Map<string, string>();
    spaces.set(name, known);
    return known;
  }
  const reading: ReadTransaction = {
    get: (name, key) => space(name).get(key),
    range(name, { prefix = "", after, reverse = false, limit = Infinity } = {}) {
      const keys = [...space(name).keys()]
        .filter((key) => key.startsWith(prefix))
        .filter((key) => after === undefined || (reverse ? key < after : key > after))
        .sort();
      if (reverse) keys.reverse();
      return keys.slice(0, limit).map((key) => ({ key, value: space(name).get(key)! }));
    },
    blob: (name) => live(blobs).get(name)?.slice(),
    hasBlob: (name) => live(blobs).has(name),
  };
  try {
    return work({
      ...reading,
      put: (name, key, value) => set(space(name), key, value),
      delete: (name, key) => set(space(name), key, undefined),
      putBlob: (name, bytes) => set(blobs, name, bytes.slice()),
      deleteBlob: (name) => set(blobs, name, undefined),
    });
  } finally {
    isOpen = false;
  }
}
