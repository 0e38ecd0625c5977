// A connection's calls, handed to a process of its own (see do-calls.ts). It is started once and kept; one that has died is
// replaced by the next call.

import type { CallToolResult } from "@modelcontextprotocol/server";

import { asAtomicError, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProcessEnd, RunningProcess } from "../ports/processes.ts";
import type { Ask, Asked } from "../questions/question.ts";
import type { RegistryRow } from "../registry.ts";
import type { Effect } from "../tool.ts";
import { lineOf, type Order, type Report } from "./call-lines.ts";
import { linesOf } from "./lines.ts";
import { errorResult } from "./results.ts";

export interface CallProcessOptions {
  /** Starts the process and tells it what all calls share. Throws ProcessError. */
  start(): Promise<RunningProcess>;
  readonly clock: Clock;
  /** Diagnostics that belong to no call. */
  notice(text: string): void;
}

export interface CallHooks {
  readonly signal: AbortSignal;
  readonly root: string | undefined;
  notice(text: string): void;
  /** Where the client wants to hear of progress. */
  progress?(text: string): void;
  /** Names of the tools that are served; absent: all of them. */
  readonly tools?: readonly string[] | undefined;
  /** Where a person can be asked through the client. */
  readonly ask?: Ask;
}

/** How often a client hears that a call goes on, where the tool itself says nothing: milliseconds. */
const HEARTBEAT = 5_000;

interface Pending {
  readonly name: string;
  readonly effect: Effect;
  readonly hooks: CallHooks;
  settle(result: CallToolResult): void;
  isCancelled: boolean;
  isLate: boolean;
  wasHeard: boolean;
  /** How many questions wait for a person; their time does not count. */
  questions: number;
}

interface Running {
  readonly child: RunningProcess;
  readonly pending: Map<number, Pending>;
  /** What was said last is on its way. */
  said: Promise<unknown>;
}

export class CallProcess {
  readonly #options: CallProcessOptions;
  readonly #over = new AbortController();
  #running: Promise<Running> | undefined;
  /** What `#running` has come to. */
  #current: Running | undefined;
  #last = 0;

  constructor(options: CallProcessOptions) {
    this.#options = options;
  }

  /** Starts the process before it is needed. */
  prepare(): void {
    void this.#open().catch(() => {});
  }

  /** Never rejects. A call that is cancelled settles, too. */
  async run(
    { name, effect }: Pick<RegistryRow, "name" | "effect">,
    input: unknown,
    hooks: CallHooks,
  ): Promise<CallToolResult> {
    let running: Running;
    try {
      running = await this.#open();
    } catch (thrown) {
      return errorResult(asAtomicError(thrown));
    }
    if (running.pending.size >= limits.mcpCalls) {
      const message = `${limits.mcpCalls} calls of this connection are not answered yet.`;
      return errorResult(new AtomicError("mcp.busy", message));
    }
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<CallToolResult>();
    const pending: Pending = {
      name,
      effect,
      hooks,
      settle: resolve,
      isCancelled: false,
      isLate: false,
      wasHeard: false,
      questions: 0,
    };
    running.pending.set(id, pending);
    const done = new AbortController();
    const cancel = () => void this.#cancel(id, running, done.signal);
    hooks.signal.addEventListener("abort", cancel, { once: true });
    say(running, {
      kind: "call",
      id,
      tool: name,
      input,
      root: hooks.root,
      asks: hooks.ask !== undefined,
      ...(hooks.tools && { tools: hooks.tools }),
    });
    if (hooks.signal.aborted) cancel();
    void this.#watch(id, running, done.signal);
    try {
      return await promise;
    } finally {
      done.abort();
      running.pending.delete(id);
      hooks.signal.removeEventListener("abort", cancel);
    }
  }

  /** Lets the process end what it does; kills it where it takes too long. */
  async close(): Promise<void> {
    this.#over.abort();
    const running = await this.#running?.catch(() => undefined);
    if (!running) return;
    const { child } = running;
    await Promise.race([running.said, child.ended]);
    child.stdin.close();
    const late = new AbortController();
    const killed = this.#options.clock
      .sleep(limits.mcpFarewell, late.signal)
      .then(() => void child.kill("SIGKILL"))
      .catch(() => {});
    await child.ended;
    late.abort();
    await killed;
  }

