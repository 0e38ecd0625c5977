// The variables that a command finds, beside those of the caller.

/** Variables that a shell can name. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Nothing of a command may wait for a key that nobody will press, or colour what is read as text. What the call itself sets
 * wins; what was inherited does not, since it was set for a person.
 * @param given the call's own
 * @returns changes to the inherited environment; undefined takes a variable out
 */
export function commandEnvironment(
  given: Readonly<Record<string, string>>,
  {
    inherited,
    session,
    hasTerminal,
  }: {
    inherited(name: string): string | undefined;
    readonly session: string;
    readonly hasTerminal: boolean;
  },
): Readonly<Record<string, string | undefined>> {
  return {
    ...settings,
    ...(inherited("AI_AGENT") === undefined && { AI_AGENT: "atomic" }),
    TERM: hasTerminal ? "xterm-256color" : "dumb",
    ...given,
    // A nested call works in the same session.
    ATOMIC_SESSION: session,
  };
}

const settings: Readonly<Record<string, string | undefined>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  // An editor that fails at once.
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  CLICOLOR_FORCE: undefined,
};
