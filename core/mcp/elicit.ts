// Questions to a person through the client: as one form (elicitation), with nothing in it that the oldest protocol with
// forms lacks. What comes back is a stranger's word, and is checked against the questions.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";

import { multiAnswer, optionAnswer } from "../questions/form.ts";
import type { Answer, Asked, Question } from "../questions/question.ts";
import { rowLabels } from "../questions/rules.ts";
import { showHidden } from "../text/controls.ts";

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

/** @param capabilities of the client: `elicitation` without modes is the form's, from before there were others */
export function canElicit(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { readonly elicitation?: object };
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return Object.keys(elicitation).length === 0 || "form" in elicitation;
}

export function formOf(questions: readonly Question[]): ElicitRequestFormParams {
  const properties: Properties = {};
  const required: string[] = [];
  for (const [index, asked] of questions.entries()) {
    const key = keyOf(index);
    const title = showHidden(asked.header);
    if (asked.multiSelect) {
      for (const [place, { label, description }] of asked.options.entries()) {
        properties[`${key}_${place + 1}`] = {
          type: "boolean",
          title: `${title}: ${showHidden(label)}`,
          description: showHidden(description),
          default: false,
        };
      }
    } else {
      properties[key] = {
        type: "string",
        title,
        description: showHidden(asked.question),
        enum: asked.options.map(({ label }) => label),
      };
      if (asked.isClosed) required.push(key);
    }
    if (!asked.isClosed) {
      properties[`${key}_own`] = {
        type: "string",
        title: `${title}: ${rowLabels.own}`,
        description: asked.multiSelect ? "Beside what is chosen" : "In the place of the options",
      };
    }
  }
  if (questions.some(({ isClosed }) => !isClosed)) {
    properties["chat"] = {
      type: "boolean",
      title: rowLabels.chat,
      description: "Decide nothing yet",
      default: false,
    };
  }
  return {
    mode: "form",
    message: questions.map(messageOf).join("\n\n"),
    requestedSchema: { type: "object", properties, ...(required.length > 0 && { required }) },
  };
}

/** Whole in the message: not every client shows what stands beside a field. */
function messageOf({ question, options }: Question): string {
  const rows = options.map(({ label, description, preview }) => {
    const shown =
      preview === undefined || preview === "" ? "" : `\n${indented(showHidden(preview))}`;
    return `- ${showHidden(label)}: ${showHidden(description)}${shown}`;
  });
  return `${showHidden(question)}\n${rows.join("\n")}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}

function keyOf(index: number): string {
  return `q${index + 1}`;
}

/** Only what the person accepted counts, and only where every question has an answer that it allows. */
export function askedOf(
  { action, content }: { readonly action: string; readonly content?: unknown },
  questions: readonly Question[],
): Asked {
  if (action !== "accept" || typeof content !== "object" || content === null) {
    return { ended: "cancelled" };
  }
  const given = content as Readonly<Record<string, unknown>>;
  const open = questions.findIndex(({ isClosed }) => !isClosed);
  const wantsChat = open >= 0 && given["chat"] === true;
  const answers: Answer[] = [];
  for (const [index, question] of questions.entries()) {
    const answer = answerOf(given, question, index);
    if (answer) answers.push(answer);
    else if (!wantsChat) return { ended: "cancelled" };
  }
  if (!wantsChat) return { ended: "submitted", answers };
  // It belongs to the first question that is not answered.
  const first = questions.findIndex((_, i) => !answers.some((one) => one.questionIndex === i));
  const about = first < 0 ? open : first;
  const chat: Answer = {
    questionIndex: about,
    question: questions[about]!.question,
    kind: "chat",
    answer: rowLabels.chat,
  };
  return {
    ended: "submitted",
    answers: [...answers.filter(({ questionIndex }) => questionIndex !== about), chat],
  };
}

function answerOf(
  given: Readonly<Record<string, unknown>>,
  { question, options, multiSelect, isClosed }: Question,
  index: number,
): Answer | undefined {
  const key = keyOf(index);
  const base = { questionIndex: index, question };
  const own = given[`${key}_own`];
  const text = !isClosed && typeof own === "string" ? own.trim() : "";
  if (multiSelect) {
    const labels = options.filter((_, place) => given[`${key}_${place + 1}`] === true);
    return multiAnswer(
      base,
      labels.map(({ label }) => label),
      text,
    );
  }
  if (text !== "") return { ...base, kind: "custom", answer: text };
  const option = options.find(({ label }) => label === given[key]);
  return option && optionAnswer(base, option);
}
