// A host whose file system fails, or whose process dies, at the k-th call that may change or look at a user's file.

import type { MemoryHost } from "../../adapters/memory/host.ts";
import { type Fs, FsError } from "../../core/ports/fs.ts";
import type { Store } from "../../core/ports/store.ts";

/** Thrown by every call after the process was killed. */
export class Killed extends Error {}

export interface Faulty {
  readonly host: MemoryHost;
  /** The method that was hit; undefined where the work ended before its turn. */
  hit(): string | undefined;
}

/**
 * @param fault an errno, or "kill": that call and every later one do nothing any more
 * @param at which of the calls below `folder`, from 1
 */
export function faultyHost(host: MemoryHost, fault: string, at: number, folder = "/work"): Faulty {
  let count = 0;
  let hit: string | undefined;
  const fs = new Proxy(host.fs, {
    get(target, name: keyof Fs) {
      const method = target[name] as unknown;
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        const path = args[0];
        if (hit !== undefined && fault === "kill") return Promise.reject(new Killed());
        if (typeof path === "string" && path.startsWith(`${folder}/`) && ++count === at) {
          hit = name;
          return Promise.reject(fault === "kill" ? new Killed() : new FsError(fault, path));
        }
        return (method as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const isDead = () => hit !== undefined && fault === "kill";
  const stores: MemoryHost["stores"] = {
    ...host.stores,
    async open(...given) {
      const store = await host.stores.open(...given);
      // A dead process writes no records either.
      return new Proxy(store, {
        get(target, name: keyof Store) {
          const method = target[name] as unknown;
          if (typeof method !== "function") return method;
          return (...args: unknown[]) => {
            if (isDead()) throw new Killed();
            return (method as (...args: unknown[]) => unknown).apply(target, args);
          };
        },
      });
    },
  };
  return { host: { ...host, fs, stores }, hit: () => hit };
}
