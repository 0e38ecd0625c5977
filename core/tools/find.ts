import * as v from "valibot";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { displayPath, resolvePath, showName } from "../paths.ts";
import { type FileKind, FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { type FolderTarget, type ScanTarget, scanTargets } from "../resources/scan-targets.ts";
import type { TargetPorts } from "../resources/resource.ts";
import { readFailure } from "../resources/file-errors.ts";
import { FolderGlobs } from "../scan/glob-walk.ts";
import { prunedFolders, walk } from "../scan/walk.ts";
import { toStored } from "../text/encoding.ts";
import { formatCount, thousands } from "../text/size.ts";
import { type Call, defineTool, type Rendered } from "../tool.ts";

const input = v.strictObject({
  paths: v.pipe(
    v.array(v.string()),
    v.minLength(1, "At least one path is needed."),
    v.description(
      "Files, folders or globs (**/*.ts, src/{a,b}/*.json). A folder means everything below it. A glob without a / is about the name, at any depth; with one it counts from the working folder.",
    ),
  ),
  hidden: v.pipe(
    v.optional(v.boolean(), true),
    v.description("Include names that begin with a dot."),
  ),
  gitignore: v.pipe(
    v.optional(v.boolean(), true),
    v.description("Leave out what .gitignore, .ignore and git's own excludes name."),
  ),
  limit: v.pipe(
    v.optional(
      v.pipe(
        v.number(),
        v.integer("must be a whole number"),
        v.minValue(1, `must be a whole number from 1 to ${thousands(limits.findMost)}`),
        v.maxValue(
          limits.findMost,
          `must be a whole number from 1 to ${thousands(limits.findMost)}`,
        ),
      ),
      limits.findResults,
    ),
    v.description("Most paths to return."),
  ),
  timeout: v.pipe(
    v.optional(
      v.pipe(
        v.number(),
        v.minValue(0.5, "must be a number of seconds from 0.5 to 60"),
        v.maxValue(60, "must be a number of seconds from 0.5 to 60"),
      ),
      limits.findTime / 1000,
    ),
    v.description("Seconds after which what was found so far is returned."),
  ),
  sort: v.pipe(
    v.optional(v.picklist(["path", "modified"]), "path"),
    v.description("The order: by path, or newest first, which has to look at everything."),
  ),
  tree: v.pipe(
    v.optional(v.boolean(), false),
    v.description("Show names below a row for each folder, instead of whole paths."),
  ),
});

type Input = v.InferOutput<typeof input>;
type Ports = TargetPorts & Pick<Host, "clock">;

/** Relative to the working folder where inside it, else absolute; a folder ends in "/". */
type Found = string;

interface FindData {
  readonly form: "lines" | "tree" | "nul";
  /** Relative to the working folder where inside it; folders end in "/". */
  readonly files: readonly string[];
  /** On the command line they are told beside the text, so that it holds nothing but paths. */
  readonly notices: readonly string[];
  readonly bracket: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

export const find = defineTool({
  name: "find",
  summary: "List files and folders by path or glob",
  description:
    "Lists files and folders by path or glob, one path a line, in path order, relative to the working folder, ready to be arguments of other tools. " +
    "Hidden files are included; what .gitignore files name is left out, and so are .git and node_modules unless a path or glob names them. " +
    "A folder means everything below it. `*` stays within a folder, `**` does not; braces {a,b}, {1..9} and extglobs !(a|b) work. " +
    "At most 200 paths by default; the answer says when there are more. Links are listed, never followed.",
  effect: "read",
  input,
  run,
  render,
  details: ({ details }) => details,
  cli: {
    rest: "paths",
    fallback: ["."],
    placeholder: "PATH",
    aliases: ["glob"],
    options: ["nulSeparated"],
    streams: true,
    countsMatches: true,
  },
  examples: [
    { title: "TypeScript files at any depth", input: { paths: ["*.ts"] } },
    { title: "Everything below two folders", input: { paths: ["src", "docs"] } },
    { title: "By folder and name", input: { paths: ["src/**/{index,main}.ts"] } },
    { title: "The newest ten", input: { paths: ["."], sort: "modified", limit: 10 } },
  ],
});

async function run(request: Input, ports: Ports, call: Call): Promise<FindData> {
  const blank = request.paths.find((path) => path.trim() === "");
  if (blank !== undefined) {
    throw new AtomicError("find.empty_entry", "A path to find must not be empty.", {
      hint: "Name a file, a folder or a glob; the working folder is a dot.",
    });
  }
  const targets = await scanTargets(request.paths, { selectors: false }, ports, call);
  const missing = targets.filter((target) => target.kind === "missing");
  if (missing.length === targets.length) throw nothingThere(missing);
  const search = new Finder(request, ports, call);
  await search.all(targets);
  return search.result(targets, missing);
}

function nothingThere(missing: readonly { readonly path: string }[]): AtomicError {
  const paths = missing.map(({ path }) => path);
  const shown = paths.map(showName).join(", ");
  return new AtomicError(
    "find.path_missing",
    paths.length === 1 ? `Path not found: ${shown}` : `None of these paths exists: ${shown}`,
    { data: { missingPaths: paths }, hint: "A glob finds by name: find '**/NAME'." },
  );
}

/** One call: what it has found so far, and why it stopped. */
class Finder {
  readonly #request: Input;
  readonly #ports: Ports;
  readonly #call: Call;
  readonly #deadline: number;
  readonly #unreadable: { path: string; code: string }[] = [];
  /** Of what is neither a file nor a folder. */
  readonly #kinds = new Map<Found, FileKind>();
  #found: Found[] = [];
  #emitted = 0;
  #isLate = false;
  #isCut = false;
  #isOnly = true;

  constructor(request: Input, ports: Ports, call: Call) {
    this.#request = request;
    this.#ports = ports;
    this.#call = call;
    this.#deadline = ports.clock.now() + request.timeout * 1000;
  }

  async all(targets: readonly ScanTarget[]): Promise<void> {
    const { sort, limit } = this.#request;
    const roots = Map.groupBy(
      targets.filter((target) => target.kind === "folder"),
      ({ path }) => path,
    );
    const files = targets.filter((target) => target.kind === "file");
    for (const { path, stat } of files) this.#add(displayPath(path, this.#call.cwd), stat.kind);
    this.#isOnly = roots.size + files.length === 1;
    const isInOrder = roots.size + files.length === 1 && sort === "path";
    for (const [root, folders] of roots) await this.#walk(root, folders, isInOrder);
    // Several walks as one, each path once.
    // oxlint-disable-next-line require-array-sort-compare -- by code units
    if (roots.size + files.length > 1) this.#found = [...new Set(this.#found)].sort();
    if (sort === "modified") await this.#newestFirst();
    if (this.#found.length > limit) {
      this.#isCut = true;
      this.#found.length = limit;
    }
    await this.#emitNew();
  }

  #add(found: Found, kind: FileKind): void {
    this.#found.push(found);
    if (kind !== "file" && kind !== "directory") this.#kinds.set(found, kind);
  }

  async #walk(root: string, folders: readonly FolderTarget[], isInOrder: boolean): Promise<void> {
    const request = this.#request;
    const call = this.#call;
    const globs = new FolderGlobs(folders.map(({ glob }) => glob));
    const named = new Set(prunedFolders.filter((name) => globs.names(name, root)));
    const top = folderPrefix(root, call.cwd);
    const most = request.sort === "modified" ? Infinity : request.limit + 1;
    let count = 0;
    let looked = 0;
    try {
      const { end, unreadable } = await walk(
        {
          root,
          gitignore: request.gitignore,
          hidden: request.hidden,
          named,
          signal: call.signal,
          deadline: this.#deadline,
        },
        this.#ports,
        {
          entry: (folder, name, kind) => {
            looked++;
            const isFolder = kind === "directory";
            const found = globs.at(folder, name, isFolder);
            if (found.matches) {
              this.#add(isFolder ? `${top}${folder}${name}/` : top + folder + name, kind);
              if (++count >= most) return "stop";
            }
            return isFolder && found.mayContain ? "enter" : "skip";
          },
          pause: () => {
            call.progress?.(
              () => `${thousands(looked)} entries, ${thousands(this.#found.length)} found`,
            );
            return call.emit && isInOrder ? this.#emitNew() : undefined;
          },
        },
      );
      if (end === "timed out") this.#isLate = true;
      for (const { path, code } of unreadable) this.#unreadable.push({ path: top + path, code });
    } catch (thrown) {
      // One of several: what the others hold is still to be had.
      if (!(thrown instanceof FsError) || this.#isOnly) throw readFailure(root, thrown);
      this.#unreadable.push({ path: displayPath(root, call.cwd), code: thrown.code });
    }
  }

  async #newestFirst(): Promise<void> {
    const dated: { readonly found: Found; readonly modified: number }[] = [];
    for (const found of this.#found) {
      let modified = 0;
      try {
        const stat = await this.#ports.fs.lstat(resolvePath(found, this.#call.cwd));
        modified = stat?.modified ?? 0;
      } catch (thrown) {
        if (!(thrown instanceof FsError)) throw thrown;
      }
      dated.push({ found, modified });
      if (dated.length % 1024 === 0) {
        this.#call.signal.throwIfAborted();
        if (this.#ports.clock.now() > this.#deadline) {
          this.#isLate = true;
          break;
        }
      }
    }
    // The sort is stable, so that what is equally new stays in path order.
    this.#found = dated.sort((a, b) => b.modified - a.modified).map(({ found }) => found);
  }

  /** Within the limit; what comes after it only shows that there is more. */
  async #emitNew(): Promise<void> {
    const { emit } = this.#call;
    if (!emit) return;
    const end = Math.min(this.#found.length, this.#request.limit);
    for (; this.#emitted < end; this.#emitted++) {
      const path = this.#found[this.#emitted]!;
      const kind = path.endsWith("/") ? "directory" : (this.#kinds.get(path) ?? "file");
      await emit({ path, kind });
    }
  }

  result(targets: readonly ScanTarget[], missing: readonly { readonly path: string }[]): FindData {
    const { limit, tree, timeout } = this.#request;
    const { cwd, options } = this.#call;
    const all = this.#found;
    const { kept: files, isCut: isOverBytes } = options.unlimited
      ? { kept: all, isCut: false }
      : withinBytes(all);
    const missingPaths = missing.map(({ path }) => path);
    const notices: string[] = [];
    if (this.#isCut) {
      notices.push(
        `Limit reached: the first ${formatCount(limit, "result is", "results are")} shown, there are more (raise limit, or narrow the paths)`,
      );
    }
    if (this.#isLate) {
      notices.push(
        `Timed out after ${timeout}s, ${formatCount(files.length, "partial result", "partial results")}`,
      );
    }
    if (missingPaths.length > 0) {
      notices.push(`Skipped missing paths: ${missingPaths.map(showName).join(", ")}`);
    }
    if (this.#unreadable.length > 0) notices.push(unreadableText(this.#unreadable));
    if (isOverBytes) notices.push(`${limits.findBytes / 1024} KiB limit reached`);
    if (options.unlimited) for (const notice of notices) this.#call.notice(notice);
    const isPartial = this.#isCut || this.#isLate || isOverBytes;
    const roots = targets.flatMap((target) =>
      target.kind === "folder" || target.kind === "file" ? [displayPath(target.path, cwd)] : [],
    );
    return {
      form: options.nulSeparated ? "nul" : tree ? "tree" : "lines",
      files,
      notices,
      bracket: !options.unlimited,
      details: {
        scopePath: [...new Set(roots)].join(", "),
        fileCount: files.length,
        files,
        ...(this.#isCut && { resultLimitReached: limit }),
        ...(this.#isLate && { timedOut: true }),
        ...(isPartial && { truncated: true }),
        ...(isOverBytes && {
          truncation: {
            truncated: true,
            truncatedBy: "bytes",
            totalLines: all.length,
            outputLines: files.length,
            maxBytes: limits.findBytes,
          },
        }),
        ...(missingPaths.length > 0 && { missingPaths, skippedMissingPaths: missingPaths }),
        ...(this.#unreadable.length > 0 && { unreadable: this.#unreadable }),
        meta: { limits: { resultLimit: limit } },
      },
    };
  }
}

/** What stands before the names of a folder's entries. */
function folderPrefix(folder: string, cwd: string): string {
  const shown = displayPath(folder, cwd);
  if (shown === ".") return "";
  return shown.endsWith("/") ? shown : `${shown}/`;
}

function unreadableText(
  unreadable: readonly { readonly path: string; readonly code: string }[],
): string {
  const shown = unreadable.slice(0, 3).map(({ path, code }) => `${showName(path)} (${code})`);
  const more = unreadable.length - shown.length;
  return `Folders that could not be listed: ${shown.join(", ")}${more > 0 ? ` and ${thousands(more)} more` : ""}`;
}

function withinBytes(all: readonly string[]): {
  readonly kept: readonly string[];
  readonly isCut: boolean;
} {
  let bytes = 0;
  for (let i = 0; i < all.length; i++) {
    bytes += new TextEncoder().encode(all[i]).length + 1;
    if (bytes > limits.findBytes) return { kept: all.slice(0, i), isCut: true };
  }
  return { kept: all, isCut: false };
}

function render({ form, files, notices, bracket }: FindData): Rendered {
  if (form === "nul") {
    return { bytes: toStored(files.length === 0 ? "" : `${files.join("\0")}\0`) };
  }
  const rows =
    files.length === 0
      ? ["No files found"]
      : form === "tree"
        ? treeRows(files)
        : files.map((file) => showName(file));
  if (bracket && notices.length > 0) rows.push("", `[${notices.join(". ")}]`);
  return { text: rows.join("\n") };
}

/** A row "# folder/" where the folder changes, and the names in it. */
function treeRows(files: readonly string[]): string[] {
  const rows: string[] = [];
  let last = "";
  for (const file of files) {
    const at = file.lastIndexOf("/", file.length - 2) + 1;
    const folder = file.slice(0, at);
    if (folder !== last) rows.push(`# ${showName(folder)}`);
    last = folder;
    rows.push(showName(file.slice(at)));
  }
  return rows;
}
