// What configuration asks for once a file is written: it is formatted, then language servers say what is wrong with it.
// Loaded only where something is configured. The write has landed, so nothing here fails the call: what did not work
// is told. No lock is held while others work; formatted text is written only over the very bytes that were formatted.

import type { FormatRule, ServerRule } from "../config/config.ts";
import { type Ruled, ruleFor } from "../config/rule-for.ts";
import {
  countText,
  type Diagnostic,
  diagnosticLine,
  readDiagnostics,
  worst,
} from "../diagnostics/diagnostic.ts";
import { commandText, HelperFailure, withDeadline } from "../diagnostics/helper.ts";
import { languageIdOf } from "../diagnostics/language-ids.ts";
import { limits } from "../limits.ts";
import { decode } from "../text/encoding.ts";
import type { FinishContext, FinishedFile, FormattedFile, LandedFile } from "./finished-file.ts";
import { formatText, type FormatSubject } from "./format-text.ts";
import { landFormatted } from "./land-formatted.ts";
import { createServerPool, type ServerPool } from "./server-pool.ts";

/** One answer for each file, in order. Waits at most as long as the rules allow, once for each of the two. */
export async function finishWrite(
  files: readonly LandedFile[],
  context: FinishContext,
): Promise<readonly FinishedFile[]> {
  const subjects = files.map((file) => subjectOf(file, context));
  if (subjects.every(({ format, diagnose }) => !format && !diagnose))
    return files.map(() => nothing);
  if (!context.mayExecute) return subjects.map(forbidden);
  const folder = await realFolder(context);
  const servers = createServerPool(folder, context.ports);
  try {
    const formats = await formatAll(subjects, folder, servers, context);
    const diagnoses = await diagnoseAll(subjects, formats, servers, context);
    return files.map((_, i) => {
      const { formatted, note, failed } = formats[i]!;
      const { findings, diagnostics, failure } = diagnoses[i]!;
      const failures = [failed ? note : undefined, failure].filter((text) => text !== undefined);
      return {
        formatted,
        notes: note === undefined ? [] : [note],
        findings,
        diagnostics,
        failures,
      };
    });
  } finally {
    await servers.close();
  }
}

const nothing: FinishedFile = {
  formatted: undefined,
  notes: [],
  findings: [],
  diagnostics: undefined,
  failures: [],
};

function forbidden({ format, diagnose }: Subject): FinishedFile {
  const asked = [format && "Not formatted", diagnose && "No diagnostics"].filter(Boolean);
  if (asked.length === 0) return nothing;
  const sentence = `${asked.join(", ").replace(", N", ", n")}: plan mode starts no programs.`;
  return { ...nothing, notes: [sentence], failures: [sentence] };
}

interface Subject {
  readonly file: LandedFile;
  readonly format: Ruled<FormatRule> | undefined;
  readonly diagnose: Ruled<ServerRule> | undefined;
}

function subjectOf(file: LandedFile, { config }: FinishContext): Subject {
  const start = new TextDecoder().decode(file.bytes.subarray(0, limits.firstLine));
  const firstLine = /^.*/.exec(start)![0];
  return {
    file,
    format: ruleFor(config, "format", file.real, firstLine),
    diagnose: ruleFor(config, "diagnostics", file.real, firstLine),
  };
}

async function realFolder({ config, ports }: FinishContext): Promise<string> {
  return (await ports.fs.realPath(config.workspace).catch(() => undefined)) ?? config.workspace;
}

interface Formatted {
  readonly formatted: FormattedFile | undefined;
  readonly note: string | undefined;
  readonly failed: boolean;
}

async function formatAll(
  subjects: readonly Subject[],
  folder: string,
  servers: ServerPool,
  context: FinishContext,
): Promise<readonly Formatted[]> {
  const { ports, signal } = context;
  const turns = inTurns(limits.helpersAtOnce);
  const texts = await Promise.all(
    subjects.map(({ file, format }) =>
      format === undefined
        ? undefined
        : attempt(() =>
            withDeadline(format.rule.time, ports.clock, signal, (over) =>
              turns(over, () =>
                formatText(formatSubject(file, format), folder, servers, ports, over),
              ),
            ),
          ),
    ),
  );
  const changed = subjects.flatMap(({ file }, i) => {
    const bytes = texts[i]?.value;
    return bytes === undefined ? [] : [{ file, bytes, index: i }];
  });
  const landed = await landFormatted(changed, context);
  return subjects.map(({ format }, i) => {
    const text = texts[i];
    if (format === undefined || text === undefined) return untouched;
    const by = `\`${ruleText(format.rule)}\``;
    const at = changed.findIndex(({ index }) => index === i);
    const outcome = at < 0 ? undefined : landed[at]!;
    const failure = text.failure ?? outcome?.failure;
    if (failure !== undefined) {
      return { formatted: undefined, note: `Not formatted by ${by}: ${failure}.`, failed: true };
    }
    if (!outcome?.formatted) return untouched;
    const aside = outcome.aside === undefined ? "" : ` ${outcome.aside}`;
    return { formatted: outcome.formatted, note: `Formatted by ${by}.${aside}`, failed: false };
  });
}

