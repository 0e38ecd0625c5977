// Names of archives, known without loading what reads them.

/** In lower case; a longer one that fits wins. */
export const archiveSuffixes = [
  ".zip",
  ".jar",
  ".tar",
  ".tar.gz",
  ".tgz",
  ".tar.zst",
  ".tzst",
  ".tar.bz2",
  ".tbz2",
  ".tbz",
  ".tar.xz",
  ".txz",
  ".gz",
] as const;

/** Undefined: the name is no archive's. Before the suffix there must be something. */
export function archiveSuffix(file: string): (typeof archiveSuffixes)[number] | undefined {
  const name = file
    .slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
    .toLowerCase();
  let best: (typeof archiveSuffixes)[number] | undefined;
  for (const suffix of archiveSuffixes) {
    const fits = name.length > suffix.length && name.endsWith(suffix);
    if (fits && suffix.length > (best?.length ?? 0)) best = suffix;
  }
  return best;
}

/** No system has longer paths, in characters or in bytes. */
const LONGEST_PATH = 4096;

/** Where an archive's name may end before a colon, the longest first. */
export function archiveSplits(text: string): readonly number[] {
  const splits: number[] = [];
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    if (at > LONGEST_PATH) break;
    if (archiveSuffix(text.slice(0, at)) !== undefined) splits.push(at);
  }
  return splits.toReversed();
}
