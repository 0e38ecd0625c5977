// The only place that asks the disk which reading of a target is meant.

import { AtomicError } from "../errors.ts";
import {
  candidatePaths,
  macNames,
  resolvePath,
  showName,
  spellings,
  type Where,
} from "../paths.ts";
import { type FileStat, type Fs, FsError } from "../ports/fs.ts";
import {
  type PathReading,
  parseSelector,
  pathReadings,
  readModifiers,
  type SchemeSelector,
} from "../selectors/parse.ts";
import { confine, confineName, type Root, workspaceRoot } from "./confine.ts";
import type { Container, ContainerFile, ContainerKind } from "./container.ts";
import { containerKinds, splitContainers } from "./containers.ts";
import { readFailure } from "./file-errors.ts";
import type { Contents, Part, Resource, TargetCall, TargetPorts } from "./resource.ts";
import { schemeHandlers } from "./schemes.ts";

interface Hit {
  readonly path: string;
  readonly stat: FileStat;
}

interface Candidate {
  readonly path: string;
  readonly reading: PathReading;
  /** The readings that take more off the end of the same spelling. */
  readonly deeper: readonly PathReading[];
}

/**
 * Finds what a read target means (tools.md §2.2): the literal name first, then what is inside a container of that name, then
 * both again with trailing modifiers (`raw`, line ranges) taken off right to left; only then the same with decorations
 * (quotes, "@", "~" …) undone. Only `local://` and `skill://` targets and containers are held to their folder.
 * @throws AtomicError `file.not_found`, `file.unreadable`, `selector.line`, `selector.escape`, `read.no_handler`, and what the
 * container throws
 */
