import * as v from "valibot";

import { loadConfig } from "../config/load.ts";
import { asAtomicError, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { displayPath, resolvePath, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { convertFile } from "../resources/convert.ts";
import { notRegular } from "../resources/file-errors.ts";
import { findMatchingFiles, type LeftOut, type Searched } from "../resources/matching-files.ts";
import type { TargetPorts } from "../resources/resource.ts";
import { type FileTarget, type ScanTarget, scanTargets } from "../resources/scan-targets.ts";
import { compileGlob, splitGlob } from "../scan/glob.ts";
import { LineMatcher } from "../scan/match-lines.ts";
import { PatternError } from "../scan/pattern-parse.ts";
import { type Plan, planPattern } from "../scan/plan.ts";
import { FileScanner } from "../scan/scan-files.ts";
import type { ThreadTask } from "../scan/scan-thread.ts";
import { searchFile, searchPart } from "../resources/search-text.ts";
import type { SearchedText, TextRow } from "../resources/searched-text.ts";
import type { Seen } from "../session/session.ts";
import { formatCount, formatSize, thousands } from "../text/size.ts";
import { type Call, defineTool, type Rendered } from "../tool.ts";

const wholeNumber = (least: number, most: number) =>
  v.pipe(
    v.number(),
    v.transform(Math.floor),
    v.minValue(least, `must be from ${least} to ${thousands(most)}`),
    v.maxValue(most, `must be from ${least} to ${thousands(most)}`),
  );

const input = v.strictObject({
  pattern: v.pipe(
    v.string(),
    v.description(
      "Regular expression in ripgrep's dialect, taken verbatim; (?i), (?m), (?s) and (?x) work. No look-around, no back-references.",
    ),
  ),
  paths: v.pipe(
    v.optional(v.union([v.string(), v.array(v.string())]), []),
    v.description(
      "Files (a.ts, a.ts:5-16), folders or globs to search; none: the working folder. Several may stand in one argument, apart by commas, semicolons or blanks.",
    ),
  ),
  i: v.pipe(v.optional(v.boolean()), v.description("Ignore case.")),
  case: v.pipe(v.optional(v.boolean()), v.description("Whether case counts; default: it does.")),
  gitignore: v.pipe(
    v.optional(v.boolean(), true),
    v.description("Leave out what .gitignore, .ignore and git's own excludes name."),
  ),
  hidden: v.pipe(
    v.optional(v.boolean(), true),
    v.description("Include names that begin with a dot."),
  ),
  glob: v.pipe(
    v.optional(v.array(v.string()), []),
    v.description(
      "Only files that one of these globs matches, by name or, with a /, by path; with ! before it, none of those.",
    ),
  ),
  mode: v.pipe(
    v.optional(v.picklist(["content", "files", "count"]), "content"),
    v.description("Show the lines, only the paths, or the number of matching lines in each file."),
  ),
  context: v.pipe(
    v.optional(wholeNumber(0, limits.searchContext)),
    v.description("Lines shown before and after each match."),
  ),
  before: v.pipe(
    v.optional(wholeNumber(0, limits.searchContext)),
    v.description("Lines shown before each match; default 1, or search.contextBefore."),
  ),
  after: v.pipe(
    v.optional(wholeNumber(0, limits.searchContext)),
    v.description("Lines shown after each match; default 3, or search.contextAfter."),
  ),
  limit: v.pipe(
    v.optional(wholeNumber(1, limits.searchMostFiles)),
    v.description("Files of one page; default 20, or 50 where only paths or counts are shown."),
  ),
  skip: v.pipe(
    v.nullish(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    v.description("Matching files to pass over: the next page's number is in the answer."),
  ),
  offset: v.pipe(
    v.nullish(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    v.description("The same as skip."),
  ),
});

type Input = v.InferOutput<typeof input>;
type Ports = TargetPorts & Pick<Host, "clock" | "threads">;

/** One file or part, as it is shown. */
interface Block {
  /** "src/": shown where it is another than the block's before. */
  readonly folder: string;
  /** Undefined: the rows carry the label instead. */
  readonly header: string | undefined;
  readonly label: string;
  readonly rows: readonly TextRow[];
  /** The number of the target that it belongs to. */
  readonly target: number;
}

interface SearchData {
  readonly blocks: readonly Block[];
  /** In place of blocks, in the other modes. */
  readonly lines: readonly string[];
  readonly nothing: string | undefined;
  readonly notices: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

export const search = defineTool({
  name: "search",
  summary: "Search file contents by regular expression, with anchors to edit by",
  description:
    "Searches the contents of files, folders and globs for a regular expression. Each file's matches stand below its header [path#TAG], as rows *LINE:TEXT for a match and LINE:TEXT, indented by a blank, for the lines around it: copy the header and the numbers into `edit`. " +
    "20 files a page, 20 matches a file (200 when one file is named); the answer says what was left out and how to go on (skip). " +
    "Hidden files are searched; what .gitignore names, .git, node_modules, binary files and files over 4 MiB are not, unless named alone. " +
    "A pattern with \\n, or . under (?s), is matched across lines.",
  effect: "read",
  input,
  run,
  render,
  details: ({ details }) => details,
  cli: {
    positional: "pattern",
    rest: "paths",
    placeholder: "PATH",
    short: { i: "i", glob: "g", context: "C", before: "B", after: "A" },
    aliases: ["grep"],
    countsMatches: true,
    pathsFromFile: true,
  },
  examples: [
    { title: "A word in the whole project", input: { pattern: "\\bTODO\\b" } },
    {
      title: "In some folders, whatever the case",
      input: { pattern: "timeout", paths: ["src", "lib"], i: true },
    },
    {
      title: "In lines 100 to 200 of a file",
      input: { pattern: "await", paths: ["a.ts:100-200"] },
    },
    {
      title: "Only the paths",
      input: { pattern: "import .* from", glob: ["*.ts"], mode: "files" },
    },
  ],
});

async function run(request: Input, ports: Ports, call: Call): Promise<SearchData> {
  const plan = makePlan(request);
  const skip = skipOf(request);
  const entries = [request.paths].flat().filter((path) => path.trim() !== "");
  const targets = await scanTargets(
    entries.length === 0 ? ["."] : entries,
    { selectors: true },
    ports,
    call,
  );
  const missing = targets.filter((target) => target.kind === "missing");
  if (missing.length === targets.length) throw nothingThere(missing);
  for (const target of targets) checkTarget(target);
  const page = new Page(request, plan, skip, ports, call);
  return page.of(targets);
}

/** @throws AtomicError `search.pattern_empty`, `search.regex`, `usage.input` */
function makePlan({ pattern, i, case: cased }: Input): Plan {
  if (pattern.trim() === "") {
    throw new AtomicError("search.pattern_empty", "The pattern must not be blank.", {
      hint: "For blanks write \\s, or [ ] for a space.",
    });
  }
  if (i !== undefined && cased !== undefined && i === cased) {
    throw new AtomicError(
      "usage.input",
      `i is ${i} and case is ${cased}: they contradict each other.`,
    );
  }
  try {
    return planPattern(pattern, { ignoreCase: i ?? cased === false });
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown;
    throw new AtomicError(
      "search.regex",
      `The pattern ${JSON.stringify(pattern)} cannot be used: ${thrown.message}.`,
      { cause: thrown, data: { pattern } },
    );
  }
}

function skipOf({ skip, offset }: Input): number {
  if (typeof skip === "number" && typeof offset === "number" && skip !== offset) {
    throw new AtomicError(
      "usage.input",
      `skip is ${skip} and offset is ${offset}: they mean the same, give one.`,
    );
  }
  return skip ?? offset ?? 0;
}

function nothingThere(missing: readonly { readonly path: string }[]): AtomicError {
  const paths = missing.map(({ path }) => path);
  const shown = paths.map(showName).join(", ");
  return new AtomicError(
    "search.path_missing",
    paths.length === 1 ? `Path not found: ${shown}` : `None of these paths exists: ${shown}`,
    { data: { missingPaths: paths }, hint: "A glob finds by name: **/NAME." },
  );
}

/** @throws AtomicError `search.range_target`, `search.range_syntax`, `file.not_regular` */
function checkTarget(target: ScanTarget): void {
  if (target.kind === "missing" || target.kind === "folder") return;
  const selected = target.kind === "part" ? target.part : target.located;
  if (selected && (selected.raw || selected.conflicts || selected.cell !== undefined)) {
    throw new AtomicError(
      "search.range_syntax",
      `Cannot search ${showName(target.typed)}: only lines may follow the colon, as in :5-16.`,
      { data: { path: target.typed } },
    );
  }
  if (target.kind === "part") return;
  if (target.stat.kind === "directory") {
    throw new AtomicError(
      "search.range_target",
      `Cannot search lines of ${showName(target.typed)}: line ranges only work on single files.`,
      { data: { path: target.typed } },
    );
  }
  if (target.stat.kind !== "file") throw notRegular(target.typed, target.stat.kind);
}

/** One candidate of the answer: a file of the disk or a part, and in how many lines it matches. */
interface Match {
  readonly name: string;
  readonly count: number;
  readonly target: number;
  text(): Promise<SearchedText>;
}

class Page {
  readonly #request: Input;
  readonly #matcher: LineMatcher;
  readonly #task: ThreadTask;
  readonly #skip: number;
  readonly #ports: Ports;
  readonly #call: Call;
  readonly #notices: string[] = [];

  constructor(request: Input, plan: Plan, skip: number, ports: Ports, call: Call) {
    this.#request = request;
    this.#matcher = new LineMatcher(plan, ports.bytes);
    this.#task = plan.source;
    this.#skip = skip;
    this.#ports = ports;
    this.#call = call;
    this.#notices.push(...plan.repairs);
  }

  async of(targets: readonly ScanTarget[]): Promise<SearchData> {
    const present = targets.filter((target) => target.kind !== "missing");
    const [only] = present;
    const isSingle =
      present.length === 1 &&
      targets.length === 1 &&
      only!.kind !== "folder" &&
      !(only!.kind === "part" && only!.part.members);
    const skip = isSingle ? 0 : this.#skip;
    if (isSingle && this.#skip > 0)
      this.#notices.push("skip pages files and was ignored: only one file was named");
    const size =
      this.#request.limit ??
      (this.#request.mode === "content" ? limits.searchFiles : limits.searchPaths);
    const { matches, searched } = await this.#matches(present, isSingle, skip + size + 1);
    const missingPaths = targets.flatMap((target) =>
      target.kind === "missing" ? [target.path] : [],
    );
    const shown = matches.slice(skip, skip + size);
    const answer =
      this.#request.mode === "content" ? await this.#content(shown, isSingle) : this.#listed(shown);
    const taken = answer.taken;
    const next = skip + taken;
    const hasMore = matches.length > next;
    if (hasMore) this.#tellMore(taken, next, matches, answer.isOverBytes, isSingle);
    if (missingPaths.length > 0) {
      this.#notices.push(`Skipped missing paths: ${missingPaths.map(showName).join(", ")}`);
    }
    this.#tellLeftOut(searched);
    const nothing =
      matches.length === 0
        ? "No matches found"
        : shown.length === 0
          ? `No more results (skip=${skip})`
          : undefined;
    const page = matches.slice(skip, next);
    const fileMatches = Object.fromEntries(page.map(({ name, count }) => [name, count]));
    const matchCount = page.reduce((sum, { count }) => sum + count, 0);
    const data = {
      blocks: answer.blocks,
      lines: answer.lines,
      nothing,
      notices: this.#notices,
    };
    const text = textOf({ ...data, details: {} });
    return {
      ...data,
      details: {
        scopePath: scopeOf(present, this.#call.cwd),
        searchPath: scopeOf(present, this.#call.cwd),
        cwd: this.#call.cwd,
        matchCount,
        fileCount: page.length,
        files: page.map(({ name }) => name),
        fileMatches,
        ...(missingPaths.length > 0 && { missingPaths }),
        displayContent: {
          lines: text === "" ? 0 : text.split("\n").length,
          bytes: new TextEncoder().encode(text).length,
          cutLines: answer.cutLines,
        },
        ...(hasMore && { fileLimitReached: size, nextSkip: next }),
        ...(answer.isFileCut && {
          perFileLimitReached: isSingle ? limits.searchSingleHits : limits.searchFileHits,
        }),
        ...(answer.cutLines > 0 && { linesTruncated: true }),
        ...(searched?.isLate && { timedOut: true }),
        ...(searched &&
          searched.leftOut.length > 0 && {
            leftOut: searched.leftOut.map(({ path, why }) => ({
              path: displayPath(path, this.#call.cwd),
              why,
            })),
          }),
        ...(answer.isOverBytes && {
          truncation: { truncated: true, truncatedBy: "bytes", maxBytes: limits.searchBytes },
        }),
        meta: {
          source: only?.kind === "part" ? only.part.source : isSingle ? "file" : "files",
          ...(isSingle &&
            only && { sourcePath: only.kind === "part" ? only.part.sourcePath : only.path }),
          limits: {
            fileLimit: size,
            perFileLimit: isSingle ? limits.searchSingleHits : limits.searchFileHits,
            lineLimit: limits.searchRow,
          },
          ...(answer.isOverBytes && {
            truncation: { truncated: true, truncatedBy: "bytes", maxBytes: limits.searchBytes },
          }),
        },
      },
    };
  }

  /** All that match, in order, as far as `wanted`. */
  async #matches(
    targets: readonly ScanTarget[],
    isSingle: boolean,
    wanted: number,
  ): Promise<{ readonly matches: readonly Match[]; readonly searched: Searched | undefined }> {
    const apart: Match[] = [];
    const files: string[] = [];
    const folders: { path: string; glob: (ScanTarget & { kind: "folder" })["glob"] }[] = [];
    for (const [index, target] of targets.entries()) {
      if (target.kind === "part") {
        this.#notices.push(...target.part.notes.map((note) => note.replace(/^\[|\]$/g, "")));
        for (const part of target.part.members ?? [target.part]) {
          const text = searchPart(part, this.#matcher, this.#ports);
          if (text.notice !== undefined && isSingle) this.#notices.push(text.notice);
          if (text.hits.length === 0) continue;
          const { display: name, hits } = text;
          apart.push({ name, count: hits.length, target: index, text: async () => text });
        }
      } else if (target.kind === "folder") folders.push(target);
      else if (target.kind === "file" && (isSingle || target.located?.ranges)) {
        const text = await this.#open(target, isSingle);
        if (text.notice !== undefined) this.#notices.push(text.notice);
        if (text.hits.length > 0) {
          const count = text.hits.length;
          apart.push({ name: text.display, count, target: index, text: async () => text });
        }
      } else if (target.kind === "file") files.push(target.path);
    }
    if (folders.length + files.length === 0) return { matches: apart, searched: undefined };
    const { cwd, signal, progress } = this.#call;
    const globs = this.#request.glob;
    const scanner = new FileScanner(this.#matcher, this.#ports, convertFile);
    const searched = await findMatchingFiles(
      { folders, files },
      {
        wanted,
        gitignore: this.#request.gitignore,
        hidden: this.#request.hidden,
        only: globs.filter((text) => !isExclusion(text)).map((text) => globFilter(text, cwd)),
        not: globs.filter(isExclusion).map((text) => globFilter(text.slice(1), cwd)),
        deadline: this.#ports.clock.now() + limits.searchTime,
        signal,
        ...(progress && { progress }),
      },
      scanner,
      this.#task,
      this.#ports,
    );
    const found = searched.files.map(({ path, count }): Match => ({
      name: displayPath(path, cwd),
      count,
      target: targetOf(path, targets),
      text: () => searchFile({ path, matcher: this.#matcher }, this.#ports, this.#call),
    }));
    const matches = apart.length === 0 ? found : [...apart, ...found].toSorted(byName);
    return { matches, searched };
  }

  #open({ path, located }: FileTarget, isAlone: boolean): Promise<SearchedText> {
    return searchFile(
      { path, matcher: this.#matcher, ...(located && { located }), isAlone },
      this.#ports,
      this.#call,
    );
  }

  async #content(matches: readonly Match[], isSingle: boolean): Promise<Answer> {
    const context = await this.#context();
    const most = isSingle ? limits.searchSingleHits : limits.searchFileHits;
    const blocks: (Block & { readonly seen: Seen | undefined })[] = [];
    let bytes = 0;
    let taken = 0;
    let cutLines = 0;
    let isFileCut = false;
    let isOverBytes = false;
    for (const match of matches) {
      const text = await match.text();
      // It changed since it was looked through.
      if (text.hits.length === 0) {
        taken++;
        continue;
      }
      const { rows, cut } = text.rows(most, context);
      const size = rows.reduce((sum, row) => sum + row.text.length + 8, 0);
      if (bytes > 0 && bytes + size > limits.searchBytes) {
        isOverBytes = true;
        break;
      }
      let kept = rows;
      if (size > limits.searchBytes) {
        isOverBytes = true;
        kept = withinBytes(rows, limits.searchBytes);
        this.#notices.push(
          `${limits.searchBytes / 1024} KiB limit: only the first ${formatCount(kept.length, "row", "rows")} of ${showName(text.display)}; narrow the pattern or the lines`,
        );
      }
      bytes += size;
      taken++;
      cutLines += cut;
      if (text.hits.length > most) {
        isFileCut = true;
        this.#notices.push(
          `${thousands(text.hits.length - most)} more ${text.hits.length - most === 1 ? "match" : "matches"} in ${showName(text.display)}`,
        );
      }
      blocks.push({
        folder: text.isLabelled ? "" : text.display.slice(0, text.display.lastIndexOf("/") + 1),
        header: text.isLabelled ? undefined : text.display,
        label: text.display,
        rows: kept,
        target: match.target,
        seen: text.seen,
      });
    }
    if (cutLines > 0) {
      this.#notices.push(`Some lines were cut at ${limits.searchRow} characters`);
    }
    const tags = await this.#record(blocks.flatMap(({ seen }) => (seen ? [seen] : [])));
    return {
      blocks: blocks.map(({ seen, header, ...block }) => ({
        ...block,
        header:
          header === undefined
            ? undefined
            : seen && tags
              ? `[${showName(header)}#${seen.tag}]`
              : `[${showName(header)}]`,
      })),
      lines: [],
      taken,
      cutLines,
      isFileCut,
      isOverBytes,
    };
  }

  #listed(matches: readonly Match[]): Answer {
    const isCount = this.#request.mode === "count";
    const lines = matches.map(({ name, count }) =>
      isCount ? `${showName(name)}:${count}` : showName(name),
    );
    return {
      blocks: [],
      lines,
      taken: matches.length,
      cutLines: 0,
      isFileCut: false,
      isOverBytes: false,
    };
  }

  async #context(): Promise<{ readonly before: number; readonly after: number }> {
    const { context, before = context, after = context } = this.#request;
    if (before !== undefined && after !== undefined) return { before, after };
    const { cwd, notice } = this.#call;
    const config = await loadConfig(
      { cwd, workspace: await this.#call.workspace() },
      this.#ports,
      notice,
    );
    const set = config.layers.map(({ values }) => values.search);
    return {
      before:
        before ??
        set.find((one) => one?.contextBefore !== undefined)?.contextBefore ??
        limits.contextBefore,
      after:
        after ??
        set.find((one) => one?.contextAfter !== undefined)?.contextAfter ??
        limits.contextAfter,
    };
  }

  /** @returns whether the session knows them now: a tag that it does not know is worth nothing */
  async #record(seen: readonly Seen[]): Promise<boolean> {
    if (seen.length === 0) return false;
    try {
      const session = await this.#call.session();
      await session.recordAll(seen);
      return true;
    } catch (thrown) {
      const error = asAtomicError(thrown);
      if (error.code === "aborted") throw error;
      this.#call.notice(
        `These files were not recorded, so they are shown without tags and cannot be edited by them: ${error.message}`,
      );
      return false;
    }
  }

  #tellMore(
    taken: number,
    next: number,
    matches: readonly Match[],
    isOverBytes: boolean,
    isSingle: boolean,
  ): void {
    if (isSingle) return;
    const why = isOverBytes ? `${limits.searchBytes / 1024} KiB limit` : "More files match";
    const counted = matches.reduce((sum, { count }) => sum + count, 0);
    const advice =
      counted >= limits.searchCollection
        ? `; there are over ${thousands(limits.searchCollection)} matches, so narrow the pattern or the paths`
        : "";
    this.#notices.push(
      `${why}: ${formatCount(taken, "file", "files")} shown, continue with skip=${next}${advice}`,
    );
  }

  #tellLeftOut(searched: Searched | undefined): void {
    if (!searched) return;
    const { cwd } = this.#call;
    const groups = Map.groupBy(searched.leftOut, ({ why }) => why);
    for (const [why, left] of groups) {
      this.#notices.push(
        `${leftOutText[why]}: ${someNames(
          left.map(({ path }) => path),
          cwd,
        )}`,
      );
    }
    if (searched.unreadableFolders.length > 0) {
      this.#notices.push(
        `Folders that could not be listed: ${someNames(searched.unreadableFolders, cwd)}`,
      );
    }
    if (searched.isLate) {
      this.#notices.push(
        `Timed out after ${limits.searchTime / 1000}s: only ${formatCount(searched.looked, "file was", "files were")} searched; narrow the paths`,
      );
    }
  }
}

function byName({ name: a }: Match, { name: b }: Match): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface Answer {
  readonly blocks: readonly Block[];
  readonly lines: readonly string[];
  /** How many of the matches are in it. */
  readonly taken: number;
  readonly cutLines: number;
  readonly isFileCut: boolean;
  readonly isOverBytes: boolean;
}

const leftOutText: Readonly<Record<LeftOut["why"], string>> = {
  tooLarge: `Not searched, since larger than ${formatSize(limits.searchedFile)} (name one alone to search it)`,
  tooSlow: "The pattern timed out on",
  unreadable: "Not searched, since they could not be read",
  special: "Not searched, since they are no regular files",
  binary: "Not searched, since binary",
};

function someNames(paths: readonly string[], cwd: string): string {
  const shown = paths.slice(0, 5).map((path) => showName(displayPath(path, cwd)));
  const more = paths.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${thousands(more)} more` : ""}`;
}

/** As ripgrep has it; `!(a|b)` is a glob of its own. */
function isExclusion(glob: string): boolean {
  return /^!(?!\()./.test(glob);
}

function globFilter(text: string, cwd: string) {
  const { base, pattern } = splitGlob(text);
  const folder = resolvePath(base === "" ? "." : base, cwd);
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  // A plain name is a glob that only that name matches.
  if (pattern === undefined) return { base: "", glob: compileGlob(`**/${text}`, true) };
  return base === "" && !pattern.includes("/")
    ? { base: "", glob: compileGlob(`**/${pattern}`, true) }
    : { base: prefix, glob: compileGlob(pattern, true) };
}

function targetOf(path: string, targets: readonly ScanTarget[]): number {
  const index = targets.findIndex(
    (target) =>
      (target.kind === "file" && target.path === path) ||
      (target.kind === "folder" &&
        path.startsWith(target.path.endsWith("/") ? target.path : `${target.path}/`)),
  );
  return Math.max(0, index);
}

function scopeOf(targets: readonly ScanTarget[], cwd: string): string {
  const names = targets.map((target) =>
    target.kind === "part"
      ? target.part.display
      : displayPath((target as { path: string }).path, cwd),
  );
  return [...new Set(names)].join(", ");
}

function withinBytes(rows: readonly TextRow[], most: number): readonly TextRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.text.length + 8) > most);
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

function render(data: SearchData): Rendered {
  return { text: textOf(data) };
}

function textOf({ blocks, lines, nothing, notices }: SearchData): string {
  const out: string[] = [];
  if (nothing !== undefined) out.push(nothing);
  out.push(...lines);
  let folder = "";
  let target: number | undefined;
  for (const block of blocks) {
    if (target !== undefined && block.target !== target) out.push("");
    target = block.target;
    if (block.folder !== folder && block.folder !== "") out.push(`# ${showName(block.folder)}`);
    folder = block.folder;
    if (block.header !== undefined) out.push(block.header);
    for (const { line, name = line, isHit, text } of block.rows) {
      if (block.header !== undefined) out.push(`${isHit ? "*" : " "}${line}:${text}`);
      else {
        const mark = isHit ? ":" : "-";
        out.push(`${showName(block.label)}${mark}${name}${mark} ${text}`);
      }
    }
  }
  if (notices.length > 0) {
    if (out.length > 0) out.push("");
    for (const notice of notices) out.push(`[${notice}]`);
  }
  return out.join("\n");
}
