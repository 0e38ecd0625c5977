import * as v from "valibot";

import { AtomicError } from "../errors.ts";
import { toolMessage } from "../hashline/messages.ts";
import { wholeLines } from "../hashline/script.ts";
import { headerLine, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import {
  type EditCall,
  type EditedFile,
  type EditOutcome,
  runEditBatch,
  withFinish,
} from "../changes/edit-batch.ts";
import { finishFiles, type FinishDetails } from "../changes/finish-call.ts";
import { lockTargets } from "../changes/lock-targets.ts";
import { bindScript, type FileSection, type ScriptPlace } from "../changes/edit-script.ts";
import { findInternal } from "../resources/open.ts";
import type { BlockResolver, ClosableResolver } from "../hashline/blocks.ts";
import type { Config } from "../config/config.ts";
import type { TargetPorts } from "../resources/resource.ts";
import type { Session } from "../session/session.ts";
import type { WaitingCall } from "../session/siblings.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject({
  input: v.pipe(
    v.string(),
    v.description("The edit script: one or more [PATH#TAG] sections with operations"),
  ),
});

type Ports = TargetPorts & Pick<Host, "locks" | "random" | "grammars">;

type EditData = EditOutcome & {
  readonly dryRun: boolean;
  /** Of what followed the write, where the configuration asks for it. */
  readonly finish?: FinishDetails | undefined;
};

/** What became of a call that others of its batch may have carried out. */
type Carried = EditOutcome & Pick<EditData, "finish">;

/** A call in the queue; whoever leads its batch settles it. */
interface QueuedEdit extends WaitingCall {
  targets: ReadonlyMap<string, string>;
  call: EditCall | undefined;
  readonly outcome: PromiseWithResolvers<Carried>;
}

async function run(
  { input: script }: v.InferOutput<typeof input>,
  ports: Ports,
  call: Call,
): Promise<EditData> {
  if (script.trim() === "") throw new AtomicError("edit.script", toolMessage.emptyInput());
  const { dryRun } = call.options;
  const where = {
    cwd: call.cwd,
    home: ports.env.home,
    internal: async (target: string) => (await findInternal(target, ports, call))?.path,
  };
  // Before the session: what is refused leaves no trace there either.
  if (!dryRun) await bindAllowed(script, ports, call, where);
  // A mistake in it is told before anything is touched.
  const config = await call.config();
  const session = await call.session();
  if (dryRun) {
    const whole = call.options.partial ? wholeLines(script) : script;
    const sections = await bindScript(whole, ports.fs, where);
    const release = await lockSections(sections, session, ports, call.signal);
    try {
      const edit = { payload: script, sections, signal: call.signal };
      return { ...settled((await runBatch([edit], session, ports, call))[0]!), dryRun };
    } finally {
      release();
    }
  }
  return { ...(await runQueued(script, session, config, ports, call, where)), dryRun };
}

async function runQueued(
  script: string,
  session: Session,
  config: Config,
  ports: Ports,
  call: Call,
  where: ScriptPlace,
): Promise<Carried> {
  // Once more, since a link may have been turned meanwhile.
  const bound = bindAllowed(script, ports, call, where);
  const queued: QueuedEdit = {
    ready: bound,
    targets: new Map(),
    call: undefined,
    outcome: Promise.withResolvers(),
  };
  const withdraw = session.siblings.announce(queued);
  let release: (() => void) | undefined;
  try {
    const sections = await bound;
    queued.targets = new Map(sections.map(({ real, tag }) => [real, tag]));
    queued.call = { payload: script, sections, signal: call.signal };
    release = await lockSections(sections, session, ports, call.signal);
    // Another call of the batch may have carried this one out meanwhile.
    if (!session.siblings.isWaiting(queued)) return await queued.outcome.promise;
    const batch = (await session.siblings.take(queued)) as readonly QueuedEdit[];
    const results = await runBatch(
      batch.map((edit) => edit.call!),
      session,
      ports,
      call,
    );
    release();
    release = undefined;
    const finished = await finish(results, config, session, ports, call);
    batch.forEach(({ outcome }, i) => {
      const result = finished[i]!;
      if (result instanceof Error) outcome.reject(result);
      else outcome.resolve(result);
    });
    return await queued.outcome.promise;
  } catch (thrown) {
    if (!withdraw() && release === undefined) return await queued.outcome.promise;
    throw thrown;
  } finally {
    release?.();
  }
}

