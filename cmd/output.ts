// What came of a call as the bytes of the two outputs. Decided here, purely; written by `print`.

import { AtomicError, exitStatus } from "../core/errors.ts";
import type { Outcome } from "../core/call.ts";
import type { Output, Stdio, StopStatus } from "../core/ports/stdio.ts";
import { showControls } from "../core/text/controls.ts";
import { fromStored } from "../core/text/encoding.ts";
import { type Ending, type Rendered, wholeText } from "../core/tool.ts";
import type { Settings } from "./settings.ts";

export interface Printed {
  readonly out: string | Uint8Array;
  readonly err: string;
  readonly status: number;
}

export interface Manner {
  readonly settings: Pick<Settings, "json" | "debug" | "color">;
  readonly outTerminal: boolean;
  readonly errTerminal: boolean;
  /** The tool changes files, so a failure says that none was changed. */
  readonly writes: boolean;
  /** A command's output has been printed as it came. */
  readonly isLive: boolean;
  /** The status of a cancelled call: which signal it was. */
  readonly stopStatus: StopStatus | undefined;
}

/** The one shape of `--json`. */
export interface Json {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export function mannerOf(
  stdio: Stdio,
  settings: Settings,
  call: Partial<Pick<Manner, "writes" | "isLive" | "stopStatus">> = {},
): Manner {
  return {
    settings,
    get outTerminal() {
      return stdio.stdout.isTerminal;
    },
    get errTerminal() {
      return stdio.stderr.isTerminal;
    },
    writes: call.writes ?? false,
    isLive: call.isLive ?? false,
    stopStatus: call.stopStatus,
  };
}

/** @param after what was printed before it in the same run, where there was something */
export function present(outcome: Outcome, manner: Manner, after?: Outcome): Printed {
  if (manner.settings.json) {
    const { json, status } = toJson(outcome, manner);
    return { out: `${JSON.stringify(json)}\n`, err: "", status };
  }
  if (!outcome.ok) return presentError(outcome.error, manner);
  const { rendered } = outcome;
  if ("bytes" in rendered) {
    const out = manner.outTerminal ? showBytes(rendered.bytes) : rendered.bytes;
    return { out, err: "", status: exitStatus.success };
  }
  const text = manner.outTerminal ? showControls(rendered.text) : rendered.text;
  if (rendered.ending) return presentEnding(text, rendered.ending, manner);
  const gap = after?.ok && "text" in after.rendered ? "\n" : "";
  return { out: gap + endLine(text), err: "", status: exitStatus.success };
}

/** A command's own output, byte for byte; what is to be said about it goes to the other stream. */
function presentEnding(text: string, ending: Ending, manner: Manner): Printed {
  const show = manner.errTerminal ? showControls : (note: string) => note;
  return {
    out: manner.isLive ? "" : text,
    err: ending.notes.map((note) => `${show(note)}\n`).join(""),
    status: endingStatus(ending, manner),
  };
}

function endingStatus({ status }: Ending, { stopStatus }: Manner): number {
  return status === "stopped" ? (stopStatus ?? exitStatus.interrupted) : status;
}

/** Several targets of one command as one object; the status is the first failure's. */
export function presentAll(outcomes: readonly Outcome[], manner: Manner): Printed {
  const all = outcomes.map((outcome) => toJson(outcome, manner));
  const json: Json = {
    text: all.map(({ json: { text } }) => text).join("\n\n"),
    details: { results: all.map((one) => one.json) },
    isError: all.some(({ json: { isError } }) => isError),
  };
  const status = all.find((one) => one.status !== 0)?.status ?? exitStatus.success;
  return { out: `${JSON.stringify(json)}\n`, err: "", status };
}

/** The last line of `--jsonl`: the details without the results that were printed, or the error. */
export function presentLast(outcome: Outcome, manner: Manner): Printed {
  const { json, status } = toJson(outcome, manner);
  const { files: _, ...details } = json.details;
  const isCommand = outcome.ok && "text" in outcome.rendered && outcome.rendered.ending;
  const last = isCommand
    ? { type: "result", ...json }
    : { ...(json.isError && { text: json.text }), details, isError: json.isError };
  return { out: `${JSON.stringify(last)}\n`, err: "", status };
}

export function presentError(error: AtomicError, manner: Manner): Printed {
  const status = statusOf(error, manner);
  if (manner.settings.json) {
    return { out: `${JSON.stringify(errorJson(error, status))}\n`, err: "", status };
  }
  const show = manner.errTerminal ? showControls : (text: string) => text;
  const lines = [show(error.message)];
  if (manner.writes && sparedAll(error)) lines.push("Nothing was written.");
  if (error.hint !== undefined) {
    const hint = show(error.hint);
    lines.push(manner.settings.color.err ? `\u001b[2m${hint}\u001b[22m` : hint);
  }
  if (manner.settings.debug) lines.push(show(trace(error)));
  return { out: endLine(error.output), err: `${lines.join("\n")}\n`, status };
}

/** Writes both. @returns the status: a reader who has gone away changes nothing about it */
export async function print(printed: Printed, stdio: Stdio): Promise<number> {
  await deliver(printed, stdio);
  return printed.status;
}

/** Writes both. @returns false where the reader of standard output has gone, so that more would be for nobody */
export async function deliver({ out, err }: Printed, stdio: Stdio): Promise<boolean> {
  const isWanted = out.length === 0 || (await writeAnswer(out, stdio));
  // Last, since it says how what was written came to its end.
  if (err !== "") await stdio.stderr.write(err);
  return isWanted;
}

async function writeAnswer(out: Printed["out"], { stdout }: Stdio): Promise<boolean> {
  try {
    return await stdout.write(out);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `Could not write the answer: ${reason}. The call itself was carried out.`;
    throw new AtomicError("output.failed", message, { cause: thrown });
  }
}

/** Tells what is no part of a tool's text, on standard error. */
export function noticesTo({ stderr }: Stdio): (text: string) => void {
  return (text) => void stderr.write(`${stderr.isTerminal ? showControls(text) : text}\n`);
}

/** Text of the program's own, such as help. */
export async function printText(text: string, output: Output): Promise<void> {
  await output.write(endLine(text));
}

/** The answer of a command that is no tool, in either form. */
export async function printAnswer(
  text: string,
  details: Readonly<Record<string, unknown>>,
  { stdio, settings }: { readonly stdio: Stdio; readonly settings: Settings },
  status: number = exitStatus.success,
): Promise<number> {
  const json: Json = { text, details, isError: status !== exitStatus.success };
  const out = settings.json ? `${JSON.stringify(json)}\n` : endLine(text);
  return print({ out, err: "", status }, stdio);
}

function showBytes(bytes: Uint8Array): string {
  return showControls(fromStored(bytes));
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function toJson(
  outcome: Outcome,
  manner: Manner,
): { readonly json: Json; readonly status: number } {
  if (!outcome.ok) {
    const status = statusOf(outcome.error, manner);
    return { json: errorJson(outcome.error, status), status };
  }
  const { rendered } = outcome;
  if ("text" in rendered && rendered.ending) {
    const status = endingStatus(rendered.ending, manner);
    const text = wholeText(rendered.text, rendered.ending);
    return { json: { text, details: outcome.details, isError: status !== 0 }, status };
  }
  const { text, ...how } = textOf(rendered);
  return {
    json: { text, details: { ...outcome.details, ...how }, isError: false },
    status: exitStatus.success,
  };
}

/** JSON carries text only: bytes that are no UTF-8 go as base64, and `details.textEncoding` says so. */
function textOf(rendered: Rendered): { readonly text: string; readonly textEncoding?: "base64" } {
  if ("text" in rendered) return rendered;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(rendered.bytes) };
  } catch {
    return { text: base64(rendered.bytes), textEncoding: "base64" };
  }
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // A multiple of three, so that the parts join without padding between them.
  const step = 3 * 4096;
  for (let at = 0; at < bytes.length; at += step) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + step))));
  }
  return parts.join("");
}

function errorJson({ code, message, hint, data }: AtomicError, status: number): Json {
  return {
    text: message,
    details: { ...data, code, status, ...(hint !== undefined && { hint }) },
    isError: true,
  };
}

function statusOf(error: AtomicError, { stopStatus }: Manner): number {
  return error.code === "aborted" ? (stopStatus ?? error.status) : error.status;
}

/** The seed's messages do not say it, ours already do; and one of the seed's names sections that were written. */
function sparedAll({ code, message, hint }: AtomicError): boolean {
  // A fault of our own says nothing about how far it got.
  if (code === "internal") return false;
  return !/nothing was written|(?:sections|files) already written:/i.test(
    `${message}\n${hint ?? ""}`,
  );
}

function trace(error: AtomicError): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    parts.push(at.stack ?? String(at));
  return parts.join("\nCaused by: ");
}
