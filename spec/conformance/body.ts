// What a suite needs of a host under test beyond its ports.

import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { memoryHost } from "../../adapters/memory/host.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Case } from "../helpers/cases.ts";
import { temporaryFolder } from "../helpers/folder.ts";

import { suitePrograms } from "./programs.ts";

/** A host with a disk to play on. */
export interface World {
  readonly host: Host;
  /** An empty folder, absolute and with no link on the way. */
  readonly folder: string;
  symlink(target: string, path: string): void;
  hardLink(existing: string, path: string): void;
  fifo(path: string): void;
  /** Makes the store in a folder unreadable. */
  damageStore(folder: string): void;
}

export interface Body {
  readonly name: string;
  readonly isMemory: boolean;
  /** Gives the work a world of its own. */
  within<T>(work: (world: World) => Promise<T>): Promise<T>;
}

export const memoryBody: Body = {
  name: "memory",
  isMemory: true,
  async within(work) {
    const folder = "/work/here";
    const files = { [folder]: { kind: "directory" } } as const;
    const host = memoryHost({ files, programs: suitePrograms });
    return work({
      host,
      folder,
      symlink: (target, path) => host.fs.put(path, { link: target }),
      hardLink: (existing, path) => host.fs.hardLink(existing, path),
      fifo: (path) => host.fs.put(path, { kind: "fifo" }),
      damageStore: (store) => host.stores.damage(store),
    });
  },
};

export function realBody(name: string, host: Host): Body {
  return {
    name,
    isMemory: false,
    async within(work) {
      const root = temporaryFolder();
      const folder = join(root.path, "here");
      mkdirSync(folder);
      try {
        return await work({
          host,
          folder,
          symlink: symlinkSync,
          hardLink: linkSync,
          fifo: (path) => void spawnSync("mkfifo", [path]),
          damageStore: (store) => writeFileSync(join(store, "atomic.db"), "damaged".repeat(2000)),
        });
      } finally {
        root.remove();
      }
    },
  };
}

/** Cases that each get a world of their own. */
export function casesOf(
  body: Body,
  tests: Readonly<Record<string, (world: World) => Promise<void>>>,
): readonly Case[] {
  return Object.entries(tests).map(([name, test]) => ({ name, run: () => body.within(test) }));
}
