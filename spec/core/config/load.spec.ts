import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import type { Config } from "../../../core/config/config.ts";
import { loadConfig } from "../../../core/config/load.ts";
import { ruleFor } from "../../../core/config/rule-for.ts";
import { AtomicError } from "../../../core/errors.ts";
import type { Env } from "../../../core/ports/env.ts";

interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly env?: Partial<Omit<Env, "get">>;
  readonly cwd?: string;
  readonly workspace?: string;
}

async function load(setting: Setting): Promise<{ config: Config; notices: readonly string[] }> {
  const { files = {}, variables = {}, env = {}, cwd = "/w/a/b", workspace } = setting;
  const entries = Object.entries({ "/w/a/b/.keep": "", ...files });
  const host = memoryHost({
    files: Object.fromEntries(entries.map(([path, content]) => [path, content])),
    variables,
    env,
  });
  const notices: string[] = [];
  const config = await loadConfig({ cwd, workspace }, host, (text) => void notices.push(text));
  return { config, notices };
}

async function failure(content: string, file = user): Promise<AtomicError> {
  try {
    await load({ files: { [file]: content, "/w/.git/HEAD": "" } });
  } catch (thrown) {
    if (thrown instanceof AtomicError) return thrown;
    throw thrown;
  }
  throw new Error("it was taken");
}

const user = "/home/me/.config/atomic/config.json";

const workspaces: readonly (readonly [string, Setting, string])[] = [
  [
    "the nearest folder with .git",
    { files: { "/w/.git/HEAD": "", "/w/a/.git": "gitdir: x" } },
    "/w/a",
  ],
  ["else the working folder", {}, "/w/a/b"],
  ["the root counts", { files: { "/.git": "x" } }, "/"],
  [
    "the variable comes before .git",
    { files: { "/w/.git": "" }, variables: { ATOMIC_WORKSPACE: "/w/a/" } },
    "/w/a",
  ],
  ["an empty variable is none", { variables: { ATOMIC_WORKSPACE: "" } }, "/w/a/b"],
  [
    "the flag comes before the variable",
    { workspace: "..", variables: { ATOMIC_WORKSPACE: "/w" } },
    "/w/a",
  ],
];

test.each(workspaces)("workspace: %s", async (_, setting, expected) => {
  expect((await load(setting)).config.workspace).toBe(expected);
});

const noWorkspaces: readonly (readonly [Setting, string])[] = [
  [{ workspace: "none" }, "--workspace must name a folder, but /w/a/b/none is no folder."],
  [
    { workspace: "f", files: { "/w/a/b/f": "" } },
    "--workspace must name a folder, but /w/a/b/f is no folder.",
  ],
  [
    { variables: { ATOMIC_WORKSPACE: "a" } },
    "ATOMIC_WORKSPACE must name a folder, but a is not absolute.",
  ],
];

test.each(noWorkspaces)("no workspace: %j", async (setting, message) => {
  expect(load(setting)).rejects.toMatchObject({ code: "usage.command", message });
});

test("without files there are no layers", async () => {
  const config = { workspace: "/w/a/b", layers: [], userFile: user };
  expect(await load({})).toEqual({ config, notices: [] });
});

const places: readonly (readonly [Setting, string])[] = [
  [{}, "/home/me/.config/atomic/config.json"],
  [{ variables: { XDG_CONFIG_HOME: "/x" } }, "/x/atomic/config.json"],
  [{ variables: { XDG_CONFIG_HOME: "x" } }, "/home/me/.config/atomic/config.json"],
  [{ env: { platform: "macos" } }, "/home/me/Library/Application Support/atomic/config.json"],
];

test.each(places)("the user's file of %j", async (setting, file) => {
  const { config } = await load({ ...setting, files: { [file]: '{"format": false}' } });
  expect(config.layers).toEqual([{ file, folder: "/w/a/b", values: { format: false } }]);
});

