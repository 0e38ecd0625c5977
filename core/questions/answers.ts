// Answers that a person gave elsewhere, as a file brings them.

import { AtomicError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import { multiAnswer, optionAnswer } from "./form.ts";
import type { Answer, Asked, Question } from "./question.ts";
import { folded, rowLabels } from "./rules.ts";

/**
 * @param given a list with one entry for each question, or an object with the questions or their headers as keys. An entry
 * is a label, a list of labels where several may be chosen, other text as an own answer, or null where there is none.
 * @throws AtomicError `usage.input`
 */
export function readAnswers(given: unknown, questions: readonly Question[]): Asked {
  const entries = entriesOf(given, questions);
  const answers: Answer[] = [];
  for (const [index, question] of questions.entries()) {
    const answer = answerFrom(entries[index], question, index);
    if (!answer) return { ended: "cancelled" };
    answers.push(answer);
  }
  return { ended: "submitted", answers };
}

function entriesOf(given: unknown, questions: readonly Question[]): readonly unknown[] {
  if (Array.isArray(given)) {
    if (given.length === questions.length) return given;
    throw wrong(
      `The answers must be one for each question: there are ${questions.length} of these, but ${given.length} answers.`,
    );
  }
  if (typeof given !== "object" || given === null) {
    throw wrong("The answers must be a list with one entry for each question.");
  }
  const known = questions.flatMap(({ question, header }) => [question, header]);
  for (const key of Object.keys(given)) {
    if (known.some((one) => folded(one) === folded(key))) continue;
    throw wrong(
      `The answers name ${JSON.stringify(key)}, which is no question${didYouMean(key, known) || "."}`,
    );
  }
  const pairs = Object.entries(given);
  return questions.map(({ question, header }) => {
    const isUnique = questions.filter((one) => folded(one.header) === folded(header)).length === 1;
    const pair =
      pairs.find(([key]) => folded(key) === folded(question)) ??
      (isUnique ? pairs.find(([key]) => folded(key) === folded(header)) : undefined);
    return pair?.[1];
  });
}

function answerFrom(given: unknown, asked: Question, index: number): Answer | undefined {
  if (given === null || given === undefined) return undefined;
  const base = { questionIndex: index, question: asked.question };
  const at = `Answer ${index + 1}`;
  if (Array.isArray(given)) {
    if (!asked.multiSelect) {
      throw wrong(`${at} must be one label or text, since the question takes one choice.`);
    }
    const chosen = new Set(given.map((label) => placeOf(label, asked, at)));
    const labels = asked.options.filter((_, place) => chosen.has(place)).map(({ label }) => label);
    return multiAnswer(base, labels, "");
  }
  if (typeof given !== "string") {
    throw wrong(`${at} must be a label, a list of labels, other text or null.`);
  }
  if (given.trim() === "") return undefined;
  if (folded(given) === folded(rowLabels.chat)) {
    return { ...base, kind: "chat", answer: rowLabels.chat };
  }
  const option = asked.options.find(({ label }) => folded(label) === folded(given));
  if (!option) return { ...base, kind: "custom", answer: given.trim() };
  return asked.multiSelect ? multiAnswer(base, [option.label], "") : optionAnswer(base, option);
}

function placeOf(given: unknown, { options }: Question, at: string): number {
  const labels = options.map(({ label }) => label);
  const place =
    typeof given === "string" ? labels.findIndex((label) => folded(label) === folded(given)) : -1;
  if (place >= 0) return place;
  const guess = typeof given === "string" ? didYouMean(given, labels) : "";
  throw wrong(
    `${at} has ${JSON.stringify(given)}, which is none of the labels${guess || `: ${labels.join(", ")}.`}`,
  );
}

function wrong(message: string): AtomicError {
  return new AtomicError("usage.input", message);
}
