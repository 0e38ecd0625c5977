import { expect, test } from "bun:test";

import { installHosts } from "../../../core/install/hosts.ts";
import { planInstall, planUninstall, snippet } from "../../../core/install/plan.ts";
import { shownChange } from "../../../core/install/shown-change.ts";

const hostOf = (name: string) => installHosts.find((host) => host.name === name)!;
const wantedFor = (name: string, over: object = {}) => ({
  host: hostOf(name),
  name: "atomic",
  command: "/usr/bin/atomic",
  args: ["mcp", "serve"],
  force: false,
  ...over,
});

const texts: readonly (readonly [string, string])[] = [
  [
    "claude-code",
    `{\n  "numStartups": 3,\n  "mcpServers": {},\n  "projects": {"/w": {"a": []}}\n}`,
  ],
  ["cursor", `{ // c\n\t"mcpServers": {\n\t\t"x": {"command": "y"},\n\t},\n}\n`],
  ["vscode", `{"servers": {}, "inputs": []}`],
  ["gemini", `{\r\n    "theme": "Dark"\r\n}\r\n`],
  ["opencode", `{\n  "$schema": "https://opencode.ai/config.json"\n}\n`],
  ["zed", `// Zed settings\n{\n  "theme": "One",\n  // none\n  "context_servers": {\n  }\n}\n`],
  [
    "codex",
    `model = "x"\n\n[mcp_servers.other] # mine\ncommand = "y"\nenv = { KEY = "a # b" }\n\n[profiles.a]\nnote = """\n[mcp_servers.atomic]\n"""\n`,
  ],
  ["codex", `model = 'x' # no end of line`],
];

for (const [name, text] of texts) {
  test(`${name}: in, in again, out: what it was`, async () => {
    const wanted = wantedFor(name);
    const added = await planInstall(text, wanted, "F");
    expect(added.outcome).toBe("added");
    expect(await planInstall(added.text, wanted, "F")).toEqual({ ...added, outcome: "unchanged" });
    const moved = await planInstall(added.text, { ...wanted, command: "atomic" }, "F");
    expect(moved.outcome).toBe("updated");
    expect(moved.text).toBe(added.text!.replace("/usr/bin/atomic", "atomic"));
    const removed = await planUninstall(moved.text, wanted, "F", ["{ broken", text]);
    expect(removed).toEqual({ outcome: "removed", text });
    const blind = await planUninstall(moved.text, wanted, "F", []);
    expect(await planUninstall(blind.text, wanted, "F", [])).toEqual({
      ...blind,
      outcome: "unchanged",
    });
  });
}

for (const host of installHosts) {
  test(`${host.name}: a new file has the server alone, and goes with it`, async () => {
    const wanted = wantedFor(host.name);
    const { text, outcome } = await planInstall(undefined, wanted, "F");
    expect([outcome, text]).toEqual(["added", await snippet(wanted)]);
    expect(await planUninstall(text, wanted, "F", [])).toEqual({
      outcome: "removed",
      text: undefined,
    });
    expect(await planUninstall(undefined, wanted, "F", [])).toMatchObject({ outcome: "unchanged" });
  });
}

test("a file that was empty is empty again", async () => {
  const wanted = wantedFor("cursor");
  for (const text of ["", " \n"]) {
    const added = await planInstall(text, wanted, "F");
    expect(await planUninstall(added.text, wanted, "F", [text])).toEqual({
      outcome: "removed",
      text,
    });
  }
});

test("what the user has beside our entry stays", async () => {
  const text = `{"mcp": {"atomic": {"type": "local", "command": ["atomic", "mcp", "serve"], "enabled": false, "environment": {"A": "b"}}}}`;
  expect(await planInstall(text, wantedFor("opencode"), "F")).toEqual({
    outcome: "updated",
    text: text.replace('"atomic", "mcp"', '"/usr/bin/atomic", "mcp"'),
  });
  const toml = `[mcp_servers.atomic]\nargs = [\n  "mcp", # one\n  "serve",\n]\ncommand = 'atomic' # old\nstartup_timeout_sec = 20\n[mcp_servers.atomic.env]\nA = "b"\n`;
  expect(await planInstall(toml, wantedFor("codex"), "F")).toEqual({
    outcome: "updated",
    text: toml.replace("'atomic'", '"/usr/bin/atomic"'),
  });
});