/** Each file once, whichever calls of the batch have changed it. No lock is held. */
async function finish(
  results: readonly (EditOutcome | Error)[],
  config: Config,
  session: Session,
  ports: Ports,
  call: Call,
): Promise<readonly (Carried | Error)[]> {
  const files = new Map<string, EditedFile>();
  for (const result of results) {
    if (result instanceof Error || result.kind !== "edited") continue;
    for (const file of result.files) files.set(file.real, file);
  }
  const finished = await finishFiles([...files.values()], config, { session, ports, call });
  if (!finished) return results;
  const answers = new Map([...files.keys()].map((real, i) => [real, finished.files[i]!]));
  return results.map((result) => {
    if (result instanceof Error || result.kind !== "edited") return result;
    const told = result.files.map((file) => withFinish(file, answers.get(file.real)!));
    return { ...result, files: told, finish: finished.details };
  });
}

async function bindAllowed(
  script: string,
  { fs }: Ports,
  call: Call,
  where: ScriptPlace,
): Promise<readonly FileSection[]> {
  const sections = await bindScript(script, fs, where);
  for (const { real, path } of sections) await call.allowWrite(real, path);
  return sections;
}

async function runBatch(
  calls: readonly EditCall[],
  session: Session,
  ports: Ports,
  { cwd, options, notice }: Call,
) {
  let loaded: ClosableResolver | undefined;
  // Most edits name no block.
  const resolver: BlockResolver = {
    async open(path, text) {
      const { createBlockResolver } = await import("../syntax/resolve.ts");
      return (loaded ??= createBlockResolver(ports)).open(path, text);
    },
  };
  try {
    return await runEditBatch(calls, { ports, session, resolver, cwd, ...options, notice });
  } finally {
    loaded?.close();
  }
}

function settled(outcome: EditOutcome | Error): EditOutcome {
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

function lockSections(
  sections: readonly FileSection[],
  session: Session,
  { locks }: Ports,
  signal: AbortSignal,
): Promise<() => void> {
  const targets = sections.map(({ path, locks: keys }) => ({ given: path, locks: keys }));
  return lockTargets(targets, session, locks, signal);
}

function render(data: EditData): { text: string } {
  if (data.kind === "unchanged") return { text: data.text };
  return { text: data.files.map((file) => renderFile(file, data.dryRun)).join("\n\n") };
}

function renderFile(file: EditedFile, dryRun: boolean): string {
  // A tag that no snapshot stands behind must not look like a header.
  const head = dryRun
    ? `${showName(file.display)} would change; nothing was written:`
    : headerLine(file.display, file.tag);
  const body = file.preview === "" ? `First changed line: ${file.firstChangedLine}` : file.preview;
  const findings = file.findings.length === 0 ? [] : ["", ...file.findings];
  return [head, ...file.notes, ...file.echoes, body, ...findings].join("\n");
}

/** EditToolDetails of seed 000, "Outputs", and what a program needs to go on. */
function details(data: EditData): Record<string, unknown> {
  if (data.kind === "unchanged")
    return { diff: "", patch: "", changed: false, dryRun: data.dryRun };
  return {
    diff: data.files.map(({ preview }) => preview).join("\n"),
    patch: data.files.map(({ patch }) => patch).join("\n"),
    firstChangedLine: data.files[0]!.firstChangedLine,
    changed: true,
    dryRun: data.dryRun,
    ...data.finish,
    files: data.files.map(({ path, tag, notes, echoes, firstChangedLine }) => ({
      path,
      ...(data.dryRun ? {} : { tag }),
      warnings: notes,
      blocks: echoes,
      firstChangedLine,
    })),
  };
}

export const edit = defineTool({
  name: "edit",
  summary: "Change files by line number, checked against the tag of a read",
  description: `Changes existing files by line number. Each section begins with the [PATH#TAG] header of your latest read, search, write or edit of the file; line numbers are those of that read and do not shift within one call.

Operations:
replace N..M:   followed by +TEXT rows: the final content of lines N to M
delete N..M     no rows
insert before N:, insert after N:, insert head:, insert tail:   followed by +TEXT rows
replace block N:, delete block N, insert after block N:   the construct that begins on line N

Every row is + and the text, indentation kept; + alone is a blank line. No old text, no context rows. Give only the lines that change; never restate lines next to the range. The answer carries a fresh header: use it for the next edit. When a tag is stale, read again; never invent a tag. To create a file, use write.`,
  effect: "write",
  input,
  run,
  render,
  details,
  cli: {
    content: "input",
    placeholder: "FILE",
    options: ["dryRun", "partial"],
    aliases: ["apply_patch"],
  },
  examples: [
    {
      title: "Replace one line and add one at the end",
      input: {
        input: '[src/a.ts#0A3B]\nreplace 1..1:\n+const X = "b";\ninsert tail:\n+export { X };',
      },
    },
  ],
});
