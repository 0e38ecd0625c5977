import { AtomicError, exitStatus } from "../core/errors.ts";
import { displayPath, headerLine, showName } from "../core/paths.ts";
import type { Policy } from "../core/policy.ts";
import { locateState } from "../core/session/locate.ts";
import type { SessionDetails, SessionSummary } from "../core/session/manage.ts";
import { columns } from "../core/text/layout.ts";
import { formatCount, formatSize } from "../core/text/size.ts";
import { command, type Invocation } from "./command.ts";
import { unknownWord } from "./operands.ts";
import { noticesTo, printAnswer } from "./output.ts";
import { policyOf } from "./policy.ts";
import { accessSession, withState } from "./session-access.ts";

const actions = { list, show, new: create, clear } as const;

export const session = command({
  name: "session",
  summary: "Show which session this is and what it has seen",
  description:
    "A session remembers what was read, under which tag, and what was changed. list: all sessions. show: this one. new: print an id that no session has. clear: forget what this session has seen; its tags then authorise no edit. In read-only and plan mode, clear works without --changes only.",
  operands: [
    {
      name: "ACTION",
      description: "show, where none is named",
      required: false,
      repeat: false,
      choices: Object.keys(actions),
    },
  ],
  flags: [
    { name: "ids", type: "boolean", description: "list: only the ids, one a line" },
    {
      name: "changes",
      type: "boolean",
      description: "clear: forget the log of changes as well, and with it what undo needs",
    },
  ],
  examples: [
    { title: "This session", line: "atomic session" },
    { title: "A session of one's own", line: 'export ATOMIC_SESSION="$(atomic session new)"' },
    { title: "Forget another one", line: "atomic session clear --session old" },
  ],
  topics: ["env"],
  async run(invocation) {
    const [name = "show"] = invocation.operands;
    if (!isAction(name)) throw unknownWord("action", name, Object.keys(actions));
    return actions[name](invocation);
  },
});

function isAction(name: string): name is keyof typeof actions {
  return Object.hasOwn(actions, name);
}

async function list(invocation: Invocation): Promise<number> {
  const { listSessions } = await import("../core/session/manage.ts");
  const host = await invocation.program.host();
  const sessions = await withState(host, noticesTo(invocation.program.stdio), listSessions);
  const ids = sessions.map(({ id }) => id);
  if (invocation.flags["ids"] === true) return answer(ids.join("\n"), { ids }, invocation);
  const rows = sessions.map((one) => [one.id, `${dateOf(one.used)}  ${contents(one)}`] as const);
  const text = rows.length === 0 ? "No session has seen anything yet." : columns(rows, "");
  return answer(text, { sessions: sessions.map(withDates) }, invocation);
}

async function show(invocation: Invocation): Promise<number> {
  const { describeSession } = await import("../core/session/manage.ts");
  const host = await invocation.program.host();
  const { chosen } = accessSession(host, invocation.settings, noticesTo(invocation.program.stdio));
  const place = locateState(host.env);
  const details = await withState(host, noticesTo(invocation.program.stdio), (state) =>
    describeSession(state, chosen.id),
  );
  const rows: [string, string][] = [
    ["session", `${chosen.id} (${chosen.from})`],
    ["state", `${showName(place.folder)} (${place.from})`],
  ];
  if (details) rows.push(["last used", dateOf(details.used)]);
  rows.push(["seen", details ? contents(details) : "nothing yet"]);
  const text = [columns(rows, ""), ...filesOf(details, host.env.cwd)].join("\n");
  return answer(
    text,
    {
      id: chosen.id,
      from: chosen.from,
      state: place.folder,
      ...(details && { ...withDates(details), files: details.files }),
    },
    invocation,
  );
}

async function create(invocation: Invocation): Promise<number> {
  const { newSessionId } = await import("../core/session/manage.ts");
  const { random } = await invocation.program.host();
  const id = newSessionId(random);
  return answer(id, { id }, invocation);
}

async function clear(invocation: Invocation): Promise<number> {
  const { clearSession } = await import("../core/session/manage.ts");
  const host = await invocation.program.host();
  const { id } = accessSession(
    host,
    invocation.settings,
    noticesTo(invocation.program.stdio),
  ).chosen;
  const changes = invocation.flags["changes"] === true;
  if (changes) refuseForgetting(policyOf(invocation.settings, host.env));
  const cleared = await withState(host, noticesTo(invocation.program.stdio), (state) =>
    clearSession(state, id, { changes }),
  );
  const parts = [
    formatCount(cleared.tags, "tag", "tags"),
    ...(changes ? [formatCount(cleared.changes, "change", "changes")] : []),
    formatSize(cleared.bytes),
  ];
  return answer(`Session ${id} has forgotten ${parts.join(", ")}.`, { id, ...cleared }, invocation);
}

/** The rest of the state is atomic's own; the log is what brings users' files back. */
function refuseForgetting({ readOnly, plan }: Policy): void {
  if (!readOnly && !plan) return;
  throw new AtomicError(
    readOnly ? "policy.read_only" : "policy.plan",
    `${readOnly ? "Read-only" : "Plan"} mode: session clear --changes was refused, since it would forget what undo needs. Nothing was forgotten.`,
    { hint: "Without --changes, the session forgets what it has seen." },
  );
}

function filesOf(details: SessionDetails | undefined, cwd: string): readonly string[] {
  if (!details || details.files.length === 0) return [];
  return ["", ...details.files.map(({ path, tag }) => headerLine(displayPath(path, cwd), tag))];
}

function contents({ paths, tags, changes, bytes }: SessionSummary): string {
  const seen = `${formatCount(paths, "file", "files")}, ${formatCount(tags, "tag", "tags")}`;
  return `${seen}, ${formatCount(changes, "change", "changes")}, ${formatSize(bytes)}`;
}

function withDates<Summary extends SessionSummary>(summary: Summary) {
  return { ...summary, created: dateOf(summary.created), used: dateOf(summary.used) };
}

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function answer(
  text: string,
  details: Readonly<Record<string, unknown>>,
  { program: { stdio }, settings }: Invocation,
): Promise<number> {
  return printAnswer(text, details, { stdio, settings }, exitStatus.success);
}