test("the nearest file comes first, and none above the workspace is looked at", async () => {
  const off = '{"format": {"Go": false}}';
  const { config, notices } = await load({
    files: {
      "/.atomic/config.json": "not looked at",
      "/w/.git/HEAD": "",
      "/w/.atomic/config.json": off,
      "/w/a/b/.atomic/config.json": off,
      [user]: off,
    },
  });
  expect(config.layers.map(({ file, folder }) => [file, folder])).toEqual([
    ["/w/a/b/.atomic/config.json", "/w/a/b"],
    ["/w/.atomic/config.json", "/w"],
    [user, "/w"],
  ]);
  expect(notices).toEqual([]);
});

const rules = `{
  // how
  "format": {"typescript": {"command": ["fmt", "$FILE", "//"]}, "Go": false}, /* and
  what */ "diagnostics": {"ts": {"server": ["ls", "--stdio"], "timeout": 2.5}}
}`;

test("what a rule comes to: comments, names in any case, defaults", async () => {
  const { config } = await load({ files: { [user]: rules } });
  expect(config.layers[0]!.values).toEqual({
    format: { TypeScript: { command: ["fmt", "$FILE", "//"], stdin: true, time: 5000 }, Go: false },
    diagnostics: { TypeScript: { server: ["ls", "--stdio"], languageId: undefined, time: 2500 } },
  });
});

test("an untrusted workspace may switch off, and nothing else; what it may not set is told", async () => {
  const file = "/w/.atomic/config.json";
  const { config, notices } = await load({
    files: {
      "/w/.git/HEAD": "",
      [file]:
        '{"format": {"TypeScript": {"command": ["evil"]}, "Go": false}, "trustedWorkspaces": ["/w"]}',
    },
  });
  expect(config.layers).toEqual([
    { file, folder: "/w", values: { format: { Go: false }, trustedWorkspaces: undefined } },
  ]);
  expect(notices).toEqual([
    `${file} sets "format.TypeScript", "trustedWorkspaces", which a workspace may set only where the user trusts it: ignored. A person can list the folder under "trustedWorkspaces" in ${user}.`,
  ]);
});

test.each([
  ["/w", true],
  ["/w/", true],
  ["/w/a", false],
  ["~/w", false],
  ["/", true],
  ["/link", true],
])("trust in %s: %p", async (entry, trusted) => {
  const host = memoryHost({
    files: {
      "/w/.git/HEAD": "",
      "/link": { link: "/w" },
      "/w/.atomic/config.json": rules,
      [user]: JSON.stringify({ trustedWorkspaces: [entry] }),
    },
  });
  const config = await loadConfig({ cwd: "/w" }, host, () => {});
  expect(ruleFor(config, "format", "/w/x.ts", "") !== undefined).toBe(trusted);
});

