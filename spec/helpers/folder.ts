import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  /** Absolute, with no symbolic link on the way. */
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "atomic-spec-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder for the time of the work. */
export async function inFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  try {
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}
