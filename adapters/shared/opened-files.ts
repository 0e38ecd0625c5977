// Which files an opening has opened, by their descriptors: a name may lead elsewhere by the time that it is looked at again.

export interface OpenedFile {
  /** Leads to the file for as long as it is open. */
  readonly descriptor: string;
  /** Where the file is now. */
  readonly path: string;
}

const FOLDER = "/proc/self/fd";

/**
 * @param open synchronous
 * @returns the files that are open since, undefined where the system does not tell
 */
export function openedBy<T>(open: () => T): {
  readonly result: T;
  readonly files: readonly OpenedFile[] | undefined;
} {
  const before = descriptors();
  const result = open();
  const after = before && descriptors();
  if (!after) return { result, files: undefined };
  const fresh = [...after].filter(([descriptor, path]) => before.get(descriptor) !== path);
  return {
    result,
    files: fresh
      .filter(([, path]) => path.startsWith("/") && !path.startsWith("/proc/"))
      .map(([descriptor, path]) => ({ descriptor, path })),
  };
}

function descriptors(): ReadonlyMap<string, string> | undefined {
  if (process.platform !== "linux") return undefined;
  const { readdirSync, readlinkSync } = process.getBuiltinModule("node:fs");
  const open = new Map<string, string>();
  let names: readonly string[];
  try {
    names = readdirSync(FOLDER);
  } catch {
    return undefined;
  }
  for (const name of names) {
    const descriptor = `${FOLDER}/${name}`;
    try {
      open.set(descriptor, readlinkSync(descriptor));
    } catch {
      // That of the listing itself, which is closed by now.
    }
  }
  return open.size > 0 ? open : undefined;
}
