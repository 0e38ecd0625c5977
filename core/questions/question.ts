// What can be asked of a person, and what comes of it: on the command line through the terminal, over MCP through the
// client's form. A cancelled or unanswered question is never approval (seed 000, "ask_user_question").

import { AtomicError } from "../errors.ts";

export interface Question {
  /** A word or two that stand for the question; at most 16 characters. */
  readonly header: string;
  /** Whole and by itself understandable; for a confirmation it names the action and its scope. */
  readonly question: string;
  /** Two to four. */
  readonly options: readonly QuestionOption[];
  /** Several options may be chosen. */
  readonly multiSelect?: boolean;
  /** Nothing but one of the options is an answer: no text of one's own, no "chat about this". */
  readonly isClosed?: boolean;
}

export interface QuestionOption {
  /** At most 60 characters. */
  readonly label: string;
  readonly description: string;
  /** Text that shows what the option comes to; only where one option is chosen. */
  readonly preview?: string;
}

export interface Answer {
  readonly questionIndex: number;
  readonly question: string;
  /** "chat": the person wants to talk about it first, so that nothing is decided. */
  readonly kind: "option" | "multi" | "custom" | "chat";
  /** The label, the labels with commas between them, or the person's own words. */
  readonly answer: string;
  /** The labels, for "multi". */
  readonly selected?: readonly string[];
  /** The person's own words beside the labels, for "multi". */
  readonly notes?: string;
  /** Of the option that was chosen. */
  readonly preview?: string;
}

/** How the wait ended (seed 004, "ask_user"). All questions are answered, or none is. */
export type Asked =
  | { readonly ended: "submitted"; readonly answers: readonly Answer[] }
  | { readonly ended: "cancelled" | "timed out" | "undelivered" };

/** Puts questions to the person and waits. Rejects where `signal` is aborted, with its reason. */
export type Ask = (questions: readonly Question[], signal: AbortSignal) => Promise<Asked>;

export interface Confirmation {
  readonly header: string;
  /** The concrete action and its scope. */
  readonly question: string;
  /** What the two answers come to. */
  readonly proceed: string;
  readonly decline: string;
}

/** @returns "nobody" where there is no one to ask, "no" for every answer but a plain yes */
export async function confirm(
  { ask, signal }: { readonly ask?: Ask; readonly signal: AbortSignal },
  { header, question, proceed, decline }: Confirmation,
): Promise<"yes" | "no" | "nobody"> {
  if (ask === undefined) return "nobody";
  const options = [
    { label: PROCEED, description: proceed },
    { label: DECLINE, description: decline },
  ];
  const asked = await ask([{ header, question, options, isClosed: true }], signal);
  if (asked.ended === "undelivered") return "nobody";
  if (asked.ended !== "submitted") return "no";
  const [only] = asked.answers;
  return only?.kind === "option" && only.answer === PROCEED ? "yes" : "no";
}

/**
 * Goes on only with a person's yes.
 * @throws AtomicError `question.no_ui`, `question.declined`
 */
export async function approve(
  where: { readonly ask?: Ask; readonly signal: AbortSignal },
  confirmation: Confirmation,
): Promise<void> {
  const verdict = await confirm(where, confirmation);
  if (verdict === "yes") return;
  const { question } = confirmation;
  throw verdict === "nobody"
    ? new AtomicError("question.no_ui", `Nobody can be asked: ${question}`, { data: { question } })
    : new AtomicError("question.declined", `The user did not approve: ${question}`, {
        data: { question },
      });
}

const PROCEED = "Proceed";
const DECLINE = "Do not proceed";
