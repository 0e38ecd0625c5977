// Servers in the files of many programs: where they are looked for, in which forms, and how variables get into them.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { loadConfig } from "../../../core/config/load.ts";
import type { Definition, Source } from "../../../core/mcp-client/definition.ts";
import { readDefinition } from "../../../core/mcp-client/definition.ts";
import { describeDefinition } from "../../../core/mcp-client/describe.ts";
import { expandDefinition } from "../../../core/mcp-client/expand.ts";
import { findServers } from "../../../core/mcp-client/read-files.ts";
import { mapTexts, redactor } from "../../../core/mcp-client/redact.ts";

async function found(
  files: Readonly<Record<string, string>>,
  {
    cwd = "/work",
    platform = "linux",
    variables = {},
  }: {
    readonly cwd?: string;
    readonly platform?: "linux" | "macos" | "windows";
    readonly variables?: Readonly<Record<string, string>>;
  } = {},
) {
  const host = memoryHost({
    files: { "/work/.git/HEAD": "", ...files },
    variables,
    env: { cwd, platform },
  });
  const config = await loadConfig({ cwd }, host, () => {});
  const { entries, problems } = await findServers({ cwd, config }, host);
  return {
    problems,
    entries,
    names: entries.map(
      ({ name, source }) => `${name} ${source.host}${source.isWorkspace ? " workspace" : ""}`,
    ),
  };
}

const one = (name: string, key = "mcpServers") =>
  JSON.stringify({ [key]: { [name]: { command: "run", args: ["-x"] } } });

describe("the files", () => {
  test("of a workspace, from the working folder up, come before the user's, and hosts' after our own", async () => {
    const { names, problems } = await found(
      {
        "/work/sub/.mcp.json": one("nearest"),
        "/work/.mcp.json": one("root"),
        "/work/.atomic/mcp.json": one("ours"),
        "/home/me/.config/atomic/config.json": one("configured"),
        "/home/me/.config/mcp/mcp.json": one("common"),
        "/home/me/.cursor/mcp.json": one("cursor"),
        "/.mcp.json": one("above"),
      },
      { cwd: "/work/sub" },
    );
    expect(problems).toEqual([]);
    expect(names).toEqual([
      "nearest mcp.json workspace",
      "root mcp.json workspace",
      "ours mcp.json workspace",
      "configured atomic",
      "common mcp.json",
      "cursor cursor",
    ]);
  });

  const rows: readonly (readonly [string, string, string, ("linux" | "macos")?])[] = [
    ["claude-code", "/home/me/.claude.json", one("a")],
    [
      "claude-code",
      "/home/me/.claude.json",
      JSON.stringify({
        projects: {
          "/work": { mcpServers: { a: { type: "stdio", command: "run", args: ["-x"] } } },
        },
      }),
    ],
    ["codex", "/home/me/.codex/config.toml", '[mcp_servers.a]\ncommand = "run"\nargs = ["-x"]\n'],
    ["cursor", "/home/me/.cursor/mcp.json", one("a")],
    ["vscode", "/home/me/.config/Code/User/mcp.json", one("a", "servers")],
    [
      "vscode",
      "/home/me/Library/Application Support/Code/User/mcp.json",
      one("a", "servers"),
      "macos",
    ],
    ["gemini", "/home/me/.gemini/settings.json", one("a")],
    [
      "opencode",
      "/home/me/.config/opencode/opencode.jsonc",
      '{ // JSONC\n "mcp": { "a": { "type": "local", "command": ["run", "-x"], "enabled": true, }, }, }',
    ],
    ["zed", "/home/me/.config/zed/settings.json", one("a", "context_servers")],
    [
      "zed",
      "/home/me/.config/zed/settings.json",
      '{"context_servers": {"a": {"command": {"path": "run", "args": ["-x"]}, "settings": {}}}}',
    ],
    ["claude-desktop", "/home/me/.config/Claude/claude_desktop_config.json", one("a")],
  ];
  for (const [host, file, content, platform = "linux"] of rows) {
    test(`of ${host}: ${file} on ${platform}`, async () => {
      const { entries, problems } = await found({ [file]: content }, { platform });
      expect(problems).toEqual([]);
      expect(entries).toMatchObject([
        {
          name: "a",
          source: { host, file },
          transport: { kind: "stdio", command: "run", args: ["-x"] },
        },
      ]);
    });
  }

  test("of hosts are left alone where mcpImports says so", async () => {
    const files = {
      "/home/me/.cursor/mcp.json": one("c"),
      "/home/me/.gemini/settings.json": one("g"),
    };
    const config = "/home/me/.config/atomic/config.json";
    expect((await found({ ...files, [config]: '{"mcpImports": false}' })).names).toEqual([]);
    expect((await found({ ...files, [config]: '{"mcpImports": ["gemini"]}' })).names).toEqual([
      "g gemini",
    ]);
    await expect(found({ [config]: '{"mcpImports": ["emacs"]}' })).rejects.toThrow(
      '"mcpImports" must be false or a list of claude-code, codex, ',
    );
    await expect(found({ [config]: '{"mcpServers": {"a": {"comand": "x"}}}' })).rejects.toThrow(
      'unknown key "mcpServers.a.comand"; did you mean "command"?',
    );
  });

  test("of a workspace may not set servers in .atomic/config.json", async () => {
    expect((await found({ "/work/.atomic/config.json": one("sneaky") })).names).toEqual([]);
  });

  test("that have us as a server would have us call ourselves: those are left out", async () => {
    const self =
      '{"mcpServers": {"atomic": {"command": "/usr/bin/atomic", "args": ["mcp", "serve"]}}}';
    expect((await found({ "/home/me/.cursor/mcp.json": self })).names).toEqual([]);
    expect((await found({ "/work/.mcp.json": self })).names).toEqual(["atomic mcp.json workspace"]);
  });

  test("that are broken are named, with no word of what they hold", async () => {
    const broken = {
      "/work/.mcp.json": '{"mcpServers": {"a": {"env": {"KEY": "secret" "x"}}}}',
      "/home/me/.codex/config.toml": 'key = "secret\n',
      "/home/me/.cursor/mcp.json": '{"mcpServers": []}',
      "/home/me/.gemini/settings.json": "\ufffe\u0000",
      "/home/me/.claude.json": "3",
    };
    const { problems, entries } = await found(broken);
    expect(entries).toEqual([]);
    expect(problems.map(({ file }) => file).toSorted()).toEqual(Object.keys(broken).toSorted());
    expect(JSON.stringify(problems)).not.toContain("secret");
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`s${i}`, {}]));
    const full = await found({ "/work/.mcp.json": JSON.stringify({ mcpServers: many }) });
    expect(full.problems).toEqual([
      { file: "/work/.mcp.json", reason: "it has 501 servers, more than 500" },
    ]);
  });
});

