import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { installHosts } from "../../core/install/hosts.ts";
import { binary, inPlace } from "./program.ts";

setDefaultTimeout(60_000);

const userFile: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  codex: ".codex/config.toml",
  cursor: ".cursor/mcp.json",
  vscode: ".config/Code/User/mcp.json",
  gemini: ".gemini/settings.json",
  opencode: ".config/opencode/opencode.json",
  zed: ".config/zed/settings.json",
};
const projectFile: Readonly<Record<string, string>> = {
  "claude-code": ".mcp.json",
  codex: ".codex/config.toml",
  cursor: ".cursor/mcp.json",
  vscode: ".vscode/mcp.json",
  gemini: ".gemini/settings.json",
  opencode: "opencode.json",
  zed: ".zed/settings.json",
};

test("every host is installed for the user and for the project, once, and taken out again", async () => {
  await inPlace({}, async ({ folder, env, run }) => {
    for (const { name, title } of installHosts) {
      for (const [scope, root, files] of [
        ["user", env["HOME"]!, userFile],
        ["project", folder, projectFile],
      ] as const) {
        const file = join(root, files[name]!);
        const words = (verb: string) => ["mcp", verb, name, "--scope", scope];
        const added = await run(words("install"));
        expect([added.status, added.stderr]).toEqual([0, ""]);
        expect(added.stdout).toContain(title);
        const text = readFileSync(file, "utf8");
        expect(text).toContain(JSON.stringify(scope === "user" ? binary : "atomic"));
        expect((await run(words("install"))).stdout).toEndWith("It is there already.\n");
        expect(readFileSync(file, "utf8")).toBe(text);
        expect((await run(words("uninstall"))).status).toBe(0);
        expect(existsSync(file)).toBe(false);
      }
    }
  });
});

const settings = `\ufeff// mine\r\n{\r\n\t"theme": "One",\r\n\t"context_servers": {\r\n\t\t"x": { "command": "y", "env": { "KEY": "s3cret" } }, // keep\r\n\t},\r\n}\r\n`;

test("the rest of the file, its mode and a link to it stay; a copy is kept where only the user can read it", async () => {
  await inPlace({ "real.json": settings }, async ({ folder, env, run }) => {
    const file = join(env["HOME"]!, ".config/zed/settings.json");
    const real = join(folder, "real.json");
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(real, file);
    chmodSync(real, 0o600);
    const { status, stdout } = await run(["mcp", "install", "zed", "--", "--read-only"]);
    expect(status).toBe(0);
    expect(stdout).not.toContain("s3cret");
    expect(stdout).toContain('+\t\t"atomic": {\n');
    const args = ["mcp", "serve", "--read-only"].map((one) => `\t\t\t\t"${one}"`).join(",\r\n");
    expect(readFileSync(real, "utf8")).toBe(
      settings.replace(
        "// keep\r\n",
        `// keep\r\n\t\t"atomic": {\r\n\t\t\t"command": ${JSON.stringify(binary)},\r\n\t\t\t"args": [\r\n${args}\r\n\t\t\t],\r\n\t\t\t"source": "custom"\r\n\t\t},\r\n`,
      ),
    );
    expect([lstatSync(file).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o600]);
    const copy = /^As it was: (.+)$/m.exec(stdout)![1]!;
    expect([readFileSync(copy, "utf8"), statSync(copy).mode & 0o777]).toEqual([settings, 0o600]);
    expect(statSync(dirname(copy)).mode & 0o777).toBe(0o700);
    expect((await run(["mcp", "uninstall", "zed"])).status).toBe(0);
    expect(readFileSync(real, "utf8")).toBe(settings);
  });
});

