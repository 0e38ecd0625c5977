// Variables in a definition's texts, in the ways of the hosts: `${VAR}` and `${VAR:-default}` of .mcp.json, `${env:VAR}` and
// `${workspaceFolder}` of VS Code and Cursor, `{env:VAR}` of opencode, `$VAR` of Gemini CLI.

import type { Env } from "../ports/env.ts";
import type { Definition, Dialect } from "./definition.ts";
import { BEARER } from "./definition.ts";

export interface Expanded {
  readonly definition: Definition;
  /** Header → value, of a server that is reached by URL, with those whose values come from variables. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of variables that are needed and not set. */
  readonly missing: readonly string[];
  /** Why it cannot be used at all here. */
  readonly unusable: string | undefined;
  /** What must not be shown, and what to call it. */
  readonly secrets: readonly Secret[];
}

export interface Secret {
  readonly label: string;
  readonly value: string;
}

type Surroundings = Pick<Env, "get" | "home">;

export function expandDefinition(definition: Definition, env: Surroundings): Expanded {
  const { source, transport } = definition;
  const missing = new Set<string>();
  const secrets: Secret[] = [];
  let unusable: string | undefined;

  function expand(text: string): string {
    return text.replace(patterns[source.dialect], (whole, ...groups) => {
      const named = groups.at(-1) as Readonly<Record<string, string | undefined>>;
      const { name = named["bare"] ?? "", fallback, special } = named;
      if (special !== undefined) {
        const value = specials[special]?.(env, source.folder);
        if (value !== undefined) return value;
        unusable ??= `it needs ${whole}, which only its own host can ask for`;
        return "";
      }
      const value = env.get(name);
      // As in a shell: with a default, an empty variable counts as unset.
      if (fallback !== undefined) {
        if (value) note(name, value);
        return value || fallback;
      }
      if (value === undefined) missing.add(name);
      else note(name, value);
      return value ?? "";
    });
  }
  function note(name: string, value: string): void {
    if (!harmlessNames.test(name)) secrets.push({ label: name, value });
  }
  function variable(name: string): string {
    const value = env.get(name);
    if (value === undefined) missing.add(name);
    else note(name, value);
    return value ?? "";
  }

  if (transport.kind === "stdio") {
    const values = Object.fromEntries(
      Object.entries(transport.env).map(([name, text]) => {
        const value = expand(text);
        if (secretNames.test(name)) secrets.push({ label: name, value });
        return [name, value];
      }),
    );
    const args = transport.args.map(expand);
    for (const secret of secretsOfArguments(args)) secrets.push(secret);
    for (const name of transport.inherits) {
      const value = env.get(name);
      if (value !== undefined && secretNames.test(name)) secrets.push({ label: name, value });
    }
    const expanded: Definition = {
      ...definition,
      transport: {
        ...transport,
        command: expand(transport.command),
        args,
        env: values,
        cwd: transport.cwd === undefined ? undefined : expand(transport.cwd),
      },
    };
    return { definition: expanded, headers: {}, missing: [...missing], unusable, secrets };
  }
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(transport.headers)) headers[name] = expand(text);
  for (const [name, from] of Object.entries(transport.headersFrom)) {
    if (name === BEARER) headers["Authorization"] = `Bearer ${variable(from)}`;
    else headers[name] = variable(from);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (harmlessHeaders.test(name)) continue;
    secrets.push({ label: name, value });
    const token = /^(?:Bearer|Basic|Token|token)\s+(\S+)$/i.exec(value)?.[1];
    if (token !== undefined) secrets.push({ label: name, value: token });
  }
  const url = expand(transport.url);
  for (const secret of secretsOfUrl(url)) secrets.push(secret);
  return {
    definition: { ...definition, transport: { ...transport, url } },
    headers,
    missing: [...missing],
    unusable,
    secrets,
  };
}

