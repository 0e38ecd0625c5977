import { expect, test } from "bun:test";

import { readAnswers } from "../../../core/questions/answers.ts";
import type { Question } from "../../../core/questions/question.ts";

const questions: readonly Question[] = [
  {
    header: "DB",
    question: "Which database?",
    options: [
      { label: "Postgres", description: "p", preview: "psql" },
      { label: "SQLite", description: "s" },
    ],
  },
  {
    header: "Extras",
    question: "Which extras?",
    multiSelect: true,
    options: [
      { label: "Auth", description: "a" },
      { label: "Mail", description: "m" },
    ],
  },
];

const first = { questionIndex: 0, question: "Which database?" };
const second = { questionIndex: 1, question: "Which extras?" };
const postgres = { ...first, kind: "option", answer: "Postgres", preview: "psql" };
const both = { ...second, kind: "multi", answer: "Auth, Mail", selected: ["Auth", "Mail"] };

const understood: readonly (readonly [unknown, unknown])[] = [
  [
    ["Postgres", ["Auth", "Mail"]],
    [postgres, both],
  ],
  [
    [" postgres ", ["mail", "AUTH", "Mail"]],
    [postgres, both],
  ],
  [{ "Which database?": "Postgres", extras: ["Auth", "Mail"] }, [postgres, both]],
  [
    ["MySQL", "Auth"],
    [
      { ...first, kind: "custom", answer: "MySQL" },
      { ...second, kind: "multi", answer: "Auth", selected: ["Auth"] },
    ],
  ],
  [
    ["chat about this", "both"],
    [
      { ...first, kind: "chat", answer: "Chat about this" },
      { ...second, kind: "custom", answer: "both" },
    ],
  ],
];

test.each(understood)("%j answers", (given, answers) => {
  expect(readAnswers(given, questions)).toEqual({ ended: "submitted", answers: answers as never });
});

const unanswered: readonly (readonly [unknown])[] = [
  [["Postgres", null]],
  [["Postgres", []]],
  [["  ", "Auth"]],
  [{ DB: "Postgres" }],
  [{}],
];

test.each(unanswered)("%j leaves all unanswered", (given) => {
  expect(readAnswers(given, questions)).toEqual({ ended: "cancelled" });
});

const refused: readonly (readonly [unknown, string])[] = [
  ["yes", "The answers must be a list with one entry for each question."],
  [null, "The answers must be a list with one entry for each question."],
  [["a"], "The answers must be one for each question: there are 2 of these, but 1 answers."],
  [["a", 1], "Answer 2 must be a label, a list of labels, other text or null."],
  [
    [["Postgres"], "Auth"],
    "Answer 1 must be one label or text, since the question takes one choice.",
  ],
  [["a", ["Auht"]], 'Answer 2 has "Auht", which is none of the labels; did you mean "Auth"'],
  [["a", ["x", "Auth"]], 'Answer 2 has "x", which is none of the labels: Auth, Mail.'],
  [{ Which: "a" }, 'The answers name "Which", which is no question'],
];

test.each(refused)("%j is refused", (given, message) => {
  expect(() => readAnswers(given, questions)).toThrow(message);
});
