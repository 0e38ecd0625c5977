// Paths as text. Nothing here asks the disk; which spelling is meant is decided in core/resources/open.ts.

export interface Where {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute; undefined where the system knows none. */
  readonly home: string | undefined;
}

/**
 * Absolute and lexically normalised, with "/" between segments. Where `cwd` is a Windows path, "\" separates as well and
 * drive letters count; elsewhere both are ordinary characters.
 */
export function resolvePath(path: string, cwd: string): string {
  const windows = isWindows(cwd);
  const text = windows ? path.replaceAll("\\", "/") : path;
  const base = windows ? cwd.replaceAll("\\", "/") : cwd;
  const root = rootOf(text, windows);
  if (root === "") return normalize(`${base}/${text}`, rootOf(base, windows));
  // On Windows "/x" is on the drive of the working folder.
  if (root === "/" && windows)
    return normalize(rootOf(base, windows) + text, rootOf(base, windows));
  return normalize(text, root);
}

/** Whether it says the same whatever the working folder. @param platform as `Env` names it */
export function isAbsolutePath(path: string, platform: string): boolean {
  return platform === "windows" ? isWindows(path) : path.startsWith("/");
}

/** Relative to `cwd` where the path lies inside it ("." for itself), else absolute. Both are absolute; purely lexical. */
export function displayPath(absolute: string, cwd: string): string {
  const base = resolvePath(".", cwd);
  const path = resolvePath(absolute, cwd);
  if (path === base) return ".";
  const folder = base.endsWith("/") ? base : `${base}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

/**
 * The root ("" for a relative path) and what follows it as the system walks it: without "" and ".", with every "..".
 * @param cwd any absolute path of the same system
 */
export function pathSegments(
  path: string,
  cwd: string,
): { readonly root: string; readonly segments: readonly string[] } {
  const windows = isWindows(cwd);
  const text = windows ? path.replaceAll("\\", "/").replace(/^\/\/[?.]\/(?=[A-Za-z]:)/, "") : path;
  const own = rootOf(text, windows);
  const segments = text.slice(own.length).split("/");
  return {
    root: own === "/" && windows ? rootOf(cwd.replaceAll("\\", "/"), windows) : own,
    segments: segments.filter((segment) => segment !== "" && segment !== "."),
  };
}

/** A name as it stands in a header, a list or a message: names with control characters as JSON strings. */
export function showName(name: string): string {
  // Most names, and by far the cheapest question.
  if (/^[ -~]*$/.test(name)) return name;
  if (!/[\p{Cc}\u2028\u2029]/u.test(name) && name.isWellFormed()) return name;
  return JSON.stringify(name).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The line above a text that may be edited. */
export function headerLine(display: string, tag: string): string {
  return `[${showName(display)}#${tag}]`;
}

/**
 * The spellings a path argument may have been meant as, best first and without repeats (hashline.md decision 25). The
 * first is the authored one; each of the others has one more decoration removed, so the last is the barest.
 * None of them may be tried while an earlier one exists.
 */
export function spellings(authored: string, where: Where): readonly string[] {
  const found = new Set([authored]);
  let text = authored;
  for (const undecorate of decorations) {
    const bare = undecorate(text, where);
    if (bare === "" || bare === text) continue;
    text = bare;
    found.add(text);
  }
  const quoted = fromJson(authored.trim());
  if (quoted) found.add(quoted);
  return [...found];
}

/** The same as absolute paths: where a file argument may be, in the order in which to look. */
export function candidatePaths(authored: string, where: Where): readonly string[] {
  return [...new Set(spellings(authored, where).map((path) => resolvePath(path, where.cwd)))];
}

/** Names that macOS gives to files and people cannot type: screenshots, decomposed accents, typographic quotes. */
export function macNames(path: string): readonly string[] {
  const decomposed = path.normalize("NFD");
  const names = [
    path.replace(/ (?=[AP]M\b)/gi, "\u202f"),
    decomposed,
    path.replaceAll("'", "\u2019"),
    decomposed.replaceAll("'", "\u2019"),
  ];
  return [...new Set(names)].filter((name) => name !== path);
}

/** A path as one word for a POSIX shell, never taken for an option. */
export function shellPath(path: string): string {
  if (path.startsWith("-")) return shellPath(`./${path}`);
  if (/^[\w@%+=:,./-]+$/.test(path)) return path;
  return `'${path.replaceAll("'", "'\\''")}'`;
}

const decorations: readonly ((text: string, where: Where) => string)[] = [
  (text) => text.trim(),
  (text) => /^(["'`])(.+)\1$/s.exec(text)?.[2] ?? text,
  (text) => text.replace(patchNoise, ""),
  (text) => text.replace(/^@/, ""),
  (text) => text.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "),
  (text, { home }) => (home === undefined ? text : text.replace(/^~(?=$|\/)/, () => home)),
  (text, { cwd }) => fromFileUrl(text, cwd) ?? text,
];

/** "*** Update File: ", "Move to:", "***": what apply-patch writes before a name (hashline.md §5). */
const patchNoise =
  /^\*{0,3} *(?:(?:update|add|delete|move)[^\p{L}\p{N}/]*(?:file|to)?[^\p{L}\p{N}/]*: *\*{0,3} *)?/iu;

function fromJson(text: string): string | undefined {
  if (!/^".+"$/s.test(text) || !text.includes("\\")) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fromFileUrl(text: string, cwd: string): string | undefined {
  const match = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(text);
  if (!match) return undefined;
  try {
    const path = decodeURIComponent(match[1]!);
    return isWindows(cwd) ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
  } catch {
    return undefined;
  }
}

function isWindows(cwd: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(cwd);
}

/** "" for a relative path. */
function rootOf(path: string, windows: boolean): string {
  if (!windows) return path.startsWith("/") ? "/" : "";
  return /^(?:[A-Za-z]:\/|\/\/[^/]+\/[^/]+\/?|\/)/.exec(path)?.[0] ?? "";
}

function normalize(path: string, root: string): string {
  const kept: string[] = [];
  for (const segment of path.slice(root.length).split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  if (kept.length === 0) return root;
  return (root.endsWith("/") ? root : `${root}/`) + kept.join("/");
}