/** The names of the variables that a definition reads. */
export function variablesOf({ transport, source }: Definition): readonly string[] {
  const found = new Set<string>();
  const texts =
    transport.kind === "stdio"
      ? [transport.command, ...transport.args, ...Object.values(transport.env), transport.cwd ?? ""]
      : [transport.url, ...Object.values(transport.headers)];
  for (const text of texts) {
    for (const { groups } of text.matchAll(patterns[source.dialect])) {
      const name = groups?.["name"] ?? groups?.["bare"];
      if (name !== undefined) found.add(name);
    }
  }
  const named =
    transport.kind === "stdio" ? transport.inherits : Object.values(transport.headersFrom);
  for (const name of named) found.add(name);
  return [...found];
}

const patterns: Readonly<Record<Dialect, RegExp>> = {
  "mcp.json": /\$\{(?:env:)?(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}|(?<special>(?!))/g,
  vscode:
    /\$\{env:(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}|\$\{(?<special>(?:input:|config:|command:)[^}]*|workspaceFolder|workspaceRoot|workspaceFolderBasename|userHome|pathSeparator|\/)\}/g,
  opencode: /\{env:(?<name>[A-Za-z_]\w*)\}(?<fallback>(?!))?|\{(?<special>file:[^}]*)\}/g,
  gemini:
    /\$\{(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}|\$(?<bare>[A-Za-z_]\w*)|(?<special>(?!))/g,
  plain: /(?<name>(?!))(?<fallback>)(?<special>)/g,
};

const specials: Readonly<
  Record<string, (env: Surroundings, folder: string) => string | undefined>
> = {
  workspaceFolder: (_, folder) => folder,
  workspaceRoot: (_, folder) => folder,
  workspaceFolderBasename: (_, folder) => folder.slice(folder.lastIndexOf("/") + 1),
  userHome: ({ home }) => home,
  pathSeparator: () => "/",
  "/": () => "/",
};

/** Variables whose values nobody hides. */
const harmlessNames =
  /^(?:HOME|USER|LOGNAME|PWD|PATH|LANG|SHELL|TERM|TZ|TMPDIR|TEMP|TMP|USERPROFILE|APPDATA|NODE_ENV|XDG_\w+|LC_\w+)$/;

/** Names of variables, headers and flags whose values are likely to be secrets. */
export const secretNames =
  /key|token|secret|passw|pwd|auth|credential|cookie|session|private|dsn|bearer|signature|webhook|(?:database|redis|mongo\w*)_ur[il]/i;

const harmlessHeaders =
  /^(?:accept(?:-.*)?|content-type|user-agent|mcp-.*|x-mcp-.*|cache-control)$/i;

/** What follows `--api-key`, stands in `--token=…`, or looks like a key of a well-known service. */
export function secretsOfArguments(args: readonly string[]): readonly Secret[] {
  return args.flatMap((arg, at) => {
    const own = /^(--?[\w-]+)=(.+)$/s.exec(arg);
    if (own && secretNames.test(own[1]!)) return [{ label: own[1]!, value: own[2]! }];
    const before = args[at - 1];
    if (before !== undefined && /^--?[\w-]+$/.test(before) && secretNames.test(before)) {
      return arg.startsWith("-") ? [] : [{ label: before, value: arg }];
    }
    const header = /^[\w-]+:\s*(?:Bearer |Basic )?(\S.*)$/s.exec(arg);
    if (header && secretNames.test(arg.slice(0, arg.indexOf(":")))) {
      return [{ label: "header", value: header[1]! }];
    }
    return (arg.match(keyShape) ?? []).map((value) => ({ label: "key", value }));
  });
}

/** As the well-known services write their keys. */
const keyShape =
  /\b(?:sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|xox[abpr]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|glpat-[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)/g;

/** The user's part, the values of the query, and parts of the path that look like keys. */
export function secretsOfUrl(text: string): readonly Secret[] {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [];
  }
  const found: Secret[] = [];
  const add = (label: string, value: string) => {
    if (value !== "") found.push({ label, value });
  };
  add("password", decoded(url.password));
  if (url.password !== "" || url.username.length >= 16) add("user", decoded(url.username));
  for (const [name, value] of url.searchParams) {
    if (secretNames.test(name) || looksRandom(value)) add(name, value);
  }
  for (const part of url.pathname.split("/")) if (looksRandom(part)) add("path", decoded(part));
  return found;
}

export function looksRandom(text: string): boolean {
  return /^[\w+=.~-]{20,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
