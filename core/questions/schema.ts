import * as v from "valibot";

import { limits } from "../limits.ts";

/** Not blank, and no longer than that. */
function text(most: number, description: string) {
  return v.pipe(
    v.string(),
    v.regex(/\S/, "must not be blank"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.description(description),
  );
}

const option = v.strictObject({
  label: text(limits.questionLabel, "What is chosen, in a few words."),
  description: text(limits.questionText, "What choosing it comes to."),
  preview: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(limits.questionPreview, `must have at most ${limits.questionPreview} characters`),
      v.description("Text that shows it, such as code; only where one option is chosen."),
    ),
  ),
});

const question = v.strictObject({
  header: text(limits.questionHeader, "A word or two that stand for the question."),
  question: text(
    limits.questionText,
    "The whole question; for a confirmation the concrete action and its scope.",
  ),
  options: v.pipe(
    v.array(option),
    v.minLength(2, "must have at least two options"),
    v.maxLength(limits.questionOptions, `must have at most ${limits.questionOptions} options`),
    v.description("Two to four; the recommended one first. An own answer is always offered too."),
  ),
  multiSelect: v.pipe(
    v.optional(v.boolean(), false),
    v.description("Several options may be chosen."),
  ),
});

export const questions = v.pipe(
  v.array(question),
  v.minLength(1, "must have at least one question"),
  v.maxLength(limits.questions, `must have at most ${limits.questions} questions`),
  v.description("One to four questions that belong together."),
);
