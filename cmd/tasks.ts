// What runs in the background: the command line's view of it. Starting is `bash --background`, ending is `kill`.

import { AtomicError, exitStatus } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { Host } from "../core/ports/host.ts";
import { observedDetails, renderObserved, stateWords, taskDetails } from "../core/tasks/answer.ts";
import { removeTask } from "../core/tasks/files.ts";
import { findTask, listTasks, type Owner, type Task } from "../core/tasks/find.ts";
import { followTask, readOutput, waitForTask } from "../core/tasks/observe.ts";
import { neverBegan, stateOf, type TaskState } from "../core/tasks/state.ts";
import { showControls } from "../core/text/controls.ts";
import { formatCount } from "../core/text/size.ts";
import { command, type Invocation } from "./command.ts";
import { deliver, mannerOf, noticesTo, present, printAnswer } from "./output.ts";
import { accessSession } from "./session-access.ts";
import { configOf } from "./tool-command.ts";

export const tasks = command({
  name: "tasks",
  summary: "List this session's background tasks, or show one's state and output",
  description:
    "Without an ID: the tasks that run, and those that ended last. With one: its output on standard output, and how it stands on standard error. --wait and --follow end with the task's own status, as if it had been run here; where it still runs after --wait, with 124. Interrupting them leaves the task alone: `atomic kill ID` ends it.",
  operands: [
    {
      name: "ID",
      description: "The task's id, as bash --background gave it",
      required: false,
      repeat: false,
      complete: "tasks --ids --all",
    },
  ],
  flags: [
    {
      name: "follow",
      short: "f",
      type: "boolean",
      description: "Print the output as it comes, until the task has ended",
    },
    {
      name: "wait",
      type: "number",
      placeholder: "SECONDS",
      description: "Wait for its end, at most so long, before showing it",
    },
    {
      name: "offset",
      type: "number",
      placeholder: "BYTE",
      description: "Show the output from this byte on",
    },
    { name: "running", type: "boolean", description: "List only what has not ended" },
    {
      name: "all",
      type: "boolean",
      description: `List all that ended, not only the last ${limits.taskList}`,
    },
    { name: "ids", type: "boolean", description: "List only the ids, one a line" },
    {
      name: "jsonl",
      type: "boolean",
      description: "With --follow: print JSON objects, one a line; the last one has the details",
    },
  ],
  examples: [
    { title: "What runs", line: "atomic tasks --running" },
    {
      title: "Start, watch, and end with its status",
      line: "atomic tasks --follow \"$(atomic bash --background 'make test')\"",
    },
    { title: "End all", line: "atomic tasks --running --ids | xargs -r atomic kill" },
  ],
  topics: ["exit-codes"],
  async run(invocation) {
    const { operands, flags, settings, program } = invocation;
    const host = await program.host();
    const notice = noticesTo(program.stdio);
    const session = accessSession(host, settings, notice, configOf(host, settings, notice));
    const owner = { sessionId: session.chosen.id, sessionFolder: session.folder };
    const [id] = operands;
    const misplaced = (id === undefined ? ofOne : ofLists).find((name) => name in flags);
    if (misplaced !== undefined) {
      throw new AtomicError(
        "usage.command",
        id === undefined
          ? `Flag --${misplaced} needs the ID of a task.`
          : `Flag --${misplaced} is for the list of tasks, and does not go with an ID.`,
      );
    }
    if (id === undefined) return list(owner, host, invocation);
    return show(await findTask(id, owner, host), host, invocation);
  },
});

const ofOne = ["follow", "wait", "offset", "jsonl"];
const ofLists = ["running", "all", "ids"];

async function list(owner: Owner, host: Host, { flags, program, settings }: Invocation) {
  const found: { readonly task: Task; readonly state: TaskState }[] = [];
  let ended = 0;
  for (const task of await listTasks(owner, host)) {
    const state = await stateOf(task, host);
    if (await neverBegan(task, state, host)) {
      await removeTask(task.folder, host.fs);
      continue;
    }
    const isOver = state.kind === "settled" || (state.kind === "lost" && state.left.length === 0);
    if (isOver && flags["running"] === true) continue;
    if (isOver && ++ended > limits.taskList && flags["all"] !== true) continue;
    found.push({ task, state });
  }
  const hidden = flags["all"] === true ? 0 : Math.max(0, ended - limits.taskList);
  const details = {
    tasks: found.map(({ task, state }) => taskDetails(task, state)),
    ...(hidden > 0 && { hidden }),
  };
  const { stdio } = program;
  if (flags["ids"] === true) {
    const text = found.map(({ task }) => task.id).join("\n");
    return printAnswer(text, details, { stdio, settings });
  }
  const now = host.clock.now();
  const lines = found.map(
    ({ task, state }) => `${task.id}  ${stateWords(task, state, now)}\n  ${oneLine(task)}`,
  );
  if (hidden > 0) lines.push(`and ${formatCount(hidden, "more that", "more that")} ended: --all`);
  if (lines.length === 0) {
    lines.push(
      flags["running"] === true
        ? `No task of the session ${owner.sessionId} is running.`
        : `The session ${owner.sessionId} has no tasks.`,
    );
  }
  return printAnswer(lines.join("\n"), details, { stdio, settings });
}

