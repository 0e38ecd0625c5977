// The conformance vectors of spec/fixtures/vectors, run through the edit tool on a host in memory. Runner-neutral.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { memoryHost, type MemoryHost } from "../../../adapters/memory/host.ts";
import { callTool, type Outcome } from "../../../core/call.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import { unifiedPatch, firstChangedLine } from "../../../core/hashline/preview.ts";
import { runEditBatch } from "../../../core/changes/edit-batch.ts";
import { bindScript } from "../../../core/changes/edit-script.ts";
import { openSession, type OpenSession } from "../../../core/session/open.ts";
import { diffLines } from "../../../core/text/diff.ts";
import { decode, toStored } from "../../../core/text/encoding.ts";
import { normalizedText, normalizeTerminators, splitLines } from "../../../core/text/lines.ts";
import { edit } from "../../../core/tools/edit.ts";
import type { Case } from "../../helpers/cases.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";

export interface Recorded {
  readonly path: string;
  readonly content: string;
}

export interface Vector {
  readonly name: string;
  readonly kind: string;
  readonly files?: Record<string, string>;
  readonly filesBase64?: Record<string, string>;
  readonly symlinks?: Record<string, string>;
  readonly recorded?: readonly Recorded[];
  readonly input?: string;
  readonly fault?: {
    readonly access?: Record<string, string>;
    readonly write?: Record<string, string>;
    readonly changeBeforeWrite?: Record<string, string>;
  };
  readonly target?: string;
  readonly abort?: boolean;
  readonly noResolver?: boolean;
  readonly steps?: readonly Step[];
  readonly expect: Expectation & readonly Expectation[];
  readonly content?: string;
  readonly before?: string;
  readonly after?: string;
  readonly path?: string;
}

interface Step {
  readonly do: "edit" | "parallel" | "disk" | "read" | "rm";
  readonly input?: string;
  readonly inputs?: readonly string[];
  readonly path?: string;
  readonly content?: string;
}

interface Expectation {
  readonly files?: Record<string, string>;
  readonly error?: string | null;
  readonly errorAlt?: readonly string[];
  readonly noop?: boolean;
  readonly output?: string;
  readonly warnings?: readonly string[];
  readonly blockEchoes?: readonly string[];
  readonly header?: string | null;
  readonly headers?: readonly string[];
  readonly firstChangedLine?: number | null;
  readonly results?: readonly Expectation[];
  readonly loose?: boolean;
  readonly tag?: string;
  readonly patch?: string;
  readonly content?: string;
  readonly stripped?: boolean;
}

const CWD = "/work";

/** Vectors that a decision of hashline.md §0 overrides, with what holds instead. */
const overridden: Readonly<Record<string, string>> = {};

const topics = [
  "ops",
  "text-shape",
  "tolerated-shapes",
  "body-rows",
  "errors-header",
  "errors-parse",
  "multi-section",
  "boundary-repair",
  "landing-shift",
  "recovery",
  "sessions",
  "random",
  "tags",
  "diff-output",
  "block-edits",
  "write-strip",
];

