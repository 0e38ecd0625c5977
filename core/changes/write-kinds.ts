// What a write target may be. One row per kind; the first that claims the target writes it (tools.md §9).

import { archiveSplits, archiveSuffix } from "../archives/suffixes.ts";
import type { Host } from "../ports/host.ts";
import type { TargetPorts } from "../resources/resource.ts";
import type { Call } from "../tool.ts";

export interface WriteInput {
  /** As the caller gave it. */
  readonly target: string;
  readonly content: Uint8Array;
}

export type WritePorts = TargetPorts & Pick<Host, "random" | "locks">;

export interface WriteAnswer {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface WriteKind {
  /**
   * Asks the disk at most. Undefined: the target is none of this kind.
   * @returns what writes it; that asks the policy first
   * @throws AtomicError where the target is of this kind and cannot be written
   */
  claim(
    input: WriteInput,
    ports: WritePorts,
    call: Call,
  ): Promise<(() => Promise<WriteAnswer>) | undefined>;
}

export const writeKinds: readonly WriteKind[] = [
  {
    async claim(input, ports, call) {
      if (!/^conflict:\/\//i.test(input.target)) return undefined;
      const { writeConflict } = await import("./write-conflict.ts");
      return () => writeConflict(input, ports, call);
    },
  },
  {
    async claim(input, ports, call) {
      if (!/\.(?:sqlite3?|db3?)(?:$|[:?])/i.test(input.target)) return undefined;
      const { findSqliteTarget, writeSqlite } = await import("./write-sqlite.ts");
      const target = await findSqliteTarget(input.target, ports, call);
      return target && (() => writeSqlite(input, target, ports, call));
    },
  },
  {
    async claim(input, ports, call) {
      if (!mayBeArchive(input.target)) return undefined;
      const { findArchiveTarget } = await import("./archive-target.ts");
      const target = await findArchiveTarget(input, ports, call);
      if (!target) return undefined;
      const { writeArchive } = await import("./write-archive.ts");
      return () => writeArchive(input, target, ports, call);
    },
  },
  {
    async claim(input, ports, call) {
      if (!/^[a-z][a-z\d+.-]*:\/\/?/i.test(input.target)) return undefined;
      const { findInternalTarget } = await import("./internal-target.ts");
      const find = () => findInternalTarget(input.target, ports, call);
      if (!(await find())) return undefined;
      const { writePlain } = await import("./write-plain.ts");
      return () => writePlain(input, async () => (await find())!, ports, call);
    },
  },
  {
    async claim(input, ports, call) {
      const { findTarget } = await import("./write-target.ts");
      const { writePlain } = await import("./write-plain.ts");
      const where = { cwd: call.cwd, home: ports.env.home };
      return () => writePlain(input, () => findTarget(input.target, ports.fs, where), ports, call);
    },
  },
];

function mayBeArchive(target: string): boolean {
  return archiveSplits(target).length > 0 || archiveSuffix(target) !== undefined;
}
