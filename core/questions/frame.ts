// The form as lines of a terminal, whatever its size. Pure; texts of others cannot drive it, nor run over a line.

import { showHidden } from "../text/controls.ts";
import { columnsOf, cutColumns, wrapColumns } from "../text/width.ts";
import { answerOf, type Form, type Row, rowsOf } from "./form.ts";
import { textOf } from "./line.ts";
import type { Question } from "./question.ts";
import { rowLabels } from "./rules.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Style = "plain" | "bold" | "dim" | "current" | "warning";

export interface FrameLine {
  readonly text: string;
  readonly style: Style;
}

interface BodyLine extends FrameLine {
  /** Of the row that the cursor is on. */
  readonly isCurrent?: boolean;
}

/** As many lines as fit, none longer than the width. */
export function frame(form: Form, { columns, rows }: Size): readonly FrameLine[] {
  const width = Math.max(1, columns);
  const isReview = form.at === form.questions.length;
  const body = isReview ? reviewBody(form, width) : questionBody(form, width);
  const head = rows >= 6 ? [line(headOf(form), "dim")] : [];
  const foot: FrameLine[] = [];
  if (form.notice !== "") foot.push(line(form.notice, "warning"));
  if (rows >= 6) foot.push(line(footOf(form), "dim"));
  const room = Math.max(1, rows - head.length - foot.length);
  return [...head, ...visible(body, room, form.scroll), ...foot]
    .slice(0, Math.max(1, rows))
    .map(({ text, style }) => ({ text: cutColumns(text.replaceAll("\n", " "), width), style }));
}

function line(text: string, style: Style = "plain"): FrameLine {
  return { text, style };
}

/** The part that shows the row that the cursor is on, or another where it was moved by hand; what is hidden is told. */
function visible(body: readonly BodyLine[], room: number, scroll: number): readonly FrameLine[] {
  if (body.length <= room) return body;
  const first = body.findIndex(({ isCurrent }) => isCurrent);
  const end = body.findLastIndex(({ isCurrent }) => isCurrent) + 1;
  // Of a row that is longer than the window its beginning.
  const told = room < 4 ? 0 : 1;
  const wanted = Math.min(Math.max(0, end + told - room), Math.max(0, first - told));
  const top = Math.min(Math.max(0, wanted + scroll), body.length - room);
  const shown: FrameLine[] = body.slice(top, top + room);
  if (told === 0) return shown;
  const below = body.length - top - room;
  if (top > 0) shown[0] = line(`^ ${top + 1} lines above (PgUp)`, "dim");
  if (below > 0) shown[room - 1] = line(`v ${below + 1} lines below (PgDn)`, "dim");
  return shown;
}

function headOf({ questions, at }: Form): string {
  if (at === questions.length) return "Your answers";
  const header = plain(questions[at]!.header);
  return questions.length === 1 ? header : `${at + 1}/${questions.length}  ${header}`;
}

function footOf({ questions, at, pages }: Form): string {
  if (at === questions.length) return "Enter: submit or change   Up/Down   Esc: cancel";
  const { multiSelect, isClosed } = questions[at]!;
  const page = pages[at]!;
  const row = rowsOf(questions[at]!, page)[page.row];
  const turns = questions.length > 1 ? "   Tab: next question" : "";
  if (row?.kind === "own") return `Enter: take this answer   Up/Down${turns}   Esc: cancel`;
  const choose = multiSelect ? "Space or 1-9: choose" : "Enter or 1-9: choose";
  const find = isClosed ? "" : "   letters: filter";
  return `${choose}   Up/Down${find}${turns}   Esc: cancel`;
}

function questionBody(form: Form, width: number): readonly BodyLine[] {
  const question = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  const rows = rowsOf(question, page);
  const lines: BodyLine[] = wrapColumns(plain(question.question), width).map((text) =>
    line(text, "bold"),
  );
  lines.push(line(""));
  if (page.filter !== "") lines.push(line(`Filter: ${plain(page.filter)}`, "warning"));
  if (rows.length === 0) lines.push(line("(no option has that text)", "dim"));
  for (const [place, row] of rows.entries()) {
    lines.push(...rowLines(form, row, place === page.row, width));
  }
  const current = rows[page.row];
  if (current?.kind === "option") {
    lines.push(...previewLines(question.options[current.option]!.preview, width));
  }
  return lines;
}