/** Characters of a command that a list shows. */
const SHOWN = 100;

function oneLine({ about: { command: words } }: Task): string {
  const first = showControls(words.trim().replace(/\s*\n\s*/g, "; "));
  return first.length > SHOWN ? `${first.slice(0, SHOWN - 1)}…` : first;
}

async function show(task: Task, host: Host, invocation: Invocation): Promise<number> {
  const { flags, settings, program, stop } = invocation;
  const { stdio } = program;
  const wait = wholeOrPart(flags["wait"], "wait");
  const offset = wholeOrPart(flags["offset"], "offset") ?? 0;
  if (!Number.isInteger(offset)) throw wrongNumber("offset", offset);
  const isJsonl = flags["jsonl"] === true;
  if (isJsonl && flags["follow"] !== true) {
    throw new AtomicError("usage.command", "Flag --jsonl goes with --follow only.");
  }
  const isFollowing = flags["follow"] === true;
  stop.arm();
  const { signal } = stop;
  let state: TaskState;
  let isPrinted = false;
  if (isFollowing && (isJsonl || !settings.json)) {
    state = await follow(task, offset, host, invocation);
    isPrinted = true;
  } else {
    const seconds = isFollowing ? Infinity : (wait ?? 0);
    state = await waitForTask(task, seconds * 1000, { signal, ports: host });
  }
  const output = await readOutput(task, state, { offset, fs: host.fs });
  const now = host.clock.now();
  const observed = { kind: "observed", task, state, output, now, manner: "command line" } as const;
  const rendered = renderObserved(observed);
  const ownStatus = "ending" in rendered ? Number(rendered.ending?.status) : exitStatus.success;
  const status = statusFor(state, { ownStatus, isWaiting: isFollowing || wait !== undefined });
  const text = "text" in rendered ? rendered.text : "";
  const notes = ("ending" in rendered ? rendered.ending?.notes : undefined) ?? [];
  const outcome = {
    ok: true,
    rendered: { text, ending: { notes, status: stop.status() ?? status } },
    details: observedDetails(observed),
  } as const;
  if (isJsonl) {
    const last = { type: "result", details: outcome.details, isError: status !== 0 };
    await stdio.stdout.write(`${JSON.stringify(last)}\n`);
    return outcome.rendered.ending.status;
  }
  const printed = present(outcome, mannerOf(stdio, settings, { isLive: isPrinted }));
  await deliver(printed, stdio);
  return printed.status;
}

function statusFor(
  state: TaskState,
  { ownStatus, isWaiting }: { readonly ownStatus: number; readonly isWaiting: boolean },
): number {
  if (!isWaiting) return exitStatus.success;
  const isOver = state.kind === "settled" || state.kind === "lost";
  return isOver ? ownStatus : exitStatus["time limit"];
}

async function follow(
  task: Task,
  offset: number,
  host: Host,
  { flags, program, stop }: Invocation,
): Promise<TaskState> {
  const { stdout } = program.stdio;
  const isJsonl = flags["jsonl"] === true;
  const wait = wholeOrPart(flags["wait"], "wait");
  const over = new AbortController();
  const onStop = () => over.abort();
  stop.signal.addEventListener("abort", onStop, { once: true });
  const pieces = followTask(task, offset, { signal: over.signal, ports: host });
  if (wait !== undefined) void host.clock.sleep(wait * 1000, over.signal).then(onStop, () => {});
  try {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) return value;
      const shown = stdout.isTerminal ? showControls(value) : value;
      const line = isJsonl ? `${JSON.stringify({ type: "update", text: value })}\n` : shown;
      if (!(await stdout.write(line))) over.abort();
    }
  } finally {
    stop.signal.removeEventListener("abort", onStop);
    over.abort();
    await pieces.return(await stateOf(task, host));
  }
}

function wholeOrPart(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number) || number < 0) throw wrongNumber(name, number);
  return number;
}

function wrongNumber(name: string, value: number): AtomicError {
  const what = name === "wait" ? "a number of seconds" : "a whole number of bytes";
  return new AtomicError(
    "usage.command",
    `Flag --${name} needs ${what} that is not below 0, but got ${value}.`,
    { data: { flag: name } },
  );
}
