// What a file says of one MCP server, brought from the many forms that hosts have for it to one.

import type { McpHost } from "../config/mcp-keys.ts";
import { visible } from "./words.ts";

/** How variables are written in a file's texts. */
export type Dialect = "mcp.json" | "vscode" | "opencode" | "gemini" | "plain";

/** Where a definition comes from. */
export interface Source {
  /** Whose file it is: ours, the common ".mcp.json", or a host's. */
  readonly host: McpHost | "atomic" | "mcp.json";
  /** Absolute. */
  readonly file: string;
  /** It came with the workspace, so that the user has yet to trust what it defines. */
  readonly isWorkspace: boolean;
  /** Where the server runs and relative paths start, absolute. */
  readonly folder: string;
  readonly dialect: Dialect;
}

export type Transport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Variables of our environment that it gets as they are. */
      readonly inherits: readonly string[];
      readonly cwd: string | undefined;
    }
  | {
      /** "any": Streamable HTTP, else SSE. */
      readonly kind: "http" | "sse" | "any";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Header → the variable that holds its value. */
      readonly headersFrom: Readonly<Record<string, string>>;
    };

/** Texts are as the file has them: nothing is expanded. */
export interface Definition {
  readonly name: string;
  readonly source: Source;
  readonly transport: Transport;
  /** Asks before every call of a tool that does not declare itself read-only (seed 004). */
  readonly isUntrusted: boolean;
  readonly alwaysLoad: boolean;
  readonly isDisabled: boolean;
  /** Milliseconds. */
  readonly connectTime: number | undefined;
  readonly callTime: number | undefined;
  /** Names of its tools: only these, and none of these. */
  readonly includeTools: readonly string[] | undefined;
  readonly excludeTools: readonly string[];
}

/** An entry that defines no server, and why. */
export interface Unusable {
  readonly name: string;
  readonly source: Source;
  readonly reason: string;
}

type Entry = Readonly<Record<string, unknown>>;

/** Never throws: one wrong entry does not take the others along. */
export function readDefinition(
  name: string,
  entry: unknown,
  source: Source,
): Definition | Unusable {
  const wrong = (reason: string): Unusable => ({ name, source, reason });
  if (!NAME.test(name) || visible(name) !== name) {
    return wrong(
      "its name must begin with a letter or digit, be at most 100 characters long, and hold none that cannot be seen",
    );
  }
  if (!isRecord(entry)) return wrong("it is no object");
  try {
    return {
      name,
      source,
      transport: transportOf(entry, source),
      isUntrusted: entry["trust"] === "untrusted",
      alwaysLoad: entry["alwaysLoad"] === true,
      isDisabled: entry["disabled"] === true || entry["enabled"] === false,
      connectTime:
        time(entry["connectTimeout"]) ??
        seconds(entry["startup_timeout_sec"]) ??
        time(entry["startup_timeout_ms"]),
      callTime: time(entry["timeout"]) ?? seconds(entry["tool_timeout_sec"]),
      includeTools: words(entry["includeTools"]) ?? words(entry["enabled_tools"]),
      excludeTools: words(entry["excludeTools"]) ?? words(entry["disabled_tools"]) ?? [],
    };
  } catch (thrown) {
    if (thrown instanceof Wrong) return wrong(thrown.message);
    throw thrown;
  }
}

/** It stands in command lines that people copy. */
const NAME = /^[\p{L}\p{N}_@].{0,99}$/su;

class Wrong extends Error {
  override readonly name = "Wrong";
}

function transportOf(entry: Entry, source: Source): Transport {
  const url = entry["httpUrl"] ?? entry["url"] ?? entry["serverUrl"];
  const command = entry["command"];
  if (url !== undefined && command !== undefined) {
    throw new Wrong("it has both a command and a URL");
  }
  if (command !== undefined) return stdioOf(entry, command);
  if (typeof url !== "string" || url === "") {
    throw new Wrong(
      url === undefined ? "it has neither a command nor a URL" : "its URL is no text",
    );
  }
  return {
    kind: kindOf(entry, source),
    url,
    headers: {
      ...texts(entry["headers"], "headers"),
      ...texts(entry["http_headers"], "http_headers"),
    },
    headersFrom: {
      ...texts(entry["env_http_headers"], "env_http_headers"),
      ...(typeof entry["bearer_token_env_var"] === "string" && {
        [BEARER]: entry["bearer_token_env_var"],
      }),
    },
  };
}

/** In `headersFrom`: an Authorization header whose token the variable holds. */
export const BEARER = "Authorization: Bearer";

function kindOf(entry: Entry, { host }: Source): "http" | "sse" | "any" {
  const type = entry["type"] ?? entry["transport"];
  if (type === "sse") return "sse";
  if (type === "http" || type === "streamable-http" || type === "streamableHttp") return "http";
  if (host === "gemini") return entry["httpUrl"] === undefined ? "sse" : "http";
  if (type === undefined || type === "remote") return "any";
  throw new Wrong(`its type ${JSON.stringify(type).slice(0, 40)} is not known`);
}

function stdioOf(entry: Entry, command: unknown): Transport {
  const type = entry["type"];
  if (type !== undefined && type !== "stdio" && type !== "local") {
    throw new Wrong(`its type ${JSON.stringify(type).slice(0, 40)} does not go with a command`);
  }
  const env = {
    ...texts(entry["env"], "env"),
    ...texts(entry["environment"], "environment"),
  };
  const cwd = entry["cwd"];
  if (cwd !== undefined && typeof cwd !== "string") throw new Wrong("its cwd is no text");
  const rest = {
    kind: "stdio" as const,
    env,
    inherits: (Array.isArray(entry["env_vars"]) ? entry["env_vars"] : []).flatMap(
      (each: unknown) =>
        typeof each === "string" ? [each] : isRecord(each) ? [String(each["name"])] : [],
    ),
    cwd,
  };
  // opencode has the arguments in the same list, older Zed both in an object of their own.
  if (Array.isArray(command)) {
    const [first, ...args] = list(command, "command");
    if (!first) throw new Wrong("its command is empty");
    return { ...rest, command: first, args };
  }
  if (isRecord(command)) {
    const { path, args = [], env: own } = command;
    if (typeof path !== "string" || path === "") throw new Wrong("its command has no path");
    return {
      ...rest,
      env: { ...env, ...texts(own, "env") },
      command: path,
      args: list(args, "args"),
    };
  }
  if (typeof command !== "string" || command === "") throw new Wrong("its command is no text");
  return { ...rest, command, args: list(entry["args"] ?? [], "args") };
}

function list(value: unknown, key: string): readonly string[] {
  if (!Array.isArray(value)) throw new Wrong(`its ${key} is no list`);
  return value.map((each: unknown) => {
    if (typeof each === "string") return each;
    if (typeof each === "number" || typeof each === "boolean") return String(each);
    throw new Wrong(`its ${key} has an entry that is no text`);
  });
}

function texts(value: unknown, key: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new Wrong(`its ${key} is no object`);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === null) return [];
      if (typeof each === "object") throw new Wrong(`its ${key} has a value that is no text`);
      return [[name, String(each)]];
    }),
  );
}

function words(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}

function time(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 1) return undefined;
  return Math.min(Math.round(value), 3_600_000);
}

function seconds(value: unknown): number | undefined {
  return typeof value === "number" ? time(value * 1000) : undefined;
}

export function isRecord(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
