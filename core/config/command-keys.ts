// The configuration of commands: which shell, what is refused, and who takes a call over.

import * as v from "valibot";

const absolute = v.pipe(
  v.string(),
  v.regex(/^(?:~?\/|[A-Za-z]:[\\/]|\\\\)/, "must be absolute, or begin with ~/"),
);

const pattern = v.pipe(
  v.string(),
  v.nonEmpty("must not be empty"),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    try {
      "".search(new RegExp(dataset.value, "u"));
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      addIssue({ message: `is no regular expression: ${reason}` });
    }
  }),
);

const words = v.pipe(
  v.array(v.pipe(v.string(), v.nonEmpty("must not be an empty word"))),
  v.minLength(1, "must begin with a program"),
);

const seconds = v.pipe(
  v.number(),
  v.minValue(0.1, "must be a number of seconds from 0.1 to 600"),
  v.maxValue(600, "must be a number of seconds from 0.1 to 600"),
);

export interface InterceptorRule {
  /** A regular expression that a simple command is held against, from its start. */
  readonly pattern: string;
  /** The tool to use instead; the rule holds only where there is one of that name. */
  readonly tool: string;
  readonly message?: string | undefined;
}

export interface InterceptorConfig {
  readonly enabled: boolean;
  readonly rules: readonly InterceptorRule[];
}

export interface BashHandler {
  readonly command: readonly string[];
  /** Seconds. */
  readonly timeout?: number | undefined;
}

export interface CommandPolicyConfig {
  readonly enabled: boolean;
  /** Regular expressions. */
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

export interface CommandKeys {
  /** The shell of `bash`; absolute, or beginning with "~/". */
  readonly shellPath?: string | undefined;
  /** Put before every command, on a line of its own. */
  readonly shellCommandPrefix?: string | undefined;
  /** Folder of what a session saves as files; absolute, or beginning with "~/". */
  readonly sessionDir?: string | undefined;
  readonly bashInterceptor?: InterceptorConfig | undefined;
  readonly bashHandlers?: readonly BashHandler[] | undefined;
  readonly commandPolicy?: CommandPolicyConfig | undefined;
}

/** A workspace sets none of them, and the prefix not even where it is trusted: each says what is run, or lets more be run. */
const harmless = (): undefined => undefined;

export const commandKeys = {
  shellPath: { schema: absolute, harmless },
  shellCommandPrefix: {
    schema: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    harmless,
  },
  sessionDir: { schema: absolute, harmless },
  bashInterceptor: {
    schema: v.strictObject({
      enabled: v.optional(v.boolean(), false),
      rules: v.optional(
        v.array(
          v.strictObject({
            pattern,
            tool: v.pipe(v.string(), v.nonEmpty("must not be empty")),
            message: v.optional(v.string()),
          }),
        ),
        [],
      ),
    }),
    harmless,
  },
  bashHandlers: {
    schema: v.array(v.strictObject({ command: words, timeout: v.optional(seconds) })),
    harmless,
  },
  commandPolicy: {
    schema: v.strictObject({
      enabled: v.optional(v.boolean(), true),
      deny: v.optional(v.array(pattern), []),
      ask: v.optional(v.array(pattern), []),
    }),
    harmless,
  },
} as const;

/** The names that an object may have, by the key and whether it is one of a list. */
export function knownNames(key: string, isListed: boolean): readonly string[] | undefined {
  if (key === "bashInterceptor")
    return isListed ? ["pattern", "tool", "message"] : ["enabled", "rules"];
  if (key === "bashHandlers") return ["command", "timeout"];
  if (key === "commandPolicy") return ["enabled", "deny", "ask"];
  return undefined;
}