  #open(): Promise<Running> {
    if (this.#over.signal.aborted) {
      return Promise.reject(new AtomicError("aborted", "The connection is closed."));
    }
    if (this.#running) return this.#running;
    const opened = this.#start();
    this.#running = opened;
    // What could not be started may be able to later.
    opened.catch(() => {
      if (this.#running === opened) this.#running = undefined;
    });
    return opened;
  }

  /** The next call needs another one. */
  #forget(running: Running): void {
    if (this.#current !== running) return;
    this.#current = undefined;
    this.#running = undefined;
  }

  async #start(): Promise<Running> {
    let child: RunningProcess;
    try {
      child = await this.#options.start();
    } catch (thrown) {
      throw new AtomicError(
        "mcp.process",
        `The process that does the calls could not be started: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
        { cause: thrown, hint: "Nothing was done. Call again." },
      );
    }
    const running: Running = { child, pending: new Map(), said: Promise.resolve() };
    this.#current = running;
    void this.#pump(running);
    void this.#pumpErrors(child);
    return running;
  }

  async #pump(running: Running): Promise<void> {
    const { child, pending } = running;
    let fault = "";
    try {
      for await (const line of linesOf(child.stdout, Number.POSITIVE_INFINITY)) {
        this.#take(JSON.parse(line!) as Report, running);
      }
    } catch (thrown) {
      fault = ` (${thrown instanceof Error ? thrown.message : String(thrown)})`;
      child.kill("SIGKILL");
    }
    this.#forget(running);
    const end = await child.ended;
    child.release();
    for (const call of pending.values()) call.settle(died(call, endText(end) + fault));
  }

  #take(report: Report, running: Running): void {
    const call = report.id === undefined ? undefined : running.pending.get(report.id);
    switch (report.kind) {
      case "done":
        call?.settle(call.isLate && isAborted(report.result) ? late(call) : report.result);
        return;
      case "progress":
        if (!call) return;
        call.wasHeard = true;
        call.hooks.progress?.(report.text);
        return;
      case "ask":
        if (call) void ask(call, report, running);
        return;
      case "notice":
        if (call) call.hooks.notice(report.text);
        else this.#options.notice(report.text);
    }
  }

  async #pumpErrors({ stderr }: RunningProcess): Promise<void> {
    try {
      for await (const line of linesOf(stderr, limits.mcpDiagnostic)) {
        if (line !== undefined && line !== "") this.#options.notice(line);
      }
    } catch {
      // Whoever watches misses a word; the calls do not.
    }
  }

  /** Tells that a call goes on, and ends it before its client stops waiting for it. */
  async #watch(id: number, running: Running, done: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const call = running.pending.get(id)!;
    // A command says itself what becomes of it when it takes long.
    const isTimed = call.effect !== "execute";
    let time = 0;
    try {
      for (;;) {
        await clock.sleep(HEARTBEAT, done);
        if (call.questions > 0) continue;
        time += HEARTBEAT;
        if (isTimed && time >= limits.mcpCallTime) break;
        if (!call.wasHeard) {
          call.hooks.progress?.(`${call.name} has been running for ${time / 1000} s`);
        }
        call.wasHeard = false;
      }
    } catch {
      return;
    }
    call.isLate = true;
    await this.#cancel(id, running, done);
  }

  /** The tool is asked to stop. Where it does not hear, its process is ended, unless others work in it. */
  async #cancel(id: number, running: Running, done: AbortSignal): Promise<void> {
    const call = running.pending.get(id);
    if (!call || call.isCancelled) return;
    call.isCancelled = true;
    say(running, { kind: "cancel", id });
    try {
      await this.#options.clock.sleep(limits.mcpCancelTime, done);
    } catch {
      return;
    }
    const all = [...running.pending.values()];
    if (all.every(({ isCancelled, effect }) => isCancelled && isHarmless(effect))) {
      this.#forget(running);
      running.child.kill("SIGKILL");
    }
    call.settle(late(call));
  }
}

function say(running: Running, order: Order): void {
  const bytes = new TextEncoder().encode(lineOf(order));
  running.said = running.said.then(() => running.child.stdin.write(bytes));
}

async function ask(
  call: Pending,
  { question, questions }: Report & { readonly kind: "ask" },
  running: Running,
): Promise<void> {
  call.questions++;
  let asked: Asked = { ended: "undelivered" };
  try {
    asked = (await call.hooks.ask?.(questions, call.hooks.signal)) ?? asked;
  } catch {
    // Whatever became of the question, it was not answered.
  } finally {
    call.questions--;
  }
  say(running, { kind: "answer", question, asked });
}

/** Ending it at any moment leaves nothing half done. */
function isHarmless(effect: Effect): boolean {
  return effect === "read" || effect === "network";
}

function isAborted({ structuredContent }: CallToolResult): boolean {
  return (structuredContent as { readonly code?: unknown } | undefined)?.code === "aborted";
}

function late({ name, effect, isLate }: Pending): CallToolResult {
  if (!isLate) return errorResult(new AtomicError("aborted", "Operation aborted"));
  const seconds = limits.mcpCallTime / 1000;
  const message = `${name} was stopped after ${seconds} s, before MCP clients stop waiting.`;
  return errorResult(
    isHarmless(effect)
      ? new AtomicError("mcp.time", message)
      : new AtomicError("mcp.time", message, {
          hint: "Read what it was to change before calling again: it may have been done in part.",
        }),
  );
}

function died({ name, effect }: Pending, how: string): CallToolResult {
  const message = `The process that did this call of ${name} ended with ${how} before it answered.`;
  return errorResult(
    isHarmless(effect)
      ? new AtomicError("mcp.process", message, { hint: "Call again, for less at a time." })
      : new AtomicError("mcp.process", message),
  );
}

function endText({ code, signal }: ProcessEnd): string {
  return signal === undefined ? `status ${code}` : `signal ${signal}`;
}