test("a dry run shows and writes nothing; read-only and plan mode refuse", async () => {
  await inPlace({ "opencode.json": "{}\n" }, async ({ folder, env, run }) => {
    const words = ["mcp", "install", "opencode", "--scope", "project"];
    const dry = await run([...words, "--dry-run"]);
    expect(dry.stdout).toBe(`opencode: opencode.json
@@ line 1 @@
-{}
+{
+  "mcp": {
+    "atomic": {
+      "type": "local",
+      "command": [
+        "atomic",
+        "mcp",
+        "serve"
+      ],
+      "enabled": true
+    }
+  }
+}
Dry run: the server is added; nothing was written.
`);
    expect(await run([...words, "--read-only"])).toMatchObject({
      status: 5,
      stderr:
        "Read-only mode: mcp install was refused, since it would write files. Nothing was written.\n",
    });
    expect((await run([...words, "--plan", "src"])).status).toBe(5);
    expect((await run(["mcp", "uninstall", "zed", "--read-only"])).status).toBe(5);
    expect(readFileSync(join(folder, "opencode.json"), "utf8")).toBe("{}\n");
    expect(existsSync(join(env["HOME"]!, "state"))).toBe(false);
    expect((await run([...words, "--plan", "opencode.json"])).status).toBe(0);
    expect(existsSync(join(env["HOME"]!, ".config"))).toBe(false);
  });
});

test("what cannot be changed safely is refused, and left as it is", async () => {
  const foreign = '{"mcpServers": {"atomic": {"command": "npx"}}}';
  const files = {
    ".mcp.json": '{"a": 1,}',
    ".cursor/mcp.json": foreign,
    ".gemini/settings.json": Uint8Array.of(0xff, 0xfe, 0x7b, 0x00),
  };
  await inPlace(files, async ({ folder, run }) => {
    const install = (...words: string[]) => run(["mcp", "install", ...words, "--scope", "project"]);
    expect(await install("claude-code")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        'Could not change .mcp.json: line 1, column 9: unexpected "}".\nMend the file, then run this again.\n',
    });
    expect(await install("cursor")).toEqual({
      status: 5,
      stdout: "",
      stderr:
        '.cursor/mcp.json has a server "atomic" of Cursor that is not `atomic mcp serve`.\nUse another --name, or --force to replace it all the same.\n',
    });
    expect((await install("gemini")).stderr).toContain("it is not UTF-8");
    expect(readFileSync(join(folder, ".cursor/mcp.json"), "utf8")).toBe(foreign);
    expect((await install("cursor", "--name", "a2")).status).toBe(0);
    expect((await install("cursor", "--force", "--json")).status).toBe(0);
    mkdirSync(join(folder, "opencode.json"));
    expect((await install("opencode")).status).toBe(1);
    expect(await install("nano")).toMatchObject({ status: 2 });
    expect(await install("cursor", "--name", "a b")).toMatchObject({ status: 2 });
    expect(await install("cursor", "--", "--redonly")).toMatchObject({
      status: 2,
      stderr: "Unknown flag --redonly; did you mean --read-only?\nSee `atomic mcp serve --help`.\n",
    });
    expect(await run(["mcp", "install"])).toMatchObject({ status: 2 });
    expect(readdirSync(join(folder, ".cursor"))).toEqual(["mcp.json"]);
  });
});

test("--print gives the entry for any agent", async () => {
  await inPlace({}, async ({ env, run }) => {
    const { stdout } = await run(["mcp", "install", "--print", "--scope", "project"]);
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: { atomic: { command: "atomic", args: ["mcp", "serve"] } },
    });
    expect((await run(["mcp", "install", "codex", "--print", "--command", "a"])).stdout).toBe(
      '[mcp_servers.atomic]\ncommand = "a"\nargs = ["mcp", "serve"]\n',
    );
    expect(existsSync(join(env["HOME"]!, ".codex"))).toBe(false);
  });
});

test("several at once come all in", async () => {
  await inPlace({ ".mcp.json": "{}\n" }, async ({ folder, run }) => {
    const names = Array.from({ length: 6 }, (_, i) => `n${i}`);
    const words = ["mcp", "install", "claude-code", "--scope", "project", "--name"];
    const ran = await Promise.all(names.map((name) => run([...words, name])));
    expect(ran.map(({ status }) => status)).toEqual(names.map(() => 0));
    const { mcpServers } = JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8"));
    expect(Object.keys(mcpServers).toSorted()).toEqual(names);
  });
});
