// What configuration comes to, and which files it comes from.

import { isAbsolutePath, resolvePath } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import type { CommandKeys } from "./command-keys.ts";
import type { McpKeys } from "./mcp-keys.ts";

export interface FormatCommand {
  /** The program and its arguments; "$FILE" in them stands for the file's path. */
  readonly command: readonly string[];
  /** Content on standard input, the formatted on standard output; else the program rewrites $FILE. */
  readonly stdin: boolean;
  /** Milliseconds. */
  readonly time: number;
}

export interface ServerRule {
  /** The language server: a program and its arguments that speak over standard input and output. */
  readonly server: readonly string[];
  /** The protocol's name of the language, where ours will not do. */
  readonly languageId: string | undefined;
  /** Milliseconds. */
  readonly time: number;
}

export type FormatRule = FormatCommand | ServerRule;

/** Language or glob → what to do; false: nothing. */
export type RuleTable<Rule> = Readonly<Record<string, Rule | false>>;

export interface SearchConfig {
  /** Lines shown before and after each match. */
  readonly contextBefore?: number | undefined;
  readonly contextAfter?: number | undefined;
}

export interface ConfigValues extends CommandKeys, McpKeys {
  readonly format?: RuleTable<FormatRule> | false | undefined;
  readonly diagnostics?: RuleTable<ServerRule> | false | undefined;
  readonly search?: SearchConfig | undefined;
  /** Absolute, or beginning with "~/"; of the user's own file only. */
  readonly trustedWorkspaces?: readonly string[] | undefined;
}

export interface ConfigLayer {
  /** Absolute. */
  readonly file: string;
  /** What globs with a "/" are relative to. */
  readonly folder: string;
  readonly values: ConfigValues;
}

export interface Config {
  /** Absolute. */
  readonly workspace: string;
  /** The nearest file first, the user's own last. */
  readonly layers: readonly ConfigLayer[];
  /** The user's own file, whether it is there or not. */
  readonly userFile?: string | undefined;
}

/** The value of the nearest file that sets it. */
export function settingOf<Key extends keyof ConfigValues>(
  { layers }: Config,
  key: Key,
): ConfigValues[Key] {
  return layers.find(({ values }) => values[key] !== undefined)?.values[key];
}

/** The value of the user's own file; a workspace cannot set it, trusted or not. */
export function userSettingOf<Key extends keyof ConfigValues>(
  { layers, userFile }: Config,
  key: Key,
): ConfigValues[Key] {
  return layers.find(({ file }) => file === userFile)?.values[key];
}

/** `$XDG_CONFIG_HOME/atomic/config.json`, else the platform's place; undefined where the user has no home folder. */
export function userConfigFile(env: Pick<Env, "get" | "home" | "platform">): string | undefined {
  const base = userConfigBase(env);
  return base === undefined ? undefined : resolvePath("atomic/config.json", base);
}

function userConfigBase({ get, home, platform }: Pick<Env, "get" | "home" | "platform">) {
  const xdg = get("XDG_CONFIG_HOME") || undefined;
  // A relative one is ignored, as the XDG base directory specification asks.
  if (xdg !== undefined && isAbsolutePath(xdg, platform)) return xdg;
  if (platform === "windows") {
    const roaming = get("APPDATA");
    if (roaming && isAbsolutePath(roaming, platform)) return roaming;
    return home && resolvePath("AppData/Roaming", home);
  }
  return (
    home && resolvePath(platform === "macos" ? "Library/Application Support" : ".config", home)
  );
}

/** From the working folder up to the workspace; only the workspace's where the working folder lies outside it. */
export function workspaceConfigFiles(cwd: string, workspace: string): readonly string[] {
  const top = resolvePath(".", workspace);
  const files: string[] = [];
  for (
    let at = resolvePath(".", cwd), last = "";
    at !== last;
    last = at, at = resolvePath("..", at)
  ) {
    files.push(configIn(at));
    if (at === top) return files;
  }
  return [configIn(top)];
}

function configIn(folder: string): string {
  return resolvePath(".atomic/config.json", folder);
}
