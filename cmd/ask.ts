// How a command puts questions to whoever runs it: on the terminal, or by a file with what was answered elsewhere.

import { AtomicError } from "../core/errors.ts";
import type { Ask } from "../core/questions/question.ts";
import type { Invocation } from "./command.ts";
import { readContent } from "./content.ts";
import { parseJson } from "./json-input.ts";

/**
 * The question must be seen, so standard error is a terminal; and somebody must be there, so keys come from standard input
 * where that is one, else from the terminal that the process belongs to.
 * @returns undefined where nobody can be asked
 */
export function askOf({
  program,
  settings,
  stop,
}: Pick<Invocation, "program" | "settings" | "stop">): Ask | undefined {
  if (!settings.asks || settings.isDumbTerminal || !program.stdio.stderr.isTerminal)
    return undefined;
  return async (questions, signal) => {
    const [{ askOnTerminal }, terminal, { clock }] = await Promise.all([
      import("../core/questions/on-terminal.ts"),
      program.terminal(),
      program.host(),
    ]);
    stop.arm();
    const ports = { terminal, clock, color: settings.color.err };
    const asked = await askOnTerminal(questions, ports, signal);
    if (asked.ended !== "interrupted") return asked;
    stop.interrupt();
    signal.throwIfAborted();
    return { ended: "cancelled" };
  };
}

/** @param file holds the answers as JSON; "-": standard input */
export function answersFrom(file: string, { program }: Pick<Invocation, "program">): Ask {
  return async (questions) => {
    const { readAnswers } = await import("../core/questions/answers.ts");
    const text = await readContent(file, "atomic ask-user-question --answers", program);
    return readAnswers(parseJson(text, "The answers are"), questions);
  };
}

/** @throws AtomicError usage.command where both would read standard input */
export function checkAnswers(answers: unknown, content: string | undefined): void {
  if (answers !== "-" || (content !== undefined && content !== "-")) return;
  throw new AtomicError(
    "usage.command",
    "The questions and the answers cannot both come from standard input.",
    { hint: "Name a file for one of them." },
  );
}
