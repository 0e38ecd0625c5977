// What follows a write where the configuration asks for it: a real formatter, a real language server, and ones that let
// us down.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { findNode } from "../../scripts/check/runtimes.ts";
import { type EditPlace, headers, inEditPlace } from "./edit-place.ts";

// Programs are started on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

const root = resolve(import.meta.dirname, "../..");
const node = findNode(root) ?? "node";
const prettier = [
  node,
  join(root, "node_modules/prettier/bin/prettier.cjs"),
  "--stdin-filepath",
  "$FILE",
];
const jsonServer = [
  node,
  join(root, "node_modules/vscode-json-languageserver/bin/vscode-json-languageserver"),
  "--stdio",
];
const slow = 60;

/** The place with a configuration of the user's own. */
async function inConfigured(
  config: unknown,
  files: Readonly<Record<string, string>>,
  work: (place: EditPlace) => Promise<void>,
): Promise<void> {
  await inEditPlace(files, async (place) => {
    const env = { XDG_CONFIG_HOME: join(place.state, "..", "config") };
    place.put("../config/atomic/config.json", JSON.stringify(config));
    await work({
      ...place,
      run: (args, options = {}) => place.run(args, { ...options, env: { ...env, ...options.env } }),
    });
  });
}

const program = (script: string) => ["sh", "-c", script, "formatter"];