export function readVectors(topic: string): readonly Vector[] {
  const file = new URL(`../../fixtures/vectors/${topic}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Vector[];
}

export const vectorCases: readonly Case[] = topics.flatMap((topic) =>
  readVectors(topic)
    .filter(({ name }) => !(name in overridden))
    .map((vector) => ({ name: vector.name, run: () => runVector(vector) })),
);

async function runVector(vector: Vector): Promise<void> {
  if (vector.kind === "tag") {
    const text = normalizeTerminators(vector.content!.replace(/^\ufeff/, ""));
    return assert.equal(tagOf(text), vector.expect.tag);
  }
  if (vector.kind === "diff") return checkDiff(vector);
  const world = await openWorld(vector);
  if (vector.kind === "session") return runSession(vector, world);
  if (vector.kind === "strip") return runStrip(vector, world);
  if (vector.noResolver) return runWithoutResolver(vector, world);
  const outcome = await runEdit(world, vector.input!, vector.abort === true);
  checkEdit(outcome, vector.expect, world);
}

/** The tool always has a resolver; the engine below it need not. */
async function runWithoutResolver({ input, expect }: Vector, world: World): Promise<void> {
  const { ports, session } = world;
  const sections = await bindScript(input!, ports.fs, {
    cwd: CWD,
    home: undefined,
    internal: async () => undefined,
  });
  const call = { payload: input!, sections, signal: new AbortController().signal };
  const context = {
    ports,
    session,
    resolver: undefined,
    cwd: CWD,
    dryRun: false,
    partial: false,
    notice: () => {},
  };
  const [outcome] = await runEditBatch([call], context);
  if (outcome instanceof Error) assert.equal(outcome.message, expect.error);
  else if (outcome!.kind === "edited") {
    assert.deepEqual(
      outcome!.files.map(({ notes }) => notes),
      [expect.warnings],
    );
  }
  assert.deepEqual(filesOf(world), expect.files);
}

function checkDiff({ before, after, path, expect }: Vector): void {
  const old = splitLines(before!);
  const now = splitLines(after!);
  const map = diffLines(old.texts, now.texts);
  assert.equal(unifiedPatch(path!, old, now, map), expect.patch);
  assert.equal(firstChangedLine(old, now), expect.firstChangedLine);
}

export interface World {
  readonly host: MemoryHost;
  readonly ports: MemoryHost;
  readonly session: OpenSession;
}

export async function openWorld(
  vector: Pick<Vector, "files" | "filesBase64" | "symlinks" | "recorded" | "fault">,
): Promise<World> {
  const host = memoryHost({ variables: { ATOMIC_HOME: "/home/me/state" } });
  for (const [path, text] of Object.entries(vector.files ?? {}))
    host.fs.put(`${CWD}/${path}`, text);
  for (const [path, data] of Object.entries(vector.filesBase64 ?? {})) {
    host.fs.put(
      `${CWD}/${path}`,
      Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
    );
  }
  for (const [path, link] of Object.entries(vector.symlinks ?? {}))
    host.fs.put(`${CWD}/${path}`, { link });
  const session = await openSession(host, {
    folder: "/home/me/state",
    id: "default",
    notice: assert.fail,
  });
  const newest = new Map<string, string>();
  for (const { path, content } of vector.recorded ?? []) {
    await record(host, session, `${CWD}/${path}`, content, newest.get(path));
    newest.set(path, content);
  }
  return { host, ports: faulty(host, vector.fault), session };
}

/** The first content of a path is a read; a later one counts as this session's own edit. */
async function record(
  host: MemoryHost,
  session: OpenSession,
  path: string,
  content: string,
  previous: string | undefined,
): Promise<void> {
  const real = (await host.fs.realPath(path)) ?? path;
  const seen = seenOf(host, real, content);
  if (previous === undefined) return session.record(seen);
  const before = seenOf(host, real, previous);
  const [old, now] = [splitLines(normalText(previous)), splitLines(normalText(content))];
  const group = await session.beginChanges("edit", [
    {
      path: real,
      before: { bytes: new TextEncoder().encode(previous), mode: 0o644 },
      after: { bytes: new TextEncoder().encode(content), mode: 0o644 },
      seen,
      fromHash: host.bytes.sha256(before.content),
      map: diffLines(old.texts, now.texts),
      inPlace: false,
    },
  ]);
  await group.settle([real]);
}

function seenOf(host: MemoryHost, path: string, content: string) {
  const text = normalText(content);
  return {
    path,
    tag: tagOf(text),
    content: toStored(text),
    bytesHash: host.bytes.sha256(new TextEncoder().encode(content)),
  };
}

function normalText(content: string): string {
  return normalizedText(splitLines(content.replace(/^\ufeff/, "")));
}

/** The host with the vector's faults: by target path, as the vectors name them. */
function faulty(host: MemoryHost, fault: Vector["fault"]): MemoryHost {
  const { access = {}, write = {}, changeBeforeWrite = {} } = fault ?? {};
  const reads = new Map<string, number>();
  const name = (path: string) => path.slice(CWD.length + 1);
  for (const [path, code] of Object.entries(access))
    if (path !== "*") host.fs.fail("read", `${CWD}/${path}`, code);
  return {
    ...host,
    fs: {
      ...host.fs,
      read(path, limit) {
        const count = (reads.get(path) ?? 0) + 1;
        reads.set(path, count);
        const change = changeBeforeWrite[name(path)];
        if (count === 2 && change !== undefined) host.fs.put(path, change);
        return host.fs.read(path, limit);
      },
      async rename(from, to) {
        const message = write[name(to)];
        if (message !== undefined) throw new Error(message);
        return host.fs.rename(from, to);
      },
    },
  };
}

export function runEdit(
  { ports, session }: World,
  script: string,
  abort = false,
): Promise<Outcome> {
  const input = { input: script.replaceAll("{cwd}", CWD) };
  const call = callFor({
    cwd: CWD,
    session: async () => session,
    ...(abort && { signal: AbortSignal.abort() }),
  });
  return callTool(edit, input, ports, call, { readOnly: false });
}

function filesOf({ host }: World): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of host.fs.paths()) {
    if (path.startsWith(`${CWD}/`)) found[path.slice(CWD.length + 1)] = host.fs.text(path)!;
  }
  return found;
}

function checkEdit(outcome: Outcome, expect: Expectation, world: World): void {
  checkResult(outcome, expect);
  if (expect.files) assert.deepEqual(filesOf(world), expect.files);
}

function checkResult(outcome: Outcome, expect: Expectation): void {
  if (expect.error) {
    assert.ok(!outcome.ok, `expected the error ${expect.error}`);
    const allowed = [expect.error, ...(expect.errorAlt ?? [])].map((text) =>
      text.replaceAll("{cwd}", CWD),
    );
    if (!allowed.includes(outcome.error.message)) assert.equal(outcome.error.message, allowed[0]);
    return;
  }
  if (!outcome.ok) throw outcome.error;
  assert.ok("text" in outcome.rendered);
  const { text } = outcome.rendered;
  if (expect.noop || (expect.output !== undefined && expect.header === null)) {
    if (expect.output !== undefined) assert.equal(text, expect.output);
    assert.equal(outcome.details["patch"], "");
    return;
  }
  const headers = text.split("\n").filter((line) => /^\[.*#[0-9A-F]{4}\]$/.test(line));
  if (expect.headers) assert.deepEqual(headers, expect.headers);
  else if (expect.header) assert.equal(headers[0], expect.header);
  if (typeof expect.firstChangedLine === "number") {
    assert.equal(outcome.details["firstChangedLine"], expect.firstChangedLine);
  }
  const files = outcome.details["files"] as { warnings: string[]; blocks: string[] }[];
  if (expect.warnings)
    assert.deepEqual(
      files.flatMap(({ warnings }) => warnings),
      expect.warnings,
    );
  if (expect.blockEchoes)
    assert.deepEqual(
      files.flatMap(({ blocks }) => blocks),
      expect.blockEchoes,
    );
}

async function runStrip(
  { target, content, expect }: Vector,
  { host, ports, session }: World,
): Promise<void> {
  const call = callFor({ cwd: CWD, session: async () => session });
  const input = { path: target!, content: content!.replaceAll("{cwd}", CWD) };
  const outcome = await callTool(write, input, ports, call, { readOnly: false });
  if (!outcome.ok) throw outcome.error;
  assert.equal(host.fs.text(`${CWD}/${target}`), expect.content!.replaceAll("{cwd}", CWD));
  assert.equal(outcome.details["stripped"] ?? false, expect.stripped);
}

async function runSession(vector: Vector, world: World): Promise<void> {
  for (const [i, step] of vector.steps!.entries()) {
    const expected = vector.expect[i]!;
    const path = step.path === undefined ? undefined : `${CWD}/${step.path}`;
    if (step.do === "disk") world.host.fs.put(path!, step.content!);
    else if (step.do === "rm") world.host.fs.drop(path!);
    else if (step.do === "read") {
      const decoded = decode(world.host.fs.bytesOf(path!)!)!;
      await world.session.record(seenOf(world.host, path!, decoded.text));
    } else if (step.do === "edit") checkEdit(await runEdit(world, step.input!), expected, world);
    else {
      const outcomes = await Promise.all(step.inputs!.map((input) => runEdit(world, input)));
      if (vector.name !== "sessions/parallel-subset-absorbed") {
        outcomes.forEach((outcome, k) => checkResult(outcome, expected.results![k]!));
      }
      assert.deepEqual(filesOf(world), expected.files);
    }
  }
}