const source: Source = {
  host: "mcp.json",
  file: "/work/.mcp.json",
  isWorkspace: true,
  folder: "/work",
  dialect: "mcp.json",
};

function read(entry: unknown, over: Partial<Source> = {}): Definition {
  const definition = readDefinition("a", entry, { ...source, ...over });
  if (!("transport" in definition)) throw new Error(definition.reason);
  return definition;
}

function expanded(
  entry: unknown,
  set: Readonly<Record<string, string>>,
  over: Partial<Source> = {},
) {
  return expandDefinition(read(entry, over), { get: (name) => set[name], home: "/home/me" });
}

describe("variables", () => {
  const set = { A: "value-a", EMPTY: "", TOKEN: "tok-123456" };

  test("of .mcp.json stand in every text, with defaults", () => {
    const { definition, missing } = expanded(
      {
        command: "${A}/run",
        args: ["${B:-two}", "${EMPTY:-three}", "$A", "${env:A}", "${B:-}"],
        env: { X: "<${A}>" },
        cwd: "${A}",
      },
      set,
    );
    expect(definition.transport).toMatchObject({
      command: "value-a/run",
      args: ["two", "three", "$A", "value-a", ""],
      env: { X: "<value-a>" },
      cwd: "value-a",
    });
    expect(missing).toEqual([]);
    expect(expanded({ command: "${NOPE}", args: ["${OTHER}"] }, set).missing.toSorted()).toEqual([
      "NOPE",
      "OTHER",
    ]);
  });

  test("of the hosts are read in their own ways", () => {
    const args = (entry: object, over: Partial<Source>) => {
      const { transport } = expanded({ command: "x", ...entry }, set, over).definition;
      return "args" in transport ? transport.args : [];
    };
    const vscode = { host: "vscode", dialect: "vscode" } as const;
    expect(args({ args: ["${env:A}", "${workspaceFolder}/b", "${userHome}"] }, vscode)).toEqual([
      "value-a",
      "/work/b",
      "/home/me",
    ]);
    expect(args({ args: ["$A", "${A}-"] }, { host: "gemini", dialect: "gemini" })).toEqual([
      "value-a",
      "value-a-",
    ]);
    expect(args({ args: ["{env:A}", "${A}"] }, { host: "opencode", dialect: "opencode" })).toEqual([
      "value-a",
      "${A}",
    ]);
    expect(args({ args: ["$A", "${A}"] }, { host: "zed", dialect: "plain" })).toEqual([
      "$A",
      "${A}",
    ]);
    expect(expanded({ command: "x", args: ["${input:key}"] }, set, vscode).unusable).toBe(
      "it needs ${input:key}, which only its own host can ask for",
    );
  });

  test("of Codex give headers their values", () => {
    const { headers, missing } = expanded(
      {
        url: "https://x.example/mcp",
        bearer_token_env_var: "TOKEN",
        http_headers: { "X-A": "plain" },
        env_http_headers: { "X-B": "A", "X-C": "NOPE" },
      },
      set,
      { host: "codex", dialect: "plain" },
    );
    expect(headers).toEqual({
      "X-A": "plain",
      Authorization: "Bearer tok-123456",
      "X-B": "value-a",
      "X-C": "",
    });
    expect(missing).toEqual(["NOPE"]);
  });

  test("do not bring in others: a value is never read for variables again", () => {
    const { definition } = expanded({ command: "${A}" }, { A: "${TOKEN}", TOKEN: "tok-123456" });
    expect(definition.transport).toMatchObject({ command: "${TOKEN}" });
  });
});

