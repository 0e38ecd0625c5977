import { expect, test } from "bun:test";
import fc from "fast-check";

import { type Form, openForm, press, type Pressed } from "../../../core/questions/form.ts";
import { frame } from "../../../core/questions/frame.ts";
import type { Key, KeyName } from "../../../core/questions/keys.ts";
import type { Question } from "../../../core/questions/question.ts";
import { columnsOf } from "../../../core/text/width.ts";

const database: Question = {
  header: "Database",
  question: "Which database?",
  options: [
    { label: "Postgres", description: "The usual one" },
    { label: "SQLite", description: "One file", preview: "open('a.db')" },
  ],
};
const extras: Question = {
  header: "Extras",
  question: "Which extras?",
  multiSelect: true,
  options: [
    { label: "Auth", description: "Log-in" },
    { label: "Mail", description: "Post" },
    { label: "Jobs", description: "Queues" },
  ],
};
const closed: Question = { ...database, isClosed: true };

/** Names of keys with blanks between them; what is in quotes is typed. */
function keysOf(script: string): Key[] {
  return [...script.matchAll(/'([^']*)'|([a-z-]+)/g)].map(([, text, name]) =>
    name === undefined ? { name: "text", text: text! } : { name: name as KeyName, text: "" },
  );
}

function play(questions: readonly Question[], script: string): Pressed {
  let at: Pressed = openForm(questions);
  for (const key of keysOf(script)) {
    if ("ended" in at) throw new Error(`it had ended before ${key.name}`);
    at = press(at, key);
  }
  return at;
}

/** The answers; or how it ended; or the notice of a form that is still open. */
function outcome(questions: readonly Question[], script: string): unknown {
  const at = play(questions, script);
  if (!("ended" in at)) return `open: ${at.notice}`;
  if (at.ended === "interrupted" || at.ended.ended !== "submitted") {
    return at.ended === "interrupted" ? at.ended : at.ended.ended;
  }
  return at.ended.answers.map(({ kind, answer }) => `${kind}: ${answer}`);
}

const one: readonly (readonly [string, unknown])[] = [
  ["enter", ["option: Postgres"]],
  ["down enter", ["option: SQLite"]],
  ["up enter", ["chat: Chat about this"]],
  ["up up enter", "open: Type the answer first."],
  ["'2'", ["option: SQLite"]],
  ["'9'", "open: There is no row 9."],
  ["'3' 'MySQL' enter", ["custom: MySQL"]],
  ["'3' 'M2' backspace 'y' enter", ["custom: My"]],
  ["'3' 'b' left 'a' end 'c' home delete 'A' enter", ["custom: Abc"]],
  ["'3' 'one two' delete-word 'three' enter", ["custom: one three"]],
  ["'3' 'x' delete-line enter", "open: Type the answer first."],
  ["'3' '   ' enter", "open: Type the answer first."],
  ["'sq' enter", ["option: SQLite"]],
  ["'usual' enter", ["option: Postgres"]],
  ["'mysql' enter", "open: No option has that text. Down makes it your own answer."],
  ["'mysql' down enter", ["custom: mysql"]],
  ["'mysql' up enter", ["chat: Chat about this"]],
  ["'sq' down enter", ["custom: sq"]],
  ["'sq' escape enter", ["option: Postgres"]],
  ["'sqx' backspace enter", ["option: SQLite"]],
  ["'4'", "open: "],
  ["'4' enter", ["chat: Chat about this"]],
  ["escape", "cancelled"],
  ["end-of-input", "cancelled"],
  ["interrupt", "interrupted"],
  ["'3' 'Proceed' interrupt", "interrupted"],
  ["report page-up tab left", "open: "],
  ["' '", "open: "],
];

test.each(one)("one choice: %s", (script, result) => {
  expect(outcome([database], script)).toEqual(result);
});

const many: readonly (readonly [string, unknown])[] = [
  ["enter", "open: "],
  ["' ' down ' ' '5' enter", ["multi: Auth, Mail"]],
  ["'3' '1' '5' enter", ["multi: Auth, Jobs"]],
  ["'1' '1' '5' enter", "open: Choose at least one option, or type an answer."],
  ["'4' 'Search' enter", ["custom: Search"]],
  ["'2' '4' 'Search' down enter", ["multi: Mail, Search"]],
  ["'jo' enter 'au' ' ' '5' enter", ["multi: Auth, Jobs"]],
  ["'6' enter", ["chat: Chat about this"]],
];

test.each(many)("several choices: %s", (script, result) => {
  expect(outcome([extras], script)).toEqual(result);
});

const several: readonly (readonly [string, unknown])[] = [
  ["enter", "open: "],
  ["enter '2' '5' enter", "open: "],
  ["enter '2' '5' enter enter", ["option: Postgres", "multi: Mail"]],
  ["tab tab enter", "open: This question is not answered yet."],
  ["enter tab enter", "open: This question is not answered yet."],
  ["enter '2' '5' enter up up enter '2' tab enter", ["option: SQLite", "multi: Mail"]],
  ["enter '6' enter", ["option: Postgres", "chat: Chat about this"]],
  ["enter '2' '5' enter escape", "cancelled"],
];

