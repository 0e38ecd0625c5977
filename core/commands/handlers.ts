// Programs of the user that are offered a command before it runs here (seed 000, "Bash interception": `user_bash` handlers).
// One gets the tool's JSON on its standard input, and answers with a result or passes. One that fails has not passed: nothing
// is run then, since what it was to take over may be meant for some other place.

import * as v from "valibot";

import { type Config, settingOf } from "../config/config.ts";
import {
  commandText,
  endHelper,
  endText,
  gatherText,
  HelperFailure,
  startHelper,
  until,
  withDeadline,
} from "../diagnostics/helper.ts";
import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";

export interface Offer {
  /** The tool's input. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool: string;
  /** Where the command would run, absolute, and the command as it would run. */
  readonly cwd: string;
  readonly whole: string;
  /** The command without a leading `cd`, and where that leads; undefined where it has none. */
  readonly inFolder: { readonly command: string; readonly cwd: string } | undefined;
}

export interface HandlerResult {
  readonly output: string;
  readonly exitCode: number;
  /** The handler, as messages name it. */
  readonly handler: string;
}

const answer = v.union([
  v.strictObject({ pass: v.literal(true) }),
  v.strictObject({
    result: v.strictObject({
      output: v.string(),
      exitCode: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)), 0),
    }),
  }),
]);

/**
 * Asked in the order of the configuration, and only where the interceptor is on.
 * @returns undefined where all pass
 * @throws AtomicError `bash.handler`
 */
export async function offerCommand(
  offer: Offer,
  config: Config,
  ports: Pick<Host, "processes" | "clock">,
  signal: AbortSignal,
): Promise<HandlerResult | undefined> {
  if (!settingOf(config, "bashInterceptor")?.enabled) return undefined;
  for (const { command, timeout } of settingOf(config, "bashHandlers") ?? []) {
    const helper = { words: command, folder: offer.cwd };
    const time = timeout === undefined ? limits.handlerTime : timeout * 1000;
    try {
      const text = await withDeadline(time, ports.clock, signal, (over) =>
        askHandler(helper, offer, ports, over),
      );
      const result = parsed(text);
      if (result) return { ...result, handler: commandText(helper) };
    } catch (thrown) {
      if (!(thrown instanceof HelperFailure)) throw thrown;
      signal.throwIfAborted();
      throw new AtomicError(
        "bash.handler",
        `The handler ${commandText(helper)} was to say whether it takes the command, but ${thrown.message}. Nothing was run.`,
        { cause: thrown, data: { handler: command } },
      );
    }
  }
  return undefined;
}

async function askHandler(
  helper: { readonly words: readonly string[]; readonly folder: string },
  { input, tool, cwd, whole, inFolder }: Offer,
  ports: Pick<Host, "processes">,
  signal: AbortSignal,
): Promise<string> {
  const child = await startHelper(helper, ports);
  try {
    const errors = gatherText(child.stderr);
    const output = gatherAll(child.stdout);
    output.catch(() => {});
    const line = JSON.stringify({ ...input, tool, cwd, whole, ...(inFolder && { inFolder }) });
    void child.stdin.write(new TextEncoder().encode(`${line}\n`)).then(() => child.stdin.close());
    const end = await until(Promise.race([child.ended, output.then(() => child.ended)]), signal);
    if (end.code !== 0) throw new HelperFailure(`it ${endText(end, await until(errors, signal))}`);
    return await until(output, signal);
  } finally {
    await endHelper(child);
  }
}

function parsed(text: string): Omit<HandlerResult, "handler"> | undefined {
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HelperFailure("its answer is not JSON");
  }
  const checked = v.safeParse(answer, value);
  if (!checked.success) {
    throw new HelperFailure(
      'its answer is neither {"pass": true} nor {"result": {"output": TEXT, "exitCode": 0 to 255}}',
    );
  }
  return "result" in checked.output ? checked.output.result : undefined;
}

async function gatherAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limits.handlerOutput) {
      throw new HelperFailure(`it answers with more than ${limits.handlerOutput} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
