// Calls that ask a person over the protocol without requests to the client (2026-07-28): the answer to the call says what
// is asked, and the client calls again with what the person said. The tool meanwhile waits where it asked, so that nothing
// is done twice.

import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import type { Ask, Asked, Question } from "../questions/question.ts";
import { askedOf, formOf } from "./elicit.ts";
import { errorResult } from "./results.ts";

type McpReq = ServerContext["mcpReq"];

/** The key of the form in a result that asks the client for input. */
const KEY = "questions";

/** Calls of one connection that wait for a person. */
const MOST = 100;

export interface PausedPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** What a call that may ask gets: its signal outlives the request that began it. */
export interface TalkHooks {
  readonly signal: AbortSignal;
  readonly ask: Ask;
  /** The request that waits for the call now. */
  current(): McpReq;
}

interface Pause {
  readonly questions: readonly Question[];
  answer(asked: Asked): void;
}

interface Waiting {
  readonly name: string;
  readonly talk: Talk;
  readonly pause: Pause;
  readonly over: AbortController;
}

export class PausedCalls {
  readonly #ports: PausedPorts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: PausedPorts) {
    this.#ports = ports;
  }

  /** Carries on with the call that the request belongs to; undefined where it is a new one. */
  resume(name: string, mcpReq: McpReq): Promise<CallToolResult | InputRequiredResult> | undefined {
    const state = mcpReq.requestState<unknown>();
    if (state === undefined) return undefined;
    const waiting = typeof state === "string" ? this.#waiting.get(state) : undefined;
    if (waiting?.name !== name) return Promise.resolve(errorResult(forgotten()));
    this.#forget(state as string);
    const { questions } = waiting.pause;
    const response = inputResponse(mcpReq.inputResponses, KEY);
    waiting.pause.answer(
      response.kind === "elicit" ? askedOf(response, questions) : { ended: "cancelled" },
    );
    return this.#turn(name, waiting.talk, mcpReq);
  }

  begin(
    name: string,
    mcpReq: McpReq,
    start: (hooks: TalkHooks) => Promise<CallToolResult>,
  ): Promise<CallToolResult | InputRequiredResult> {
    return this.#turn(name, new Talk(mcpReq, start), mcpReq);
  }

  async #turn(
    name: string,
    talk: Talk,
    mcpReq: McpReq,
  ): Promise<CallToolResult | InputRequiredResult> {
    const next = await talk.next(mcpReq);
    if (!("pause" in next)) return next.result;
    const state = this.#keep(name, talk, next.pause);
    const inputRequests = { [KEY]: inputRequired.elicit(formOf(next.pause.questions)) };
    return inputRequired({ inputRequests, requestState: state });
  }

  #keep(name: string, talk: Talk, pause: Pause): string {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MOST && oldest !== undefined) this.#expire(oldest);
    const { clock, random } = this.#ports;
    const state = random.hex(16);
    const over = new AbortController();
    this.#waiting.set(state, { name, talk, pause, over });
    void clock.sleep(limits.questionTime, over.signal).then(
      () => this.#expire(state),
      () => {},
    );
    return state;
  }

  #expire(state: string): void {
    this.#waiting.get(state)?.pause.answer({ ended: "timed out" });
    this.#forget(state);
  }

  #forget(state: string): void {
    this.#waiting.get(state)?.over.abort();
    this.#waiting.delete(state);
  }
}

/** One call, over all the requests that it takes. */
class Talk {
  readonly #controller = new AbortController();
  readonly #result: Promise<CallToolResult>;
  #current: McpReq;
  #paused = Promise.withResolvers<Pause>();

  constructor(mcpReq: McpReq, start: (hooks: TalkHooks) => Promise<CallToolResult>) {
    this.#current = mcpReq;
    this.#result = start({
      signal: this.#controller.signal,
      ask: (questions) => {
        const { promise, resolve } = Promise.withResolvers<Asked>();
        this.#paused.resolve({ questions, answer: resolve });
        return promise;
      },
      current: () => this.#current,
    });
  }

  /** The next question, or the end. Cancelling the request that waits for it cancels the call. */
  async next(
    mcpReq: McpReq,
  ): Promise<{ readonly pause: Pause } | { readonly result: CallToolResult }> {
    this.#current = mcpReq;
    const { signal } = mcpReq;
    const stop = () => this.#controller.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([
        this.#paused.promise.then((pause) => ({ pause })),
        this.#result.then((result) => ({ result })),
      ]);
    } finally {
      this.#paused = Promise.withResolvers();
      signal.removeEventListener("abort", stop);
    }
  }
}

function forgotten(): AtomicError {
  return new AtomicError("question.cancelled", "This question is no longer open.", {
    hint: "Nothing was approved. Call again without the state of the earlier call.",
  });
}