describe("forms", () => {
  test("say how a URL is spoken to", () => {
    const kind = (entry: object, host: Source["host"] = "mcp.json") =>
      read(entry, { host }).transport.kind;
    const url = "https://x.example/";
    expect(kind({ url })).toBe("any");
    expect(kind({ type: "http", url })).toBe("http");
    expect(kind({ type: "sse", url })).toBe("sse");
    expect(kind({ url }, "gemini")).toBe("sse");
    expect(kind({ httpUrl: url }, "gemini")).toBe("http");
    expect(kind({ type: "remote", url }, "opencode")).toBe("any");
  });

  test("limit what may be called, and for how long", () => {
    expect(
      read(
        {
          command: "x",
          enabled_tools: ["a"],
          disabled_tools: ["b"],
          startup_timeout_sec: 5,
          tool_timeout_sec: 9,
        },
        { host: "codex" },
      ),
    ).toMatchObject({
      includeTools: ["a"],
      excludeTools: ["b"],
      connectTime: 5_000,
      callTime: 9_000,
    });
    expect(
      read({ command: "x", trust: "untrusted", alwaysLoad: true, timeout: 1e9 }),
    ).toMatchObject({
      isUntrusted: true,
      alwaysLoad: true,
      callTime: 3_600_000,
    });
    expect(read({ command: "x", enabled: false })).toMatchObject({ isDisabled: true });
  });

  test("that are none are told, whatever they are", () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), (name, entry) => {
        const definition = readDefinition(name, entry, source);
        if (!("transport" in definition)) expect(definition.reason).not.toBe("");
      }),
    );
    for (const key of ["command", "args", "env", "url", "headers", "type", "cwd"]) {
      fc.assert(
        fc.property(fc.anything(), (value) => {
          const definition = readDefinition("a", { command: "x", [key]: value }, source);
          if ("transport" in definition) expandDefinition(definition, { get: () => "", home: "/" });
        }),
      );
    }
  });
});

describe("secrets", () => {
  test("are hidden in every form in which they may come back", () => {
    const hide = redactor([{ label: "KEY", value: 'a"b/c d+e' }]);
    const forms = [
      'a"b/c d+e',
      'a\\"b/c d+e',
      encodeURIComponent('a"b/c d+e'),
      btoa('a"b/c d+e').replace(/=+$/, ""),
    ];
    for (const form of forms) expect(hide(`x ${form} y`)).toBe("x [KEY hidden] y");
    expect(redactor([{ label: "X", value: "short" }])("a short text")).toBe("a short text");
  });

  test("never survive, whatever they are made of and wherever they stand", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: "grapheme" }), fc.string(), (secret, around) => {
        const value = secret.trim();
        fc.pre(value.length >= 8 && !"[KEY hidden]".includes(value));
        const hidden = redactor([{ label: "KEY", value }])(`${around}${value}${around}`);
        expect(hidden.includes(value) && !around.includes(value)).toBe(false);
        const deep = mapTexts({ [value]: [{ x: value }] }, redactor([{ label: "KEY", value }]));
        expect(JSON.stringify(deep)).toBe('{"[KEY hidden]":[{"x":"[KEY hidden]"}]}');
      }),
    );
  });

  test("of arguments and URLs are not shown, and the rest is", () => {
    const target = (entry: object) => describeDefinition(read(entry)).target;
    expect(
      target({ command: "x", args: ["--token", "abcdef123", "--api-key=abcdef456", "keep"] }),
    ).toBe("x --token '[--token hidden]' '--api-key=[--api-key hidden]' keep");
    expect(target({ command: "x", args: ["ghp_abcdefghijklmnopqrst12"] })).toBe("x '[key hidden]'");
    expect(
      target({
        url: "https://u:pass-word@h.example/a/9f8e7d6c5b4a39281706ab/mcp?api_key=abcdef123&x=1",
      }),
    ).toBe(
      "https://u:[password hidden]@h.example/a/[path hidden]/mcp?api_key=[api_key hidden]&x=1",
    );
    const { given, reads } = describeDefinition(
      read({ command: "x", env: { API_KEY: "abcdef", PLACE: "/tmp", T: "${SECRET:-abc}" } }),
    );
    expect(given).toEqual(["API_KEY=(hidden)", "PLACE=/tmp", "T=${SECRET:-abc}"]);
    expect(reads).toEqual(["SECRET"]);
  });
});