function rowLines(form: Form, row: Row, isCurrent: boolean, width: number): readonly BodyLine[] {
  const question = form.questions[form.at]!;
  const page = form.pages[form.at]!;
  const style: Style = isCurrent ? "current" : "plain";
  const mark = isCurrent ? "> " : "  ";
  const all = rowsOf(question, { filter: "" });
  const number = all.findIndex((one) => isSame(one, row)) + 1;
  const label = labelOf(form, row, isCurrent);
  const lead = `${mark}${number}. `;
  const checked = checkbox(question, page.chosen, row, textOf(page.own));
  const indent = " ".repeat(Math.min(lead.length, Math.floor(width / 3)));
  const room = Math.max(1, width - indent.length);
  const first = wrapColumns(checked + label, Math.max(1, width - lead.length));
  const lines: BodyLine[] = first.map((text, index) => ({
    text: (index === 0 ? lead : indent) + text,
    style,
    isCurrent,
  }));
  if (row.kind !== "option") return lines;
  const { description } = question.options[row.option]!;
  for (const text of wrapColumns(plain(description), room)) {
    if (text !== "") lines.push({ text: indent + text, style: "dim", isCurrent });
  }
  return lines;
}

function isSame(one: Row, other: Row): boolean {
  if (one.kind === "option") return other.kind === "option" && one.option === other.option;
  return one.kind === other.kind;
}

function labelOf(form: Form, row: Row, isCurrent: boolean): string {
  const question = form.questions[form.at]!;
  const { own } = form.pages[form.at]!;
  if (row.kind === "option") return plain(question.options[row.option]!.label);
  if (row.kind === "next") return form.questions.length === 1 ? rowLabels.send : rowLabels.next;
  if (row.kind === "chat") return rowLabels.chat;
  const text = textOf(own);
  if (!isCurrent) return text === "" ? rowLabels.own : `${rowLabels.own}: ${plain(text)}`;
  return `${rowLabels.own}: ${plain(own.before.join(""))}${CARET}${plain(own.after.join(""))}`;
}

/** Our own, since the terminal's is hidden. */
const CARET = "|";

function checkbox(
  { multiSelect }: Question,
  chosen: readonly number[],
  row: Row,
  own: string,
): string {
  if (!multiSelect || row.kind === "chat" || row.kind === "next") return "";
  const isOn = row.kind === "option" ? chosen.includes(row.option) : own.trim() !== "";
  return isOn ? "[x] " : "[ ] ";
}

function previewLines(preview: string | undefined, width: number): readonly BodyLine[] {
  if (preview === undefined || preview === "") return [];
  const inner = plain(preview)
    .split("\n")
    .flatMap((text) => wrapColumns(text, Math.max(1, width - 2)));
  const rule = "-".repeat(Math.min(width, Math.max(...inner.map(columnsOf)) + 2));
  return [
    line(""),
    line(rule, "dim"),
    ...inner.map((text) => line(`| ${text}`)),
    line(rule, "dim"),
  ];
}

function reviewBody(form: Form, width: number): readonly BodyLine[] {
  const lines: BodyLine[] = [];
  const count = form.questions.length;
  for (const [index, { header, question }] of form.questions.entries()) {
    const isCurrent = form.reviewRow === index;
    const lead = `${isCurrent ? "> " : "  "}${index + 1}. `;
    const answer = answerOf(form, index);
    lines.push(
      { text: `${lead}${plain(header)}`, style: isCurrent ? "current" : "plain", isCurrent },
      ...wrapColumns(plain(question), Math.max(1, width - 5)).map((text): BodyLine => ({
        text: `     ${text}`,
        style: "dim",
        isCurrent,
      })),
      ...wrapColumns(plain(answer?.answer ?? "(not answered)"), Math.max(1, width - 5)).map(
        (text): BodyLine => ({
          text: `     ${text}`,
          style: answer ? "bold" : "warning",
          isCurrent,
        }),
      ),
    );
  }
  const isCurrent = form.reviewRow === count;
  const style: Style = isCurrent ? "current" : "plain";
  lines.push(line(""), { text: `${isCurrent ? "> " : "  "}${rowLabels.send}`, style, isCurrent });
  return lines;
}

/** Nothing but what can be seen; marks that pile up over a letter stay few, since they run into other lines. */
function plain(text: string): string {
  return showHidden(text).replace(/(\p{M}{4})\p{M}+/gu, "$1");
}
