import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { hasTmux, onTmux, type TmuxTerminal } from "../helpers/tmux.ts";
import { runtimes } from "../helpers/runtimes.ts";
import { binary, inPlace, type Place } from "./program.ts";

setDefaultTimeout(60_000);

const one = JSON.stringify({
  questions: [
    {
      header: "Delete",
      question: "Delete the branch fix-1 on origin?",
      options: [
        { label: "Proceed", description: "Delete it there, and nothing else." },
        { label: "Do not proceed", description: "Leave it as it is." },
      ],
    },
  ],
});
const two = JSON.stringify([
  {
    header: "Database",
    question: "Which database?",
    options: [
      { label: "Postgres", description: "The usual one" },
      { label: "SQLite 日本語", description: "One file", preview: "open('a.db')" },
    ],
  },
  {
    header: "Extras",
    question: "Which extras?",
    multiSelect: true,
    options: [
      { label: "Auth", description: "Log-in" },
      { label: "Mail", description: "Post" },
    ],
  },
]);

test("where nobody can be asked, the questions are printed as JSON, with status 6", async () => {
  await inPlace({ "q.json": one }, async ({ run }) => {
    const { status, stdout, stderr } = await run(["ask-user-question", "q.json"]);
    expect(status).toBe(6);
    expect(JSON.parse(stdout)).toEqual({
      questions: [{ ...JSON.parse(one).questions[0], multiSelect: false }],
    });
    expect(stderr).toStartWith(
      "Nobody can be asked here. Go on with the safest reading and state the assumption; it is not approval.\n",
    );
    const json = JSON.parse((await run(["ask-user-question", "--json"], { stdin: one })).stdout);
    expect(json).toMatchObject({
      isError: true,
      details: { code: "question.no_ui", status: 6, cancelled: true },
    });
    expect(json.details.questions[0].header).toBe("Delete");
    expect((await run(["call", "ask_user_question", one])).status).toBe(6);
  });
});

test("--answers hands on what a person answered elsewhere", async () => {
  await inPlace({ "q.json": two, "a.json": '["SQLite 日本語",["Mail"]]' }, async ({ run }) => {
    const text =
      'The user answered; go on with these answers. "Which database?"="SQLite 日本語". "Which extras?"="Mail".\n';
    const ask = ["ask-user-question", "q.json", "--answers"];
    expect(await run([...ask, "a.json"])).toEqual({ status: 0, stdout: text, stderr: "" });
    expect(await run([...ask, "-"], { stdin: '["sqlite 日本語","mail"]' })).toMatchObject({
      status: 0,
      stdout: text,
    });
    expect(await run(["ask", "--answers", "a.json"], { stdin: two })).toMatchObject({
      stdout: text,
    });
    expect(await run([...ask, "-"], { stdin: '["Postgres",null]' })).toEqual({
      status: 6,
      stdout: "",
      stderr:
        "The user left the questions unanswered.\nThis is not approval. Go on with the safest reading and state the assumption.\n",
    });
    expect(await run([...ask, "-"], { stdin: '["Chat about this","Mail"]' })).toMatchObject({
      status: 6,
      stderr:
        'The user wants to talk about this first: "Which database?". Answered before that: "Which extras?"="Mail".\nNothing is decided: stop and wait for what they say.\n',
    });
    expect(await run(["ask", "-", "--answers", "-"])).toMatchObject({
      status: 2,
      stderr:
        "The questions and the answers cannot both come from standard input.\nName a file for one of them.\n",
    });
    expect(await run([...ask, "-"], { stdin: "[" })).toMatchObject({
      status: 2,
      stderr: "The answers are not JSON: line 1, column 2: unexpected the end of the text.\n",
    });
    expect(await run([...ask, "gone"])).toMatchObject({ status: 4 });
  });
});

test("questions that are none are refused before anybody is asked", async () => {
  await inPlace({}, async ({ run }) => {
    expect(await run(["ask", "--answers", "x"], { stdin: "[]" })).toMatchObject({
      status: 2,
      stderr: 'Field "questions": must have at least one question\n',
    });
    expect(await run(["ask"], { stdin: "nothing" })).toMatchObject({
      status: 2,
      stderr: 'The input is not JSON: line 1, column 2: unexpected "o".\n',
    });
  });
});

/** A shell whose `ask` is the program; what it prints goes to the file "out", its status to the screen. */
async function atTerminal(
  { folder, env }: Place,
  work: (terminal: TmuxTerminal) => Promise<void>,
  program = binary,
): Promise<void> {
  await onTmux({ columns: 60, rows: 20, cwd: folder, env }, async (terminal) => {
    await terminal.until((screen) => screen !== "");
    await terminal.text(
      `PS1='$ '; ask() { ${program} ask-user-question "$@" >out; echo "status $?"; }; clear`,
    );
    await terminal.keys("Enter");
    await terminal.until((screen) => screen === "$");
    await work(terminal);
  });
}

const output = ({ folder }: Place) => readFileSync(join(folder, "out"), "utf8");

