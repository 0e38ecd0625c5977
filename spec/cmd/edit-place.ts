// A folder of files and one session, as an agent meets them: what it reads, edits and finds on disk.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { type Ran, type RunOptions, runAtomic } from "../helpers/run-atomic.ts";

export interface EditPlace {
  readonly folder: string;
  /** The session's state, outside the folder. */
  readonly state: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Puts a file there; a string is UTF-8. */
  put(name: string, content: string | Uint8Array): void;
  /** The file's bytes, one character for each. */
  bytes(name: string): string;
  /** The header line of a read, which must work. */
  header(target: string): Promise<string>;
  /** One section under this header. */
  edit(header: string, ...lines: readonly string[]): Promise<Ran>;
  /** An edit under the header of a read of just now, which must work. */
  change(target: string, ...lines: readonly string[]): Promise<Ran>;
}

export function inEditPlace<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (place: EditPlace) => Promise<T>,
): Promise<T> {
  return inFolder(async (root) => {
    const folder = join(root, "files");
    const state = join(root, "state");
    mkdirSync(folder);
    const place: EditPlace = {
      folder,
      state,
      run: (args, options = {}) =>
        runAtomic(args, { cwd: folder, ...options, env: { ATOMIC_HOME: state, ...options.env } }),
      put(name, content) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      },
      bytes: (name) => readFileSync(join(folder, name), "latin1"),
      async header(target) {
        const read = await place.run(["read", "--", target]);
        if (read.status !== 0) throw new Error(`Status ${read.status}: ${read.stderr.text}`);
        return read.stdout.text.slice(0, read.stdout.text.indexOf("\n"));
      },
      edit: (header, ...lines) => place.run(["edit"], { stdin: [header, ...lines, ""].join("\n") }),
      async change(target, ...lines) {
        const edited = await place.edit(await place.header(target), ...lines);
        if (edited.status !== 0) throw new Error(`Status ${edited.status}: ${edited.stderr.text}`);
        return edited;
      },
    };
    for (const [name, content] of Object.entries(files)) place.put(name, content);
    return await work(place);
  });
}

/** UTF-8, one character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Headers of an answer, in order. */
export function headers({ stdout }: Ran): readonly string[] {
  return stdout.text.match(/^\[.*#[0-9A-F]{4}\]$/gm) ?? [];
}