const untouched: Formatted = { formatted: undefined, note: undefined, failed: false };

function formatSubject(file: LandedFile, { rule, language }: Ruled<FormatRule>): FormatSubject {
  const given = "server" in rule ? rule.languageId : undefined;
  return { file, rule, languageId: given ?? languageIdOf(language, file.real) };
}

interface Diagnosed extends Pick<FinishedFile, "findings" | "diagnostics"> {
  readonly failure: string | undefined;
}

function diagnoseAll(
  subjects: readonly Subject[],
  formats: readonly Formatted[],
  servers: ServerPool,
  { ports, signal }: FinishContext,
): Promise<readonly Diagnosed[]> {
  return Promise.all(
    subjects.map(async ({ file, diagnose }, i): Promise<Diagnosed> => {
      if (diagnose === undefined)
        return { findings: [], diagnostics: undefined, failure: undefined };
      const { rule, language } = diagnose;
      const by = `\`${ruleText(rule)}\``;
      const { value, failure } = await attempt(() =>
        withDeadline(rule.time, ports.clock, signal, async (over) => {
          const text = textOf(formats[i]!.formatted?.bytes ?? file.bytes);
          const server = await servers.open(rule, over);
          const languageId = rule.languageId ?? languageIdOf(language, file.real);
          server.show({ path: file.real, languageId, text });
          const { items, partial } = await server.diagnose(file.real, over);
          return { diagnostics: readDiagnostics(items, { path: file.name, text }), partial };
        }),
      );
      if (value === undefined) {
        const sentence = `No diagnostics from ${by}: ${failure}.`;
        return { findings: [sentence], diagnostics: undefined, failure: sentence };
      }
      const { diagnostics, partial } = value;
      const sentence = partial
        ? `${by} was still at work after ${rule.time / 1000} s; there may be more.`
        : undefined;
      return {
        findings: [...findingLines(diagnostics), ...(sentence === undefined ? [] : [sentence])],
        diagnostics,
        failure: sentence,
      };
    }),
  );
}

function textOf(bytes: Uint8Array): string {
  const decoded = decode(bytes);
  if (!decoded || decoded.encoding === "8-bit") throw new HelperFailure("the file is not UTF-8");
  return decoded.text;
}

function findingLines(diagnostics: readonly Diagnostic[]): readonly string[] {
  const shown = worst(diagnostics, limits.diagnosticRows);
  const lines = shown.map(diagnosticLine);
  if (shown.length === diagnostics.length) return lines;
  const left = diagnostics.filter((each) => !shown.includes(each));
  return [...lines, `… and ${countText(left)} more`];
}

function ruleText(rule: FormatRule): string {
  return commandText({ words: "server" in rule ? rule.server : rule.command });
}

interface Attempt<T> {
  readonly value?: T | undefined;
  /** The end of a sentence. */
  readonly failure?: string | undefined;
}

/** Whatever is thrown, the file is written: it becomes a reason. */
async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    return {
      failure: (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, ""),
    };
  }
}

/** So many at a time; who does not get a turn in time fails like one that is slow. */
function inTurns(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else {
      const turn = Promise.withResolvers<void>();
      waiting.push(turn.resolve);
      await turn.promise;
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** What a tool's details carry of it: nothing where nothing was asked for. */
export function finishDetails(files: readonly FinishedFile[]): {
  readonly diagnostics?: readonly Diagnostic[];
  readonly meta?: Readonly<Record<string, unknown>>;
} {
  const asked = files.filter(({ diagnostics, failures }) => diagnostics || failures.length > 0);
  const formatted = files.filter((file) => file.formatted !== undefined).length;
  if (asked.length === 0 && formatted === 0) return {};
  const diagnostics = files.flatMap((file) => file.diagnostics ?? []);
  return {
    diagnostics,
    meta: {
      diagnostics: {
        summary: countText(diagnostics),
        messages: diagnostics.map(diagnosticLine),
        failures: files.flatMap(({ failures }) => failures),
      },
      formatted,
    },
  };
}
