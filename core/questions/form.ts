// The questions as a form that keys are pressed in. A pure state machine: state and key in, state or the end out.

import type { Key } from "./keys.ts";
import { emptyLine, type Line, lineOf, textOf, type } from "./line.ts";
import type { Answer, Asked, Question } from "./question.ts";
import { rowLabels } from "./rules.ts";

export interface Form {
  readonly questions: readonly Question[];
  readonly pages: readonly Page[];
  /** The question that is shown; one past the last: what was answered, to be looked over and sent. */
  readonly at: number;
  /** The row of the review. */
  readonly reviewRow: number;
  /** Why the last key did nothing; "" where it did. */
  readonly notice: string;
  /** Lines that the view was moved by hand; 0 after every other key. */
  readonly scroll: number;
}

/** What has been done about one question. */
export interface Page {
  readonly row: number;
  readonly filter: string;
  /** Places of the options that were chosen. */
  readonly chosen: readonly number[];
  readonly own: Line;
  /** The answer to a question of one choice is the own text. */
  readonly isOwn: boolean;
}

export type Row =
  { readonly kind: "option"; readonly option: number } | { readonly kind: "own" | "next" | "chat" };

export type Pressed = Form | Ended;

export interface Ended {
  readonly ended: Asked | "interrupted";
}

export function openForm(questions: readonly Question[]): Form {
  const page: Page = { row: 0, filter: "", chosen: [], own: emptyLine, isOwn: false };
  return {
    questions,
    pages: questions.map(() => page),
    at: 0,
    reviewRow: 0,
    notice: "",
    scroll: 0,
  };
}

/** The rows of a question, in order: the options that the filter leaves, then what is always there. */
export function rowsOf(question: Question, { filter }: Pick<Page, "filter">): readonly Row[] {
  const rows: Row[] = matching(question, filter).map((option) => ({ kind: "option", option }));
  if (!question.isClosed) rows.push({ kind: "own" });
  if (question.multiSelect) rows.push({ kind: "next" });
  if (!question.isClosed) rows.push({ kind: "chat" });
  return rows;
}

/** Rows of the review: one for each question, then the one that sends them. */
export const reviewRows = (form: Form): number => form.questions.length + 1;

/** By their labels, or, where none has it, by their descriptions. */
function matching({ options }: Question, filter: string): number[] {
  const all = options.map((_, index) => index);
  if (filter === "") return all;
  const wanted = filter.toLowerCase();
  const within = (field: "label" | "description") =>
    all.filter((index) => options[index]![field].toLowerCase().includes(wanted));
  const byLabel = within("label");
  return byLabel.length > 0 ? byLabel : within("description");
}

export function press(form: Form, key: Key): Pressed {
  if (key.name === "interrupt") return { ended: "interrupted" };
  if (key.name === "report") return form;
  if (key.name === "page-up" || key.name === "page-down") {
    const step = key.name === "page-up" ? -SCROLL : SCROLL;
    return { ...form, notice: "", scroll: form.scroll + step };
  }
  const fresh = { ...form, notice: "", scroll: 0 };
  return fresh.at === fresh.questions.length ? review(fresh, key) : answer(fresh, key);
}

const SCROLL = 5;

function review(form: Form, key: Key): Pressed {
  const count = reviewRows(form);
  const to = (row: number): Form => ({ ...form, reviewRow: (row + count) % count });
  switch (key.name) {
    case "up":
      return to(form.reviewRow - 1);
    case "down":
      return to(form.reviewRow + 1);
    case "home":
      return to(0);
    case "end":
      return to(count - 1);
    case "left":
    case "back-tab":
      return turn(form, form.at - 1);
    case "escape":
    case "end-of-input":
      return { ended: { ended: "cancelled" } };
    case "text": {
      const number = Number(key.text);
      return number >= 1 && number < count ? turn(form, number - 1) : form;
    }
    case "enter":
      return form.reviewRow < count - 1 ? turn(form, form.reviewRow) : send(form);
    default:
      return form;
  }
}

function answer(form: Form, key: Key): Pressed {
  const question = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  const rows = rowsOf(question, page);
  const row = rows[page.row];
  if (row?.kind === "own") {
    const hasText = textOf(page.own) !== "";
    const moves = ["left", "right", "home", "end"].includes(key.name);
    const own = moves && !hasText ? undefined : type(page.own, key);
    if (own) return withPage(form, { own });
  }
  switch (key.name) {
    case "up":
      return move(form, page.row <= 0 ? rows.length - 1 : page.row - 1);
    case "down":
      return move(form, page.row >= rows.length - 1 ? 0 : page.row + 1);
    case "home":
      return move(form, 0);
    case "end":
      return move(form, rows.length - 1);
    case "right":
    case "tab":
      return form.at < last(form) ? turn(form, form.at + 1) : form;
    case "left":
    case "back-tab":
      return form.at > 0 ? turn(form, form.at - 1) : form;
    case "escape":
      if (page.filter !== "") return withPage(form, { filter: "", row: 0 });
      return { ended: { ended: "cancelled" } };
    case "end-of-input":
      return { ended: { ended: "cancelled" } };
    case "backspace":
      return filter(form, [...page.filter].slice(0, -1).join(""));
    case "delete-line":
    case "delete-word":
      return filter(form, "");
    case "paste":
      return filter(form, page.filter + key.text.split("\n")[0]!);
    case "text":
      return typedAll(form, key.text, row);
    case "enter":
      return row ? choose(form, row) : { ...form, notice: noMatch(question) };
    default:
      return form;
  }
}

