import { HelperFailure } from "./helper.ts";

/**
 * @param path absolute, "/" between segments
 * @throws HelperFailure for a name that no URI can carry: one that is not UTF-8
 */
export function fileUri(path: string): string {
  if (!path.isWellFormed()) throw new HelperFailure("its name is not UTF-8");
  const segments = path.split("/").map((segment, i) =>
    // A drive letter's colon stays.
    i === 0 && /^[A-Za-z]:$/.test(segment) ? segment : encodeURIComponent(segment),
  );
  return `file://${path.startsWith("/") ? "" : "/"}${segments.join("/")}`;
}

/** Servers escape more or fewer characters than we do. */
export function isSameUri(own: string, other: unknown): boolean {
  if (typeof other !== "string") return false;
  return own === other || decoded(own) === decoded(other);
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
