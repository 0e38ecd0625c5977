import * as v from "valibot";

import { AtomicError } from "../errors.ts";
import type { Answer, Question } from "../questions/question.ts";
import { checkQuestions } from "../questions/rules.ts";
import { questions } from "../questions/schema.ts";
import { type Call, defineTool, type Rendered } from "../tool.ts";

const input = v.strictObject({ questions });

type Input = v.InferOutput<typeof input>;

interface AskData {
  readonly answers: readonly Answer[];
}

export const askUserQuestion = defineTool({
  name: "ask_user_question",
  summary: "Ask the user one to four questions and wait for the answers",
  description:
    "Puts one to four questions with two to four options each to the user and waits for the answers. " +
    "Use it, and not plain text, for every question to the user: clarifications, preferences, confirmations, approvals and permission to proceed. " +
    "Ask only when a decision is needed, and do not ask again for work that is already authorized. Group related questions in one call. " +
    "For a confirmation, name the concrete action and its scope in the question, and offer explicit options to proceed and to decline. " +
    "The user may also type an answer of their own, or ask to talk first. " +
    "A cancelled or unanswered question is not approval. Where nobody can be asked, go on with the safest reading and state the assumption; that is no approval either.",
  effect: "read",
  input,
  run,
  render,
  details: ({ answers }) => ({ answers, cancelled: false }),
  cli: {
    content: "questions",
    contentIsJson: true,
    takesAnswers: true,
    aliases: ["ask", "ask_user"],
  },
  examples: [
    {
      title: "Before something that cannot be taken back",
      input: {
        questions: [
          {
            header: "Delete branches",
            question: "Delete the 3 merged branches fix-1, fix-2 and fix-3 on origin?",
            options: [
              { label: "Proceed", description: "Delete those three on origin, and nothing else." },
              { label: "Do not proceed", description: "Leave all branches as they are." },
            ],
          },
        ],
      },
    },
  ],
});

async function run(request: Input, _ports: object, call: Call): Promise<AskData> {
  checkQuestions(request.questions as readonly Question[]);
  const asked = await call.ask?.(request.questions as readonly Question[], call.signal);
  if (asked === undefined || asked.ended === "undelivered") throw nobody(request);
  if (asked.ended !== "submitted") {
    const why =
      asked.ended === "timed out" ? "did not answer in time" : "left the questions unanswered";
    throw new AtomicError("question.cancelled", `The user ${why}.`, {
      data: { answers: [], cancelled: true },
    });
  }
  const { answers } = asked;
  const chat = answers.find(({ kind }) => kind === "chat");
  if (!chat) return { answers };
  const others = answers.filter((answer) => answer !== chat);
  const before = others.length === 0 ? "" : ` Answered before that: ${segments(others)}`;
  throw new AtomicError(
    "question.chat",
    `The user wants to talk about this first: ${JSON.stringify(chat.question)}.${before}`,
    { data: { answers, cancelled: false } },
  );
}

function nobody(request: Input): AtomicError {
  return new AtomicError(
    "question.no_ui",
    "Nobody can be asked here. Go on with the safest reading and state the assumption; it is not approval.",
    {
      data: { cancelled: true, ...request },
      output: JSON.stringify(request),
      hint: "What a person answers elsewhere can be handed on by the command line: --answers FILE, a JSON list with a label, a list of labels or other text for each question.",
    },
  );
}

function render({ answers }: AskData): Rendered {
  return { text: `The user answered; go on with these answers. ${segments(answers)}` };
}

/** Quoted as in JSON, so that no answer can pass for more than one. */
function segments(answers: readonly Answer[]): string {
  return answers
    .map(({ question, answer }) => `${JSON.stringify(question)}=${JSON.stringify(answer)}.`)
    .join(" ");
}
