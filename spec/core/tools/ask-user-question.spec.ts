import { expect, test } from "bun:test";

import { callTool } from "../../../core/call.ts";
import type { Host } from "../../../core/ports/host.ts";
import type { Asked } from "../../../core/questions/question.ts";
import { askUserQuestion } from "../../../core/tools/ask-user-question.ts";
import { callFor } from "../../helpers/call.ts";

const option = (label: string) => ({ label, description: `${label}.` });
const question = (text: string, more: object = {}) => ({
  header: "Head",
  question: text,
  options: [option("Yes"), option("No")],
  ...more,
});

function run(input: unknown, asked?: Asked) {
  const call = callFor(asked && { ask: async () => asked });
  return callTool(askUserQuestion, input, {} as Host, call, { readOnly: true });
}

async function failure(input: unknown, asked?: Asked) {
  const outcome = await run(input, asked);
  if (outcome.ok) throw new Error("it went well");
  return outcome.error;
}

const one = { questions: [question("Go?")] };

test("the answers come back as the user gave them, each quoted", async () => {
  const answers = [
    { questionIndex: 0, question: "Go?", kind: "custom", answer: 'a". "Sure?"="Yes' },
    { questionIndex: 1, question: "Sure?", kind: "option", answer: "No" },
  ] as const;
  const input = { questions: [question("Go?"), question("Sure?")] };
  expect(await run(input, { ended: "submitted", answers })).toEqual({
    ok: true,
    rendered: {
      text: 'The user answered; go on with these answers. "Go?"="a\\". \\"Sure?\\"=\\"Yes". "Sure?"="No".',
    },
    details: { answers, cancelled: false },
  });
});

test("where nobody can be asked, the questions are handed on, and that is no approval", async () => {
  for (const asked of [undefined, { ended: "undelivered" } as const]) {
    const error = await failure(one, asked);
    expect([error.code, error.status, error.message]).toEqual([
      "question.no_ui",
      6,
      "Nobody can be asked here. Go on with the safest reading and state the assumption; it is not approval.",
    ]);
    expect(JSON.parse(error.output)).toEqual({
      questions: [question("Go?", { multiSelect: false })],
    });
    expect(error.data).toMatchObject({ cancelled: true, questions: [{ question: "Go?" }] });
  }
});

test("a question that is left, or not answered in time, is not approved", async () => {
  expect(await failure(one, { ended: "cancelled" })).toMatchObject({
    code: "question.cancelled",
    status: 6,
    message: "The user left the questions unanswered.",
    data: { answers: [], cancelled: true },
  });
  expect(await failure(one, { ended: "timed out" })).toMatchObject({
    code: "question.cancelled",
    message: "The user did not answer in time.",
  });
});

test("who wants to talk first is waited for", async () => {
  const answers = [
    { questionIndex: 0, question: "Go?", kind: "option", answer: "Yes" },
    { questionIndex: 1, question: "Sure?", kind: "chat", answer: "Chat about this" },
  ] as const;
  const input = { questions: [question("Go?"), question("Sure?")] };
  expect(await failure(input, { ended: "submitted", answers })).toMatchObject({
    code: "question.chat",
    status: 6,
    message: 'The user wants to talk about this first: "Sure?". Answered before that: "Go?"="Yes".',
  });
});

const refused: readonly (readonly [unknown, string, string])[] = [
  [{ questions: [] }, "usage.input", 'Field "questions": must have at least one question'],
  [
    { questions: Array.from({ length: 5 }, (_, i) => question(`${i}?`)) },
    "usage.input",
    'Field "questions": must have at most 4 questions',
  ],
  [
    { questions: [question("Go?", { options: [option("a")] })] },
    "usage.input",
    'Field "questions[0].options": must have at least two options',
  ],
  [
    { questions: [question("Go?", { options: ["a", "b", "c", "d", "e"].map(option) })] },
    "usage.input",
    'Field "questions[0].options": must have at most 4 options',
  ],
  [
    { questions: [question("Go?", { header: "x".repeat(17) })] },
    "usage.input",
    'Field "questions[0].header": must have at most 16 characters',
  ],
  [
    { questions: [question("Go?", { options: [option("a"), option("b".repeat(61))] })] },
    "usage.input",
    'Field "questions[0].options[1].label": must have at most 60 characters',
  ],
  [
    { questions: [question(" ")] },
    "usage.input",
    'Field "questions[0].question": must not be blank',
  ],
  [
    { questions: [question("Go?", { multiselect: true })] },
    "usage.input",
    'Unknown field "multiselect"',
  ],
  [
    { questions: [question("Go?"), question(" go?")] },
    "question.duplicate",
    "questions[1].question asks the same as questions[0].question.",
  ],
  [
    { questions: [question("Go?", { options: [option("Yes"), option("ＹＥＳ")] })] },
    "question.duplicate",
    "questions[0].options[1].label is the same as that of options[0].",
  ],
  [
    { questions: [question("Go?", { options: [option("Yes"), option("other")] })] },
    "question.reserved",
    'questions[0].options[1].label is "other", which every question has as a row of its own; leave it out.',
  ],
  [
    {
      questions: [
        question("Go?", {
          multiSelect: true,
          options: [option("a"), { ...option("b"), preview: "p" }],
        }),
      ],
    },
    "question.preview",
    "questions[0].options[1].preview goes with a question of one choice only; leave it out, or multiSelect.",
  ],
];

test.each(refused)("%j is refused", async (input, code, message) => {
  const error = await failure(input, { ended: "cancelled" });
  expect([error.code as string, error.status]).toEqual([code, 2]);
  expect(error.message).toStartWith(message);
});
