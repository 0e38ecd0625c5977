// What questions must be, beyond their shape (tools.md §13.3).

import { AtomicError } from "../errors.ts";
import type { Question } from "./question.ts";

/** Rows that every question has beside its options; no option may be named as one of them. */
export const rowLabels = {
  own: "Type an answer",
  next: "Next",
  send: "Submit",
  chat: "Chat about this",
} as const;

const reserved = [...Object.values(rowLabels), "Other"].map(folded);

/** @throws AtomicError `question.duplicate`, `question.reserved`, `question.preview` */
export function checkQuestions(questions: readonly Question[]): void {
  const asked = new Map<string, number>();
  for (const [index, { question, options, multiSelect }] of questions.entries()) {
    const at = `questions[${index}]`;
    const before = asked.get(folded(question));
    if (before !== undefined) {
      throw duplicate(`${at}.question asks the same as questions[${before}].question.`);
    }
    asked.set(folded(question), index);
    const labels = new Map<string, number>();
    for (const [place, { label, preview }] of options.entries()) {
      const where = `${at}.options[${place}]`;
      const same = labels.get(folded(label));
      if (same !== undefined) {
        throw duplicate(`${where}.label is the same as that of options[${same}].`);
      }
      labels.set(folded(label), place);
      if (reserved.includes(folded(label))) {
        throw new AtomicError(
          "question.reserved",
          `${where}.label is ${JSON.stringify(label)}, which every question has as a row of its own; leave it out.`,
        );
      }
      if (preview !== undefined && multiSelect) {
        throw new AtomicError(
          "question.preview",
          `${where}.preview goes with a question of one choice only; leave it out, or multiSelect.`,
        );
      }
    }
  }
}

/** What a person takes for the same. */
export function folded(text: string): string {
  return text.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}

function duplicate(message: string): AtomicError {
  return new AtomicError("question.duplicate", message);
}