test("a real formatter: the answer shows what the file holds in the end, and the next edit goes by its tag", async () => {
  await inConfigured(
    { format: { TypeScript: { command: prettier, timeout: slow } } },
    {},
    async (place) => {
      const written = await place.run(["write", "a.ts", "--content", "const  a={b:1}\n"]);
      expect([written.status, written.stderr.text]).toEqual([0, ""]);
      expect(place.bytes("a.ts")).toBe("const a = { b: 1 };\n");
      const [header] = headers(written);
      expect(written.stdout.text).toMatch(
        /^\[a\.ts#[0-9A-F]{4}\]\nSuccessfully wrote to a\.ts\nFormatted by `.*`\.\n$/,
      );
      const edited = await place.run(["edit"], {
        stdin: `${header}\ninsert tail:\n+let   x   =  a\n`,
      });
      expect(edited.stdout.text).toEndWith(" 1:const a = { b: 1 };\n*2:let x = a;\n");
      expect(headers(edited)).toEqual([await place.header("a.ts")]);
      expect(place.bytes("a.ts")).toBe("const a = { b: 1 };\nlet x = a;\n");
      // Formatting is a change of its own in the log.
      const log = (await place.run(["log"])).stdout.text;
      expect(log.match(/ (?:write|edit|format) /g)).toEqual([
        " format ",
        " edit ",
        " format ",
        " write ",
      ]);
      const other = await place.run(["write", "notes.txt", "--content", "a  b"]);
      expect(other.stdout.text).not.toContain("Formatted");
    },
  );
});

test("a real language server: what is wrong stands below the answer, a line each, and in the details", async () => {
  const config = { diagnostics: { JSON: { server: jsonServer, timeout: slow } } };
  await inConfigured(config, { "b.json": '{\n  "a": 1\n}\n' }, async (place) => {
    const broken = await place.run(["write", "a.json", "--content", '{\n  "é": tru,\n}\n']);
    expect([broken.status, broken.stderr.text]).toEqual([0, ""]);
    // What else it remarks on the comma is its own affair.
    expect(broken.stdout.text).toMatch(
      /^\[a\.json#[0-9A-F]{4}\]\nSuccessfully wrote to a\.json\n\na\.json:2:8 error Value expected\n(?:a\.json:\d+:\d+ \w+ .+\n)*$/,
    );
    const header = await place.header("b.json");
    const edited = await place.run(["edit", "--json"], {
      stdin: `${header}\nreplace 2..2:\n+  "a": 1,,\n`,
    });
    const { text, details } = JSON.parse(edited.stdout.text);
    expect(text).toContain("\n\nb.json:2:");
    expect(details.diagnostics[0]).toMatchObject({ path: "b.json", line: 2, severity: "error" });
    expect(details.meta.diagnostics).toMatchObject({
      messages: expect.arrayContaining([expect.stringMatching(/^b\.json:2:\d+ error /)]),
      failures: [],
    });
    const fixed = await place.change("b.json", "replace 2..2:", '+  "a": 2');
    expect(fixed.stdout.text).not.toContain("error");
  });
});

const failing: readonly (readonly [string, object, RegExp])[] = [
  ["is not there", { command: ["no-such-program"] }, /no-such-program was not found\.$/m],
  ["fails", { command: program("echo broken >&2; exit 3") }, /it ended with status 3: broken\.$/m],
  ["prints nothing", { command: program("cat >/dev/null") }, /it left nothing of the text\.$/m],
  [
    "prints what is no text",
    { command: program("printf '\\377\\376\\375'") },
    /Not formatted by `.*`: the result is no UTF-8 text\.$/m,
  ],
  ["hangs", { command: program("sleep 600"), timeout: 0.3 }, /it did not finish within 0\.3 s\.$/m],
  ["dies", { command: program("kill -KILL $$") }, /it ended with signal SIGKILL/],
  [
    "removes its file",
    { command: program('rm "$1"').concat("$FILE"), stdin: false },
    /it removed the file that it was given\.$/m,
  ],
];

for (const [what, rule, note] of failing) {
  test(`a formatter that ${what} costs the formatting, not the write, and that is said`, async () => {
    await inConfigured({ format: { "*.x": rule } }, {}, async (place) => {
      const ran = await place.run(["write", "a.x", "--content", "keep  me\n"]);
      expect([ran.status, ran.stderr.text]).toEqual([0, ""]);
      expect(ran.stdout.text).toMatch(
        /^\[a\.x#[0-9A-F]{4}\]\nSuccessfully wrote to a\.x\nNot formatted by /,
      );
      expect(ran.stdout.text).toMatch(note);
      expect(place.bytes("a.x")).toBe("keep  me\n");
      expect(readdirSync(place.folder)).toEqual(["a.x"]);
    });
  });
}

test("a formatter that rewrites its file, line endings and all, is told of", async () => {
  const rule = { command: ["sh", "-c", "printf 'new\\n' > \"$1\"", "f", "$FILE"], stdin: false };
  await inConfigured({ format: { "*.x": rule } }, {}, async (place) => {
    const ran = await place.run(["write", "a.x", "--content", "old\r\n"]);
    expect(ran.stdout.text).toContain("Formatted by `");
    expect(ran.stdout.text).toContain("Its line endings were CRLF and are LF now.");
    expect(place.bytes("a.x")).toBe("new\n");
  });
});

test("what changes while the formatter is at work is left as it is", async () => {
  const rule = { command: ["sh", "-c", 'printf theirs > a.x; sed "s/old/new/"'] };
  await inConfigured({ format: { "*.x": rule } }, {}, async (place) => {
    place.put(".git/HEAD", "");
    const ran = await place.run(["write", "a.x", "--content", "old\n"]);
    expect(ran.stdout.text).toContain("the file was changed meanwhile, and is left as it is.");
    expect(place.bytes("a.x")).toBe("theirs");
  });
});

test("servers that are missing, silent or broken never block a write", async () => {
  const servers: Readonly<Record<string, readonly [object, RegExp]>> = {
    missing: [
      { server: ["no-such-server"] },
      /^No diagnostics from `no-such-server`: no-such-server was not found\.$/m,
    ],
    silent: [
      { server: program("cat >/dev/null"), timeout: 0.3 },
      /it did not finish within 0\.3 s\.$/m,
    ],
    broken: [{ server: program("echo garbage; sleep 600"), timeout: 5 }, /^No diagnostics from /m],
    dead: [{ server: program("exit 7") }, /^No diagnostics from /m],
  };
  for (const [name, [rule, said]] of Object.entries(servers)) {
    await inConfigured({ diagnostics: { "*.x": rule } }, {}, async (place) => {
      const ran = await place.run(["write", "a.x", "--content", "x\n"]);
      expect([name, ran.status, ran.stderr.text]).toEqual([name, 0, ""]);
      expect(ran.stdout.text).toMatch(said);
      expect(place.bytes("a.x")).toBe("x\n");
    });
  }
});

test("a mistake in the configuration is told before anything is written", async () => {
  await inConfigured({ formt: {} }, { "a.txt": "1\n" }, async (place) => {
    const written = await place.run(["write", "b.txt", "--content", "x"]);
    expect(written.status).toBe(2);
    expect(written.stderr.text).toContain('did you mean "format"?');
    expect((await place.run(["read", "a.txt"])).status).toBe(0);
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
  });
});

test("a workspace's own file starts nothing unless the user trusts it", async () => {
  const rule = { command: ["sh", "-c", "touch ran; cat"] };
  await inEditPlace(
    { ".git/HEAD": "", ".atomic/config.json": JSON.stringify({ format: { "*.x": rule } }) },
    async (place) => {
      const env = { XDG_CONFIG_HOME: join(place.state, "..", "config") };
      const ran = await place.run(["write", "a.x", "--content", "x\n"], { env });
      expect(ran.stdout.text).not.toContain("Formatted");
      expect(ran.stderr.text).toContain("ignored");
      expect(readdirSync(place.folder).toSorted()).toEqual([".atomic", ".git", "a.x"]);
      place.put(
        "../config/atomic/config.json",
        JSON.stringify({ trustedWorkspaces: [place.folder] }),
      );
      await place.run(["write", "a.x", "--content", "y\n"], { env });
      expect(readdirSync(place.folder)).toContain("ran");
    },
  );
});

test("plan mode starts no program, and says so", async () => {
  const config = { format: { "*.x": { command: ["sh", "-c", "touch ran; cat"] } } };
  await inConfigured(config, {}, async (place) => {
    const ran = await place.run(["write", "a.x", "--content", "x\n", "--plan", "a.x"]);
    expect(ran.stdout.text).toContain("Not formatted: plan mode starts no programs.");
    expect(readdirSync(place.folder)).toEqual(["a.x"]);
  });
});
