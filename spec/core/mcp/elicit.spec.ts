import { expect, test } from "bun:test";

import { askedOf, canElicit, formOf } from "../../../core/mcp/elicit.ts";
import type { Question } from "../../../core/questions/question.ts";

const database: Question = {
  header: "DB",
  question: "Which database?",
  options: [
    { label: "Postgres", description: "p", preview: "one\ntwo" },
    { label: "SQLite", description: "s\u202e" },
  ],
};
const extras: Question = {
  header: "Extras",
  question: "Which extras?",
  multiSelect: true,
  options: [
    { label: "Auth", description: "a" },
    { label: "Mail", description: "m" },
  ],
};
const closed: Question = { ...database, isClosed: true };

test("the form has strings, choices and ticks, which every client with forms knows", () => {
  expect(formOf([database, extras])).toEqual({
    mode: "form",
    message:
      "Which database?\n- Postgres: p\n    one\n    two\n- SQLite: s\\u202e\n\nWhich extras?\n- Auth: a\n- Mail: m",
    requestedSchema: {
      type: "object",
      properties: {
        q1: {
          type: "string",
          title: "DB",
          description: "Which database?",
          enum: ["Postgres", "SQLite"],
        },
        q1_own: {
          type: "string",
          title: "DB: Type an answer",
          description: "In the place of the options",
        },
        q2_1: { type: "boolean", title: "Extras: Auth", description: "a", default: false },
        q2_2: { type: "boolean", title: "Extras: Mail", description: "m", default: false },
        q2_own: {
          type: "string",
          title: "Extras: Type an answer",
          description: "Beside what is chosen",
        },
        chat: {
          type: "boolean",
          title: "Chat about this",
          description: "Decide nothing yet",
          default: false,
        },
      },
    },
  });
  expect(formOf([closed]).requestedSchema).toEqual({
    type: "object",
    properties: {
      q1: {
        type: "string",
        title: "DB",
        description: "Which database?",
        enum: ["Postgres", "SQLite"],
      },
    },
    required: ["q1"],
  });
});

const both = [database, extras];
const answered: readonly (readonly [object, readonly string[]])[] = [
  [{ q1: "SQLite", q2_2: true }, ["option: SQLite", "multi: Mail"]],
  [
    { q1: "SQLite", q1_own: " MySQL ", q2_1: true, q2_own: "Jobs" },
    ["custom: MySQL", "multi: Auth, Jobs"],
  ],
  [{ q1_own: "x", q2_own: "y" }, ["custom: x", "custom: y"]],
  [{ q1: "SQLite", chat: true }, ["option: SQLite", "chat: Chat about this"]],
  [{ q1: "SQLite", q2_1: true, chat: true }, ["multi: Auth", "chat: Chat about this"]],
];

test.each(answered)("%j is understood", (content, answers) => {
  const asked = askedOf({ action: "accept", content }, both);
  expect(
    asked.ended === "submitted" && asked.answers.map(({ kind, answer }) => `${kind}: ${answer}`),
  ).toEqual(answers as string[]);
});

const nothing: readonly (readonly [string, unknown, readonly Question[]])[] = [
  ["decline", { q1: "SQLite", q2_1: true }, both],
  ["cancel", undefined, both],
  ["accept", undefined, both],
  ["accept", "SQLite", both],
  ["accept", {}, both],
  ["accept", { q1: "SQLite" }, both],
  ["accept", { q1: "sqlite", q2_1: true }, both],
  ["accept", { q1: ["SQLite"], q2_1: true }, both],
  ["accept", { q1: "SQLite", q2_1: "true" }, both],
  ["accept", { q1: "SQLite", q2_own: "  " }, both],
  ["accept", { q1_own: "SQLite" }, [closed]],
  ["accept", { chat: true }, [closed]],
];

test.each(nothing)("%s with %j answers nothing", (action, content, questions) => {
  expect(askedOf({ action, content }, questions)).toEqual({ ended: "cancelled" });
});

test("a client has forms where it says so, also in the words from before there were others", () => {
  expect(canElicit({ elicitation: {} })).toBe(true);
  expect(canElicit({ elicitation: { form: {} } })).toBe(true);
  expect(canElicit({ elicitation: { form: {}, url: {} } })).toBe(true);
  expect(canElicit({ elicitation: { url: {} } })).toBe(false);
  expect(canElicit({ roots: {} })).toBe(false);
  expect(canElicit(undefined)).toBe(false);
});