const wrong: readonly (readonly [string, string])[] = [
  ["", "is not JSON at line 1, column 1: found the end of the text."],
  ['{\n"format": {,}}', 'is not JSON at line 2, column 12: found ",".'],
  ["[]", "must hold an object, but holds a list."],
  ["7", "must hold an object, but holds the number 7."],
  ['{"fromat": {}}', 'has the unknown key "fromat"; did you mean "format"?'],
  [
    '{"__proto__": {}}',
    'has the unknown key "__proto__"; the keys here are format, diagnostics, search, trustedWorkspaces, shellPath, shellCommandPrefix, sessionDir, bashInterceptor, bashHandlers, commandPolicy, mcpServers, mcpImports.',
  ],
  ['{"format": 5}', 'has a wrong value: "format" must be an object or false, but is the number 5.'],
  [
    '{"format": {"Typoscript": false}}',
    'has the key "format.Typoscript", which is neither a language nor a glob such as "*.typoscript"; did you mean "TypeScript"?',
  ],
  [
    '{"format": {"elm": false}}',
    'has the key "format.elm", which is neither a language nor a glob such as "*.elm"',
  ],
  ['{"format": {"ts": false, "TypeScript": false}}', 'names TypeScript twice under "format".'],
  [
    '{"format": {"ts": true}}',
    'has a wrong value: "format.ts" must be an object or false, but is the boolean true.',
  ],
  ['{"format": {"ts": {}}}', 'lacks the key "format.ts.command".'],
  [
    '{"format": {"ts": {"comand": ["a"]}}}',
    'has the unknown key "format.ts.comand"; did you mean "command"?',
  ],
  [
    '{"format": {"ts": {"command": "a b"}}}',
    'has a wrong value: "format.ts.command" must be a list, but is the string "a b".',
  ],
  [
    '{"format": {"ts": {"command": []}}}',
    'has a wrong value: "format.ts.command" must begin with a program.',
  ],
  [
    '{"format": {"ts": {"command": ["a", ""]}}}',
    'has a wrong value: "format.ts.command[1]" must not be an empty word.',
  ],
  [
    '{"format": {"ts": {"command": ["a"], "stdin": false}}}',
    'has a wrong value: "format.ts" needs $FILE in "command" where "stdin" is false.',
  ],
  [
    '{"diagnostics": {"ts": {"command": ["a"]}}}',
    'has the unknown key "diagnostics.ts.command"; the keys here are server, languageId, timeout.',
  ],
  [
    '{"diagnostics": {"ts": {"server": ["a"], "timeout": 0}}}',
    'has a wrong value: "diagnostics.ts.timeout" must be a number of seconds from 0.1 to 600.',
  ],
  [
    '{"trustedWorkspaces": ["a"]}',
    'has a wrong value: "trustedWorkspaces[0]" must be absolute, or begin with ~/.',
  ],
];

test.each(wrong)("%j is wrong", async (content, problem) => {
  const { code, message, data } = await failure(content);
  expect(message).toStartWith(`The configuration ${user} ${problem}`);
  expect(code).toBe("config.invalid");
  expect(data["file"]).toBe(user);
});

test("a workspace's wrong key is an error too, and so is a file that cannot be read", async () => {
  const file = "/w/.atomic/config.json";
  expect((await failure('{"x": 1}', file)).message).toStartWith(
    `The configuration ${file} has the unknown key "x"`,
  );
  const folder = load({ files: { [`${user}/x`]: "" } });
  expect(folder).rejects.toMatchObject({
    code: "config.invalid",
    message: `Could not read the configuration ${user}: error code EISDIR.`,
  });
});

const choices: readonly (readonly [string, string, string | undefined])[] = [
  ["/w/a/b/x.ts", "", "ts"],
  ["/w/a/b/x.tsx", "", undefined],
  ["/w/a/b/x.gen.ts", "", "gen"],
  ["/w/a/b/lib/deep/x.ts", "", "lib"],
  ["/w/lib/x.ts", "", "ts"],
  ["/w/a/b/run", "#!/bin/sh", "sh"],
  ["/w/a/b/run", "", undefined],
  ["/w/a/b/x.go", "", undefined],
  ["/w/a/b/.hidden.tmpl", "", "tmpl"],
];

test.each(choices)("the rule of %s with %j is %p", async (path, firstLine, expected) => {
  const named = (name: string) => ({ command: [name] });
  const table = {
    ts: named("ts"),
    "*.gen.ts": named("gen"),
    "lib/**": named("lib"),
    bash: named("sh"),
    Go: false,
    "*.{tmpl,tpl}": named("tmpl"),
  };
  const { config } = await load({ files: { [user]: JSON.stringify({ format: table }) } });
  const found = ruleFor(config, "format", path, firstLine)?.rule as
    { command?: string[] } | undefined;
  expect(found?.command?.[0]).toBe(expected as never);
});

test("a nearer file decides, also to switch off", async () => {
  const { config } = await load({
    files: {
      "/w/.git/HEAD": "",
      "/w/.atomic/config.json": '{"format": {"TypeScript": false}}',
      "/w/a/.atomic/config.json": '{"diagnostics": false}',
      [user]: rules,
    },
  });
  expect(ruleFor(config, "format", "/w/a/b/x.ts", "")).toBeUndefined();
  expect(ruleFor(config, "diagnostics", "/w/a/b/x.ts", "")).toBeUndefined();
});
