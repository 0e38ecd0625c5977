// The process that does a connection's calls. What the server must answer at once (pings, cancellations, the next call)
// never waits for a tool that computes: the tools are here, the protocol is there.

import { callTool } from "../call.ts";
import { asAtomicError } from "../errors.ts";
import type { Policy } from "../policy.ts";
import type { Host } from "../ports/host.ts";
import { registry } from "../registry.ts";
import type { Ask, Asked } from "../questions/question.ts";
import type { AnyTool, CallRequest } from "../tool.ts";
import { lineOf, type Order, type Report } from "./call-lines.ts";
import { errorResult, resultOf } from "./results.ts";

/** What every call of a connection shares. */
export type SharedCall = Omit<CallRequest, "signal" | "options" | "notice" | "progress">;

export interface CallsOptions {
  /** One order each. */
  readonly input: AsyncIterable<string | undefined>;
  /** False: nobody reads any more. */
  write(text: string): Promise<boolean>;
  readonly host: Host;
  readonly policy: Policy;
  /** @param root absolute; undefined: where the server was started, or was told to work */
  callIn(root: string | undefined): Promise<SharedCall>;
  /** A tool of a configured MCP server, by its long name. */
  loadExternal(id: string): Promise<AnyTool>;
  /** All calls are to stop. */
  readonly signal: AbortSignal;
}

/** How often a client hears of progress, in milliseconds. */
const PROGRESS_PAUSE = 500;

/** Does what it is told until its input ends; then stops what still runs, and waits for it. */
export async function doCalls(options: CallsOptions): Promise<void> {
  const running = new Map<number, AbortController>();
  const questions = new OpenQuestions(options.write);
  const calls = new Set<Promise<void>>();
  const stopAll = () => running.forEach((controller) => controller.abort());
  options.signal.addEventListener("abort", stopAll, { once: true });
  for await (const line of options.input) {
    const order = JSON.parse(line!) as Order;
    if (order.kind === "cancel") {
      running.get(order.id)?.abort();
      continue;
    }
    if (order.kind === "answer") {
      questions.answer(order.question, order.asked);
      continue;
    }
    const controller = new AbortController();
    running.set(order.id, controller);
    if (options.signal.aborted) controller.abort();
    const call = doCall(order, controller.signal, questions, options).finally(() => {
      running.delete(order.id);
      calls.delete(call);
    });
    calls.add(call);
  }
  stopAll();
  await Promise.all(calls);
}

async function doCall(
  { id, tool: name, input, root, asks, tools }: Order & { readonly kind: "call" },
  signal: AbortSignal,
  questions: OpenQuestions,
  { host, policy, callIn, write, loadExternal }: CallsOptions,
): Promise<void> {
  const report = (message: Report) => write(lineOf(message));
  let last = host.clock.now();
  try {
    // The server asks for tools of the registry and of configured servers only.
    const row = registry.find((each) => each.name === name);
    const tool = row ? await row.load() : await loadExternal(name);
    const request: CallRequest = {
      ...(await callIn(root)),
      signal,
      tools,
      ...(asks && { ask: questions.askFor(id) }),
      options: { dryRun: false, partial: false, force: false, unlimited: false },
      notice: (text) => void report({ kind: "notice", id, text }),
      progress(text) {
        const now = host.clock.now();
        if (now - last < PROGRESS_PAUSE) return;
        last = now;
        void report({ kind: "progress", id, text: text() });
      },
    };
    const result = resultOf(await callTool(tool, input, host, request, policy));
    await report({ kind: "done", id, result });
  } catch (thrown) {
    await report({ kind: "done", id, result: errorResult(asAtomicError(thrown)) });
  }
}

/** What calls want to know of a person: the server asks, and sends back what came of it. */
class OpenQuestions {
  readonly #write: (text: string) => Promise<boolean>;
  readonly #open = new Map<number, (asked: Asked) => void>();
  #last = 0;

  constructor(write: (text: string) => Promise<boolean>) {
    this.#write = write;
  }

  /** @param id of the call */
  askFor(id: number): Ask {
    return async (questions, signal) => {
      signal.throwIfAborted();
      const question = ++this.#last;
      const { promise, resolve, reject } = Promise.withResolvers<Asked>();
      const stop = () => reject(signal.reason);
      this.#open.set(question, resolve);
      signal.addEventListener("abort", stop, { once: true });
      try {
        await this.#write(lineOf({ kind: "ask", id, question, questions }));
        return await promise;
      } finally {
        this.#open.delete(question);
        signal.removeEventListener("abort", stop);
      }
    };
  }

  answer(question: number, asked: Asked): void {
    this.#open.get(question)?.(asked);
  }
}