test.skipIf(!hasTmux)("on a terminal the user answers by keys, whatever its size", async () => {
  await inPlace({ "q.json": two }, async (place) => {
    await atTerminal(place, async (terminal) => {
      // The questions come from standard input, so the keys come from the terminal itself.
      await terminal.text("ask <q.json");
      await terminal.keys("Enter");
      expect(await terminal.until((screen) => screen.includes("Chat"))).toBe(`1/2  Database
Which database?

> 1. Postgres
     The usual one
  2. SQLite 日本語
     One file
  3. Type an answer
  4. Chat about this
Enter or 1-9: choose   Up/Down   letters: filter   Tab: nex~`);
      await terminal.text("sql");
      await terminal.until(
        (screen) => screen.includes("Filter: sql") && !screen.includes("Postgres"),
      );
      await terminal.resize(24, 8);
      expect(await terminal.until((screen) => screen.includes("Enter or 1-9: choose   ~"))).toBe(
        `1/2  Database
Which database?

Filter: sql
> 2. SQLite 日本語
     One file
v 6 lines below (PgDn)
Enter or 1-9: choose   ~`,
      );
      await terminal.keys("Down");
      await terminal.until((screen) => screen.includes("sql|"));
      await terminal.keys("Up", "Enter");
      await terminal.until((screen) => screen.includes("Extras"));
      await terminal.resize(60, 20);
      await terminal.keys("Space");
      await terminal.until((screen) => screen.includes("[x] Auth"));
      await terminal.text("3");
      await terminal.paste("Search\nand more\n");
      await terminal.until((screen) => screen.includes("Type an answer: Search and more |"));
      await terminal.keys("Enter");
      await terminal.until((screen) => screen.includes("> Submit"));
      await terminal.keys("Enter");
      // The old screen is back.
      expect(await terminal.until((screen) => screen.includes("status"))).toBe(
        "$ ask <q.json\nstatus 0\n$",
      );
      expect(output(place)).toBe(
        'The user answered; go on with these answers. "Which database?"="SQLite 日本語". "Which extras?"="Auth, Search and more".\n',
      );
    });
  });
});

test.skipIf(!hasTmux)(
  "Ctrl-C and a signal leave the terminal as it was, and approve nothing",
  async () => {
    await inPlace({ "q.json": one }, async (place) => {
      await atTerminal(place, async (terminal) => {
        const settings = async () => {
          await terminal.text("clear; stty -a");
          await terminal.keys("Enter");
          const screen = await terminal.until((shown) => /echo[^]*\$$/.test(shown));
          return screen.slice(screen.indexOf("speed"));
        };
        const before = await settings();
        for (const [key, status] of [
          ["C-c", 130],
          ["Escape", 6],
          ["C-d", 6],
        ] as const) {
          await terminal.text("clear; ask q.json");
          await terminal.keys("Enter");
          await terminal.until((screen) => screen.includes("Chat"));
          await terminal.keys(key);
          await terminal.until((screen) => screen.includes(`status ${status}`));
          expect(output(place)).toBe("");
          expect(await settings()).toBe(before);
        }
        await terminal.text(
          `clear; sh -c 'echo $$ >pid; exec ${binary} ask q.json'; echo "status $?"`,
        );
        await terminal.keys("Enter");
        await terminal.until((screen) => screen.includes("Chat"));
        process.kill(Number(readFileSync(join(place.folder, "pid"), "utf8")), "SIGTERM");
        await terminal.until((screen) => screen.includes("status 143"));
        expect(await settings()).toBe(before);
      });
    });
  },
);

test.skipIf(!hasTmux)(
  "what was typed ahead answers nothing, and --no-input asks nobody",
  async () => {
    await inPlace({ "q.json": one }, async (place) => {
      await atTerminal(place, async (terminal) => {
        // The shell gives both lines to whoever reads next: the second Enter is there before the question.
        await terminal.text("read go; ask q.json");
        await terminal.keys("Enter");
        await terminal.keys("Enter", "Enter", "Enter");
        await terminal.until((screen) => screen.includes("> 1. Proceed"));
        await terminal.keys("Down");
        await terminal.until((screen) => screen.includes("> 2. Do not proceed"));
        await terminal.keys("Enter");
        await terminal.until((screen) => screen.includes("status 0"));
        expect(output(place)).toContain('="Do not proceed".');
        for (const line of [
          "ask q.json --no-input",
          "ATOMIC_NO_INPUT=1 ask q.json",
          "TERM=dumb ask q.json",
        ]) {
          await terminal.text(`clear; ${line}`);
          await terminal.keys("Enter");
          await terminal.until((screen) => screen.includes("status 6"));
        }
      });
    });
  },
);

test.skipIf(!hasTmux)("the same source asks under Deno and Node", async () => {
  const main = join(import.meta.dir, "../../cmd/main.ts");
  for (const { name, command } of runtimes) {
    await inPlace({ "q.json": two }, async (place) => {
      await atTerminal(
        place,
        async (terminal) => {
          await terminal.text("ask <q.json");
          await terminal.keys("Enter");
          await terminal.until((screen) => screen.includes("Chat"));
          await terminal.resize(50, 18);
          await terminal.keys("Down");
          await terminal.until(
            (screen) =>
              screen.includes("> 2. SQLite") && screen.includes("Up/Down   letters: filter ~"),
          );
          await terminal.keys("C-c");
          await terminal.until((screen) => screen.includes("status 130"));
          await terminal.text("clear; stty -a");
          await terminal.keys("Enter");
          expect(await terminal.until((screen) => /echo[^]*\$$/.test(screen))).not.toMatch(
            /-icanon|-echo\b/,
          );
          expect([name, existsSync(join(place.folder, "out"))]).toEqual([name, true]);
        },
        [...command, main].join(" "),
      );
    });
  }
});