test.each(several)("several questions: %s", (script, result) => {
  expect(outcome([database, extras], script)).toEqual(result);
});

test("a closed question takes nothing but its options", () => {
  expect(outcome([closed], "'3'")).toBe("open: There is no row 3.");
  expect(outcome([closed], "'nothing' enter")).toBe("open: No option has that text.");
  expect(outcome([closed], "up enter")).toEqual(["option: SQLite"]);
});

test("a paste never chooses or sends", () => {
  const at = press(openForm([database]), { name: "paste", text: "sq\n\n" }) as Form;
  expect([at.pages[0]!.filter, at.pages[0]!.chosen]).toEqual(["sq", []]);
  const own = play([database], "'3'") as Form;
  const pasted = press(own, { name: "paste", text: "two\n  lines\n" }) as Form;
  expect(press(pasted, { name: "enter", text: "" })).toMatchObject({
    ended: { answers: [{ kind: "custom", answer: "two lines" }] },
  });
});

test("the answer brings the preview that was chosen", () => {
  expect(play([database], "'2'")).toEqual({
    ended: {
      ended: "submitted",
      answers: [
        {
          questionIndex: 0,
          question: "Which database?",
          kind: "option",
          answer: "SQLite",
          preview: "open('a.db')",
        },
      ],
    },
  });
});

function shown(form: Pressed, columns: number, rows: number): string {
  return frame(form as Form, { columns, rows })
    .map(({ text }) => text)
    .join("\n");
}

test("the form shows the question, its options and what is always there", () => {
  expect(shown(play([database], "down"), 80, 24)).toBe(`Database
Which database?

  1. Postgres
     The usual one
> 2. SQLite
     One file
  3. Type an answer
  4. Chat about this

--------------
| open('a.db')
--------------
Enter or 1-9: choose   Up/Down   letters: filter   Esc: cancel`);
  expect(shown(play([database, extras], "enter '2' '4' 'x'"), 80, 24)).toBe(`2/2  Extras
Which extras?

  1. [ ] Auth
     Log-in
  2. [x] Mail
     Post
  3. [ ] Jobs
     Queues
> 4. [x] Type an answer: x|
  5. Next
  6. Chat about this
Enter: take this answer   Up/Down   Tab: next question   Esc: cancel`);
  expect(shown(play([database, extras], "enter tab"), 80, 24)).toBe(`Your answers
  1. Database
     Which database?
     Postgres
  2. Extras
     Which extras?
     (not answered)

> Submit
Enter: submit or change   Up/Down   Esc: cancel`);
});

test("a small terminal shows the row that the cursor is on, and how much is hidden", () => {
  expect(shown(play([database], "end"), 24, 7)).toBe(`Database
^ 4 lines above (PgUp)
  2. SQLite
     One file
  3. Type an answer
> 4. Chat about this
Enter or 1-9: choose   ~`);
  expect(shown(play([database], "page-up"), 24, 7)).toBe(`Database
Which database?

> 1. Postgres
     The usual one
v 4 lines below (PgDn)
Enter or 1-9: choose   ~`);
  expect(shown(openForm([database]), 24, 1)).toBe("> 1. Postgres");
});

test("texts cannot drive the terminal", () => {
  const hostile: Question = {
    header: "\u001b[2J\nx",
    question: "Delete?\u001b]0;t\u0007\r\nReally\u202e?",
    options: [
      { label: "\u009b31mYes", description: "a\u0000b" },
      { label: "No", description: "d", preview: "\u001b[31mred" },
    ],
  };
  const text = shown(play([hostile], "down"), 80, 24);
  expect(text).toStartWith("\\x1b[2J x\nDelete?");
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(text).toContain("Delete?\\x1b]0;t\\x07\nReally\\u202e?");
});

const keyNames: readonly KeyName[] = [
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "page-up",
  "page-down",
  "enter",
  "tab",
  "back-tab",
  "backspace",
  "delete",
  "delete-word",
  "delete-line",
  "escape",
];

test("whatever is pressed, the form fits on any terminal and never answers by itself", () => {
  const key = fc.oneof(
    fc.constantFrom(...keyNames).map((name): Key => ({ name, text: "" })),
    fc
      .oneof(
        fc.constantFrom("1", "2", "5", " ", "a"),
        fc.string({ unit: "grapheme", minLength: 1 }),
      )
      .map((text): Key => ({ name: "text", text: text.replace(/\p{Cc}/gu, "-") })),
    fc.string().map((text): Key => ({ name: "paste", text })),
  );
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 40 }),
  });
  const long: Question = {
    ...extras,
    question: "日本語 ".repeat(80),
    options: extras.options.map((one) => ({ ...one, description: "long words ".repeat(30) })),
  };
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), size, (keys, { columns, rows }) => {
      let at: Pressed = openForm([database, long]);
      for (const [index, one] of keys.entries()) {
        const next = press(at, one);
        if ("ended" in next) {
          expect(["enter", "escape"]).toContain(keys[index]!.name);
          return;
        }
        at = next;
        const lines = frame(at, { columns, rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        // A wide character needs two columns, wherever it stands.
        for (const { text } of lines)
          expect(columnsOf(text)).toBeLessThanOrEqual(Math.max(2, columns));
      }
    }),
  );
});
