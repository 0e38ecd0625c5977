// A store in memory whose faults can be called up: the plainest reading of the port.

import {
  type Store,
  StoreError,
  type Stores,
  type WriteTransaction,
} from "../../../core/ports/store.ts";

interface Disk {
  readonly spaces: Map<string, Map<string, string>>;
  readonly blobs: Map<string, Uint8Array>;
}

export interface MemoryStores extends Stores {
  /** What the next operations throw, until it is unset. */
  fault: StoreError | undefined;
  /** Only writes fail. */
  writeFault: StoreError | undefined;
  /** Called inside each write, after its work and before the commit. */
  beforeCommit: (() => void) | undefined;
  readonly disks: Map<string, Disk>;
  /** Folders whose store is damaged: opening succeeds, work does not. */
  readonly damaged: Set<string>;
  /** Folders whose store cannot even be opened, being no store. */
  readonly foreign: Set<string>;
  opens: number;
  reads: number;
  writes: number;
  durableWrites: number;
}

export function memoryStores(): MemoryStores {
  const world: MemoryStores = {
    fault: undefined,
    writeFault: undefined,
    beforeCommit: undefined,
    disks: new Map(),
    damaged: new Set(),
    foreign: new Set(),
    opens: 0,
    reads: 0,
    writes: 0,
    durableWrites: 0,
    async open(folder) {
      world.opens++;
      if (world.fault) throw world.fault;
      if (world.foreign.has(folder)) throw new StoreError("corrupt", "file is not a database");
      const disk = world.disks.get(folder) ?? { spaces: new Map(), blobs: new Map() };
      world.disks.set(folder, disk);
      return storeOver(world, folder, disk);
    },
    async setAside(folder) {
      const aside = `${folder}/aside-1`;
      const disk = world.disks.get(folder);
      if (disk) world.disks.set(aside, disk);
      world.disks.delete(folder);
      world.damaged.delete(folder);
      world.foreign.delete(folder);
      return aside;
    },
  };
  return world;
}

function storeOver(world: MemoryStores, folder: string, disk: Disk): Store {
  let isOpen = true;
  function check(): void {
    if (!isOpen) throw new StoreError("unavailable", "the store is closed");
    if (world.fault) throw world.fault;
    if (world.damaged.has(folder))
      throw new StoreError("corrupt", "database disk image is malformed");
  }
  return {
    async read(work) {
      check();
      world.reads++;
      return work(transactionOver(disk));
    },
    async write(work, options) {
      check();
      if (world.writeFault) throw world.writeFault;
      world.writes++;
      if (options?.durable) world.durableWrites++;
      const undo: (() => void)[] = [];
      try {
        const result = work(transactionOver(disk, undo));
        world.beforeCommit?.();
        return result;
      } catch (thrown) {
        for (const step of undo.toReversed()) step();
        throw thrown;
      }
    },
    close() {
      isOpen = false;
    },
  };
}

function transactionOver(disk: Disk, undo: (() => void)[] = []): WriteTransaction {
  function set<T>(map: Map<string, T>, key: string, value: T | undefined): void {
    if (!/^[\x20-\x7e]+$/.test(key)) throw new RangeError(`not a key: ${JSON.stringify(key)}`);
    const old = map.get(key);
    undo.push(() => void (old === undefined ? map.delete(key) : map.set(key, old)));
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
  function spaceOf(name: string): Map<string, string> {
    const space = disk.spaces.get(name) ?? new Map<string, string>();
    disk.spaces.set(name, space);
    return space;
  }
  return {
    get: (space, key) => spaceOf(space).get(key),
    range(space, { prefix = "", after, reverse = false, limit = Infinity } = {}) {
      const keys = [...spaceOf(space).keys()]
        .filter((key) => key.startsWith(prefix))
        .filter((key) => after === undefined || (reverse ? key < after : key > after))
        .sort();
      if (reverse) keys.reverse();
      return keys.slice(0, limit).map((key) => ({ key, value: spaceOf(space).get(key)! }));
    },
    blob: (name) => disk.blobs.get(name),
    hasBlob: (name) => disk.blobs.has(name),
    put: (space, key, value) => set(spaceOf(space), key, value),
    delete: (space, key) => set(spaceOf(space), key, undefined),
    putBlob: (name, bytes) => set(disk.blobs, name, bytes),
    deleteBlob: (name) => set(disk.blobs, name, undefined),
  };
}
