import { agentSessions } from "../session/locate.ts";
import { columns } from "../text/layout.ts";

export interface Variable {
  readonly name: string;
  readonly meaning: string;
}

/** Every variable that the program reads: `atomic help env` and `atomic doctor` list them from here. */
export const variables: readonly Variable[] = [
  {
    name: "ATOMIC_HOME",
    meaning: "Folder of the sessions' state; absolute, private to one user",
  },
  {
    name: "ATOMIC_SESSION",
    meaning: "The session, where --session is not given",
  },
  {
    name: "ATOMIC_CODING_AGENT_SESSION_DIR",
    meaning: "Folder of what the session saves as files, where --session-dir is not given",
  },
  {
    name: "ATOMIC_WORKSPACE",
    meaning: "The workspace, absolute, where --workspace is not given",
  },
  { name: "ATOMIC_READ_ONLY", meaning: "1: refuse every tool that would change anything" },
  {
    name: "ATOMIC_PLAN",
    meaning: "Paths with : between them (; on Windows): refuse every other write",
  },
  { name: "ATOMIC_NO_INPUT", meaning: "1: never ask a question" },
  { name: "ATOMIC_DEBUG", meaning: "1: show where an error came from" },
  { name: "FORCE_COLOR", meaning: "1: colour also where there is no terminal; 0: none" },
  { name: "NO_COLOR", meaning: "Any value: no colour" },
  { name: "TERM", meaning: "dumb: no colour, and no questions" },
  {
    name: "XDG_STATE_HOME",
    meaning: "The state is in its folder atomic, where ATOMIC_HOME is not set",
  },
  ...agentSessions.map(({ host, variable }) => ({
    name: variable,
    meaning: `The session of ${host}, where no other is named`,
  })),
];

export function envText(): string {
  const own = variables.filter(
    ({ name }) => !agentSessions.some((agent) => agent.variable === name),
  );
  const agents = variables.filter((one) => !own.includes(one));
  const rows = (some: readonly Variable[]) =>
    columns(some.map(({ name, meaning }) => [name, meaning] as const));
  return [
    `ENVIRONMENT\n${rows(own)}`,
    `SESSIONS OF AGENTS\n  Without --session and ATOMIC_SESSION, the first of these that is set names the\n  session; without any of them it is "default".\n\n${rows(agents)}`,
    policy,
    "A flag comes before its variable. An empty variable counts as unset; only an\nempty ATOMIC_PLAN is an error, as is an ATOMIC_READ_ONLY neither on nor off.",
  ].join("\n\n");
}

const policy = `POLICY
  Read-only mode, by --read-only or ATOMIC_READ_ONLY, refuses every tool that
  writes files or runs commands.

  Plan mode, by --plan PATH (which may repeat) or ATOMIC_PLAN, names the only
  files and folders that may be written, with all that is in a folder; they need
  not exist yet. A path counts by where it leads, so that a link inside that
  points outside is refused; so is a file with hard links, unless it is named
  itself. Commands are refused, since they could write anywhere. Read-only mode
  wins over a plan.

  What is refused ends with status 5, and nothing is written. Reading, the
  network (for that, --offline) and --dry-run are left alone. Both modes guard
  users' files: sessions still remember what was read, and "session clear"
  works, but not with --changes, since undo needs them. Neither mode is a
  sandbox for what else runs on this machine.`;