function noMatch({ isClosed }: Question): string {
  const own = isClosed ? "" : " Down makes it your own answer.";
  return `No option has that text.${own}`;
}

/** What came at once was still typed one by one. */
function typedAll(form: Form, text: string, row: Row | undefined): Pressed {
  const [first = "", ...more] = text;
  const pressed = typed(form, first, row);
  if (more.length === 0 || "ended" in pressed) return pressed;
  return press(pressed, { name: "text", text: more.join("") });
}

function typed(form: Form, text: string, row: Row | undefined): Pressed {
  const question = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  if (text === " " && question.multiSelect && row?.kind === "option") return choose(form, row);
  if (page.filter === "") {
    if (text.trim() === "") return form;
    if (/^[1-9]$/.test(text)) return numbered(form, Number(text) - 1);
  }
  return filter(form, page.filter + text);
}

/** The rows by number, which only an option takes for its choice. */
function numbered(form: Form, place: number): Pressed {
  const rows = rowsOf(form.questions[form.at]!, { filter: "" });
  const row = rows[place];
  if (!row) return { ...form, notice: `There is no row ${place + 1}.` };
  const moved = move(form, place);
  return row.kind === "option" ? choose(moved, row) : moved;
}

function filter(form: Form, text: string): Form {
  const page = form.pages[form.at]!;
  if (text === page.filter) return form;
  // No row is current where no option is left: what is typed next still belongs to the filter.
  const isLeft = matching(form.questions[form.at]!, text).length > 0;
  return withPage(form, { filter: text, row: isLeft ? 0 : -1 });
}

/** What was typed to filter becomes the beginning of an own answer. */
function move(form: Form, to: number): Form {
  const question = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  const rows = rowsOf(question, page);
  if (rows[to]?.kind !== "own" || page.filter === "")
    return withPage(form, { row: Math.max(0, to) });
  const row = rowsOf(question, { filter: "" }).findIndex(({ kind }) => kind === "own");
  const own = textOf(page.own) === "" ? lineOf(page.filter) : page.own;
  return withPage(form, { row, own, filter: "" });
}

function choose(form: Form, row: Row): Pressed {
  const { multiSelect } = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  const text = textOf(page.own).trim();
  switch (row.kind) {
    case "option": {
      const { option } = row;
      const seen = { filter: "", row: option };
      if (!multiSelect) return onward(withPage(form, { ...seen, chosen: [option], isOwn: false }));
      const chosen = page.chosen.includes(option)
        ? page.chosen.filter((one) => one !== option)
        : [...page.chosen, option].sort((a, b) => a - b);
      return withPage(form, { ...seen, chosen });
    }
    case "own":
      if (text === "") return { ...form, notice: "Type the answer first." };
      return onward(multiSelect ? form : withPage(form, { chosen: [], isOwn: true }));
    case "next":
      if (page.chosen.length > 0 || text !== "") return onward(form);
      return { ...form, notice: "Choose at least one option, or type an answer." };
    case "chat":
      return chat(form);
  }
}

/** The last of one question sends it; several are looked over first. */
function onward(form: Form): Pressed {
  if (form.questions.length === 1) return send(form);
  return turn(form, form.at + 1);
}

function last({ questions }: Form): number {
  return questions.length === 1 ? 0 : questions.length;
}

function turn(form: Form, at: number): Form {
  return { ...form, at, reviewRow: at === form.questions.length ? at : form.reviewRow };
}

function send(form: Form): Pressed {
  const answers: Answer[] = [];
  for (const index of form.questions.keys()) {
    const given = answerOf(form, index);
    if (!given) {
      return { ...turn(form, index), notice: "This question is not answered yet." };
    }
    answers.push(given);
  }
  return { ended: { ended: "submitted", answers } };
}

/** Talking comes before deciding: what was answered before it is told too. */
function chat(form: Form): Ended {
  const { question } = form.questions[form.at]!;
  const answers: Answer[] = form.questions.flatMap((_, index) => {
    if (index === form.at) {
      return { questionIndex: index, question, kind: "chat", answer: rowLabels.chat };
    }
    return answerOf(form, index) ?? [];
  });
  return { ended: { ended: "submitted", answers } };
}

/** Undefined where there is none yet. */
export function answerOf(form: Form, index: number): Answer | undefined {
  const { question, options, multiSelect } = form.questions[index]!;
  const { chosen, own, isOwn } = form.pages[index]!;
  const base = { questionIndex: index, question };
  const text = textOf(own).trim();
  const selected = chosen.map((option) => options[option]!.label);
  if (multiSelect) return multiAnswer(base, selected, text);
  if (isOwn) return text === "" ? undefined : { ...base, kind: "custom", answer: text };
  const option = options[chosen[0] ?? -1];
  return option && optionAnswer(base, option);
}

type Base = Pick<Answer, "questionIndex" | "question">;

export function optionAnswer(base: Base, { label, preview }: Question["options"][number]): Answer {
  return { ...base, kind: "option", answer: label, ...(preview !== undefined && { preview }) };
}

/** @param text own words beside the labels, or "" */
export function multiAnswer(
  base: Base,
  selected: readonly string[],
  text: string,
): Answer | undefined {
  if (selected.length === 0)
    return text === "" ? undefined : { ...base, kind: "custom", answer: text };
  const answer = [...selected, ...(text === "" ? [] : [text])].join(", ");
  return { ...base, kind: "multi", answer, selected, ...(text !== "" && { notes: text }) };
}

function withPage(form: Form, change: Partial<Page>): Form {
  const pages = form.pages.map((page, index) =>
    index === form.at ? { ...page, ...change } : page,
  );
  return { ...form, pages };
}