test("another server of that name is left alone, unless it is forced", async () => {
  const text = `{\n  "mcpServers": {\n    "atomic": {"command": "npx", "args": ["atomic"]}\n  }\n}\n`;
  await expect(planInstall(text, wantedFor("cursor"), "F")).rejects.toMatchObject({
    code: "install.foreign",
    status: 5,
    message: 'F has a server "atomic" of Cursor that is not `atomic mcp serve`.',
  });
  await expect(planUninstall(text, wantedFor("cursor"), "F", [])).rejects.toMatchObject({
    code: "install.foreign",
  });
  expect(await planInstall(text, wantedFor("cursor", { force: true }), "F")).toEqual({
    outcome: "replaced",
    text: `{\n  "mcpServers": {\n    "atomic": { "command": "/usr/bin/atomic", "args": ["mcp", "serve"] }\n  }\n}\n`,
  });
  const toml = `[mcp_servers.atomic]\nurl = "x"\n\n[mcp_servers.atomic.env]\nA = "b"\n\n[z]\n`;
  expect(await planInstall(toml, wantedFor("codex", { force: true }), "F")).toEqual({
    outcome: "replaced",
    text: `\n[z]\n\n[mcp_servers.atomic]\ncommand = "/usr/bin/atomic"\nargs = ["mcp", "serve"]\n`,
  });
});

const broken: readonly (readonly [string, string, string])[] = [
  ["claude-code", '{"a": 1,}', 'line 1, column 9: unexpected "}".'],
  ["claude-code", "// c\n{}", "line 1, column 1: a comment, which this file cannot have."],
  [
    "zed",
    '{\n "context_servers": 1}',
    'line 2, column 21: there must be an object for "atomic" here.',
  ],
  ["codex", "a = \n", "line 1, column 5: invalid value."],
  [
    "codex",
    "mcp_servers = { a = 1 }\n",
    "mcp_servers.atomic cannot be changed by itself here, so change it by hand.",
  ],
  ["codex", "mcp_servers = 1\n", 'there must be a table for "atomic".'],
  [
    "codex",
    '[mcp_servers]\natomic = { command = "atomic", args = ["mcp", "serve", "-"] }\n',
    "mcp_servers.atomic is not written as a table",
  ],
];

test.each(broken)("%s: %j is refused with its place", async (name, text, why) => {
  const failed = planInstall(text, wantedFor(name), "F");
  await expect(failed).rejects.toMatchObject({ code: "install.invalid", status: 1 });
  await expect(failed).rejects.toThrow(`Could not change F: `);
  if (why !== "") await failed.catch((error: Error) => expect(error.message).toContain(why));
});

test("the change shows our lines, and of others nothing that may be secret", () => {
  const before = `{\n  "a": {\n    "x": {"env": {"KEY": "s3cret"}}\n  }\n}\n`;
  const after = `{\n  "a": {\n    "x": {"env": {"KEY": "s3cret"}},\n    "atomic": {\n      "command": "c"\n    }\n  }\n}\n`;
  expect(shownChange(before, after, { atomic: { command: "c" } })).toBe(
    `@@ line 3 @@\n-    "x": …\n+    "x": …,\n+    "atomic": {\n+      "command": "c"\n+    }`.replace(
      "…,",
      "…",
    ),
  );
  const toml = 'x = """\ns3cret\n"""\n[a]\nk = "s3cret"\n';
  expect(shownChange(toml, "", undefined)).toBe("@@ line 1 @@\n-x = …\n-…\n-…\n-[a]\n-k = …");
});