export async function locate(
  target: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Resource> {
  const selector = parseSelector(target);
  if (selector.kind === "scheme") return locateScheme(target, selector, ports, call);
  const where = { cwd: call.cwd, home: ports.env.home };
  const search = new Search(ports, call);
  try {
    const found = await search.first(candidates(target, selector.readings, where), (candidate) =>
      ambiguity(candidate, search.probe, where),
    );
    if (found) return found;
  } finally {
    await search.close();
  }
  if (search.missing) return search.missed(search.missing);
  if (search.probe.failure) throw readFailure(target, search.probe.failure);
  throw await notFound(target, selector.readings, ports.fs, where);
}

async function locateScheme(
  target: string,
  { scheme, rest }: SchemeSelector,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Resource> {
  const handler = schemeHandlers.get(scheme);
  if (!handler) throw noHandler(target, scheme);
  const opened = await handler(rest, target, ports, call);
  if (opened.kind !== "places") return opened;
  const search = new Search(ports, call);
  try {
    for (const { root, readings } of opened.places) {
      const found = await search.first(inside(root, readings), async () => undefined, root);
      if (found) return found;
    }
  } finally {
    await search.close();
  }
  if (search.missing) return search.missed(search.missing);
  if (search.probe.failure) throw readFailure(target, search.probe.failure);
  for (const { root, readings } of opened.places) {
    const link = await danglingLink(readings, ports.fs, { cwd: root.path, home: undefined });
    if (link === "") continue;
    throw new AtomicError("file.not_found", `File not found: ${showName(target)}${link}`, {
      data: { path: target },
    });
  }
  throw await opened.notFound();
}

/** One search for what a target means: what it asked the disk and opened on the way. */
class Search {
  readonly probe: Probe;
  /** What the first container that was met says of what it does not have. */
  missing: AtomicError | Part | (() => AtomicError) | undefined;
  readonly #ports: TargetPorts;
  readonly #call: TargetCall;
  readonly #opened = new Map<string, Container | undefined>();

  constructor(ports: TargetPorts, call: TargetCall) {
    this.probe = new Probe(ports.fs);
    this.#ports = ports;
    this.#call = call;
  }

  async first(
    candidates: Iterable<Candidate>,
    noteOn: (candidate: Candidate) => Promise<string | undefined>,
    root?: Root,
  ): Promise<Resource | undefined> {
    for (const candidate of candidates) {
      const { path: typed, modifiers } = candidate.reading;
      // Whether there is anything outside is nobody's business either.
      if (root) await confineName(root, candidate.path, typed, this.#ports.fs);
      const hit = await this.probe.at(candidate.path);
      if (hit) {
        if (root) await confine(root, hit.path, typed, this.#ports.fs);
        const selected = readModifiers(modifiers);
        const listed = selected.raw
          ? undefined
          : await this.#inside(hit, candidate.reading, "", root);
        if (listed) return { kind: "part", ...selected, ...listed };
        const note = await noteOn(candidate);
        return { kind: "path", ...hit, ...selected, typed, note, root };
      }
      for (const { file, inner } of splitContainers(typed)) {
        const container = await this.probe.at(resolvePath(file, root?.path ?? this.#call.cwd));
        if (container?.stat.kind !== "file") continue;
        const named = { path: file, modifiers };
        const found = await this.#inside(container, named, inner, root);
        if (found) return { kind: "part", ...readModifiers(modifiers), ...found };
      }
    }
    return undefined;
  }

  /** @param inner what follows the file's name, with its delimiter; "" for the container as a whole */
  async #inside(
    file: Hit,
    { path: typed, modifiers }: PathReading,
    inner: string,
    root: Root | undefined,
  ): Promise<Contents | undefined> {
    for (const kind of containerKinds) {
      if (!kind.names(file.path)) continue;
      const key = `${kind.name} ${file.path}`;
      if (!this.#opened.has(key)) {
        this.#opened.set(key, await this.#open(kind, { ...file, typed }, root));
      }
      const part = await this.#opened.get(key)?.part(inner, modifiers);
      if (part instanceof AtomicError || typeof part === "function") this.missing ??= part;
      else if (part?.absent) this.missing = { kind: "part", ...plainly(modifiers), ...part };
      else if (part) return part;
    }
    return undefined;
  }

  async #open(
    kind: ContainerKind,
    file: ContainerFile,
    root: Root | undefined,
  ): Promise<Container | undefined> {
    if (!(await kind.claims(file, this.#ports, this.#call))) return undefined;
    const confined = root ?? (await workspaceRoot(kind.name, this.#call));
    await confine(confined, file.path, file.typed, this.#ports.fs);
    return kind.open(file, confined, this.#ports, this.#call);
  }

  missed(missing: AtomicError | Part | (() => AtomicError)): Part {
    if (typeof missing === "function") throw missing();
    if (missing instanceof AtomicError) throw missing;
    return missing;
  }

  async close(): Promise<void> {
    for (const container of this.#opened.values()) await container?.close();
  }
}

/** Of what is not there no lines can be chosen. */
function plainly(modifiers: readonly string[]): Pick<Part, "raw" | "ranges"> {
  return { raw: modifiers.some((each) => /^raw$/i.test(each)), ranges: undefined };
}

function* inside(root: Root, readings: readonly PathReading[]): Generator<Candidate> {
  for (const [i, reading] of readings.entries()) {
    const path = resolvePath(reading.path, root.path);
    yield { path, reading, deeper: readings.slice(i + 1) };
  }
}

/**
 * Finds the file that a path argument without selectors names, literal first.
 * @throws AtomicError `file.unreadable` where a spelling could not be looked at and no other exists
 */
export async function findPath(authored: string, fs: Fs, where: Where): Promise<Hit | undefined> {
  const probe = new Probe(fs);
  for (const path of candidatePaths(authored, where)) {
    const hit = await probe.at(path);
    if (hit) return hit;
  }
  if (probe.failure) throw readFailure(authored, probe.failure);
  return undefined;
}

/**
 * Finds the file that a local:// or skill:// target without selectors names, for a tool that changes files.
 * @returns undefined for any other text
 * @throws AtomicError `selector.escape`, and `file.not_found` where there is none
 */
export async function findInternal(
  target: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Hit | undefined> {
  const selector = parseSelector(target);
  if (selector.kind !== "scheme" || !changeable.has(selector.scheme)) return undefined;
  const opened = await schemeHandlers.get(selector.scheme)!(selector.rest, target, ports, call);
  if (opened.kind !== "places") return undefined;
  const probe = new Probe(ports.fs);
  for (const { root, readings } of opened.places) {
    for (const { path: typed, modifiers } of readings) {
      if (modifiers.length > 0) continue;
      const hit = await probe.at(resolvePath(typed, root.path));
      if (!hit) continue;
      await confine(root, hit.path, typed, ports.fs);
      return hit;
    }
  }
  if (probe.failure) throw readFailure(target, probe.failure);
  throw await opened.notFound();
}

/** Schemes whose targets are users' files. */
const changeable: ReadonlySet<string> = new Set(["local", "skill"]);

/** Asks each path once. A path that cannot be looked at counts as absent, but the first such failure is kept. */
class Probe {
  readonly #fs: Fs;
  readonly #asked = new Map<string, FileStat | undefined>();
  failure: FsError | undefined;

  constructor(fs: Fs) {
    this.#fs = fs;
  }

  async at(path: string): Promise<Hit | undefined> {
    if (!this.#asked.has(path)) this.#asked.set(path, await this.#stat(path));
    const stat = this.#asked.get(path);
    return stat && { path, stat };
  }

  async #stat(path: string): Promise<FileStat | undefined> {
    if (path.includes("\0")) return undefined;
    try {
      return await this.#fs.stat(path);
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      this.failure ??= thrown;
      return undefined;
    }
  }
}

/** In the order in which they are to be tried. */
function* candidates(
  target: string,
  literal: readonly PathReading[],
  where: Where,
): Generator<Candidate> {
  const all = spellings(target, where);
  for (const spelling of all) {
    const readings = pathReadings(spelling);
    for (const [i, reading] of readings.entries()) {
      const path = resolvePath(reading.path, where.cwd);
      yield { path, reading, deeper: readings.slice(i + 1) };
    }
  }
  // Decorations inside a selector, as in "a.txt":5-9.
  for (const reading of literal) {
    for (const path of spellings(reading.path, where).slice(1)) {
      yield {
        path: resolvePath(path, where.cwd),
        reading: { ...reading, path },
        deeper: [],
      };
    }
  }
  for (const reading of pathReadings(all.at(-1)!)) {
    for (const path of macNames(reading.path)) {
      yield {
        path: resolvePath(path, where.cwd),
        reading: { ...reading, path },
        deeper: [],
      };
    }
  }
}

async function ambiguity(
  { reading, deeper }: Candidate,
  probe: Probe,
  where: Where,
): Promise<string | undefined> {
  const taken = showName(reading.path);
  for (const other of deeper) {
    if (!isValid(other) || !(await probe.at(resolvePath(other.path, where.cwd)))) continue;
    const way = await wayTo(other, probe, where);
    return `${taken} exists under that very name and was read as such. ${way}`;
  }
  return undefined;
}

/** A spelling of the same selector that is not the name of a file. */
async function wayTo(other: PathReading, probe: Probe, where: Where): Promise<string> {
  const name = showName(other.path);
  const at = other.modifiers.findIndex((modifier) => /\d/.test(modifier));
  if (at === -1) return `For the raw bytes of ${name}, read ${name} with --raw (raw: true).`;
  const bare = other.modifiers[at]!.replace(/^[lL]/, "");
  for (const range of [bare, `L${bare}`, `l${bare}`]) {
    const target = [other.path, ...other.modifiers.with(at, range)].join(":");
    if (await probe.at(resolvePath(target, where.cwd))) continue;
    return `For the lines of ${name}, read "${showName(target)}".`;
  }
  return `For the lines of ${name}, read ${name} as a whole.`;
}

function isValid({ modifiers }: PathReading): boolean {
  try {
    readModifiers(modifiers);
    return true;
  } catch {
    return false;
  }
}

function noHandler(target: string, scheme: string): AtomicError {
  const known = [...schemeHandlers.keys()].map((name) => `${name}://`);
  const what = /^https?$/.test(scheme) ? "URLs" : `${scheme}:// resources`;
  return new AtomicError(
    "read.no_handler",
    `Cannot read ${showName(target)}: there is no handler for ${what}. Known are files and ${known.join(", ")}.`,
    { data: { target, scheme, known } },
  );
}

async function notFound(
  target: string,
  readings: readonly PathReading[],
  fs: Fs,
  where: Where,
): Promise<AtomicError> {
  const peeled = readings.slice(1).map(({ path }) => `"${showName(path)}"`);
  const also =
    peeled.length === 0
      ? ""
      : ` (there is no file of that name, nor ${peeled.join(" or ")} for the selector to apply to)`;
  const link = await danglingLink(readings, fs, where);
  return new AtomicError("file.not_found", `File not found: ${showName(target)}${also}${link}`, {
    data: { path: target },
    hint: `Relative paths start at ${showName(where.cwd)}.`,
  });
}

async function danglingLink(
  readings: readonly PathReading[],
  fs: Fs,
  where: Where,
): Promise<string> {
  for (const { path } of readings) {
    if (path.includes("\0")) continue;
    try {
      const absolute = resolvePath(path, where.cwd);
      if ((await fs.lstat(absolute))?.kind !== "symlink") continue;
      const to = await fs.readLink(absolute);
      if (to !== undefined) {
        return `. ${showName(path)} is a symbolic link to ${showName(to)}, which does not exist`;
      }
    } catch (thrown) {
      // Only an addition to the message; the failure to look is not what the caller asked about.
      if (!(thrown instanceof FsError)) throw thrown;
    }
  }
  return "";
}
