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
  { name: "ATOMIC_READ_ONLY", meaning: "1: refuse every tool that would change anything" },
  { name: "ATOMIC_DEBUG", meaning: "1: show where an error came from" },
  { name: "FORCE_COLOR", meaning: "1: colour also where there is no terminal; 0: none" },
  { name: "NO_COLOR", meaning: "Any value: no colour" },
  { name: "TERM", meaning: "dumb: no colour" },
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
    "A flag comes before its variable. An empty variable counts as unset.",
  ].join("\n\n");
}
