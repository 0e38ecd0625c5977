import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { tagOf } from "../../core/hashline/tag.ts";
import { present as registry } from "../helpers/present.ts";
import { inPlace } from "./program.ts";

const a = "one\ntwo\nthree\n";
const tag = tagOf(a);

test("read prints its text and one newline", async () => {
  await inPlace({ "a.txt": a }, async ({ run }) => {
    expect(await run(["read", "a.txt"])).toEqual({
      status: 0,
      stdout: `[a.txt#${tag}]\n1:one\n2:two\n3:three\n`,
      stderr: "",
    });
    expect((await run(["cat", "a.txt"])).stdout).toBe(`[a.txt#${tag}]\n1:one\n2:two\n3:three\n`);
  });
});

test("read of several targets: texts apart by a blank line, a failed one does not stop the rest", async () => {
  await inPlace({ "a.txt": "one\n", "b.txt": "two\n" }, async ({ run }) => {
    const { status, stdout, stderr } = await run([
      "read",
      "--plain",
      "a.txt",
      "gone",
      "b.txt:0",
      "b.txt",
    ]);
    expect([status, stdout]).toEqual([4, "1:one\n\n1:two\n"]);
    expect(stderr).toMatch(/^File not found: gone\n/);
    const printed = await run(["read", "--json", "--plain", "a.txt", "gone", "b.txt"]);
    const { text, details, isError } = JSON.parse(printed.stdout);
    expect([printed.status, isError]).toEqual([4, true]);
    expect(text).toBe("1:one\n\nFile not found: gone\n\n1:two");
    expect(details.results.map((one: { text: string }) => one.text)).toEqual([
      "1:one",
      "File not found: gone",
      "1:two",
    ]);
    expect(details.results[1].details).toMatchObject({ code: "file.not_found", status: 4 });
  });
});

test("read :raw writes the bytes untouched, whatever their number", async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256);
  await inPlace({ "b.bin": bytes }, async ({ folder, env }) => {
    const { binary } = await import("./program.ts");
    const child = Bun.spawn([binary, "read", "b.bin:raw"], { cwd: folder, env, stdout: "pipe" });
    expect(Buffer.from(await child.stdout.bytes()).equals(bytes)).toBe(true);
    expect(await child.exited).toBe(0);
  });
});

test("control characters are escaped on a terminal and pass unchanged into a pipe", async () => {
  await inPlace({ "c.txt": "a\u001b[2Jb\u202ec\n" }, async ({ run, runOnTerminal }) => {
    expect((await run(["read", "--plain", "c.txt"])).stdout).toBe("1:a\u001b[2Jb\u202ec\n");
    const shown = await runOnTerminal(["read", "--plain", "c.txt"]);
    expect(shown.stdout).toBe("1:a\\x1b[2Jb\\u202ec\n");
    expect((await runOnTerminal(["read", "c.txt:raw"])).stdout).toBe("a\\x1b[2Jb\\u202ec\n");
  });
});

const change = `[a.txt#${tag}]\nreplace 2..2:\n+TWO\n`;

test("edit takes its script from standard input, from a dash and from a file", async () => {
  for (const args of [
    ["edit"],
    ["edit", "-"],
    ["edit", "change.txt"],
    ["apply_patch", "change.txt"],
  ]) {
    await inPlace({ "a.txt": a, "change.txt": change }, async ({ folder, run }) => {
      await run(["read", "a.txt"]);
      const { status, stdout, stderr } = await run(args, { stdin: change });
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toStartWith(`[a.txt#${tagOf("one\nTWO\nthree\n")}]\n`);
      expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\nTWO\nthree\n");
    });
  }
});

test("edit --dry-run writes nothing, also in read-only mode; read-only mode refuses the rest", async () => {
  await inPlace({ "a.txt": a }, async ({ folder, run }) => {
    await run(["read", "a.txt"]);
    for (const more of [[], ["--read-only"]]) {
      expect((await run(["edit", "--dry-run", ...more], { stdin: change })).status).toBe(0);
    }
    const refusal = {
      status: 5,
      stdout: "",
      stderr:
        "Read-only mode: edit was refused, since it would write files. Nothing was written.\n",
    };
    expect(await run(["edit", "--read-only"], { stdin: change })).toEqual(refusal);
    expect(await run(["edit"], { stdin: change, env: { ATOMIC_READ_ONLY: "1" } })).toEqual(refusal);
    expect((await run(["read", "a.txt", "--read-only"])).status).toBe(0);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(a);
  });
});

test("a failed edit keeps the seed's words, and says that nothing was written", async () => {
  await inPlace({ "a.txt": a }, async ({ folder, run }) => {
    await run(["read", "a.txt"]);
    writeFileSync(join(folder, "a.txt"), "one\n2\nthree\n");
    const { status, stdout, stderr } = await run(["edit"], { stdin: change });
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toStartWith("Edit rejected for a.txt: file changed between read and edit.\n");
    expect(stderr).toContain("\nNothing was written.\n");
    const json = JSON.parse((await run(["edit", "--json"], { stdin: change })).stdout);
    expect(json).toMatchObject({ isError: true, details: { code: "edit.stale", status: 3 } });
    expect(json.text).not.toContain("Nothing was written.");
  });
});

test("edit never waits for a terminal", async () => {
  await inPlace({}, async ({ runOnTerminal }) => {
    for (const args of [["edit"], ["edit", "-"], ["call", "edit"]]) {
      const { status, stdout } = await runOnTerminal(args, { env: { NO_COLOR: "1" } });
      expect(status).toBe(2);
      expect(stdout).toStartWith(
        "Standard input is a terminal, and no file was named.\nUsage: atomic ",
      );
    }
  });
});

test("edit says why it cannot read its script", async () => {
  await inPlace({ "latin.txt": Uint8Array.of(0x5b, 0xe9, 0x5d) }, async ({ folder, run }) => {
    mkdirSync(join(folder, "folder"));
    expect(await run(["edit", "gone.txt"])).toMatchObject({
      status: 4,
      stderr: "File not found: gone.txt\n",
    });
    const { status, stderr } = await run(["edit", "folder"]);
    expect([status, stderr]).toEqual([
      1,
      'Could not read the file "folder". Error code: EISDIR.\nPipe it in instead, and name no file.\n',
    ]);
    expect(await run(["edit", "latin.txt"])).toMatchObject({
      status: 2,
      stderr: "The text from latin.txt is not valid UTF-8, so it would not be what it says.\n",
    });
  });
});

test("call runs a tool with its own input, from an argument or standard input", async () => {
  await inPlace({ "a.txt": a }, async ({ run }) => {
    const input = '{"path":"a.txt:2-2","plain":true}';
    const result = { status: 0, stdout: "1:one\n2:two\n3:three\n", stderr: "" };
    expect(await run(["call", "read", input])).toEqual(result);
    expect(await run(["call", "read", "-"], { stdin: input })).toEqual(result);
    expect(await run(["call", "read"], { stdin: input })).toEqual(result);
  });
});

test("call names what is wrong with its input", async () => {
  const table: readonly (readonly [string, string])[] = [
    ['{"path": }', 'The input is not JSON: line 1, column 10: unexpected "}".'],
    ["", "The input is not JSON: line 1, column 1: unexpected the end of the text."],
    ['{"pth":"a"}', 'Unknown field "pth"; did you mean "path"? Field "path" is missing.'],
    ['{"path":"a","dryRun":true}', 'Unknown field "dryRun".'],
    ["[]", "The input of read must be an object, but got a list."],
  ];
  await inPlace({}, async ({ run }) => {
    for (const [input, message] of table) {
      const { status, stdout, stderr } = await run(["call", "read", input]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toStartWith(message);
    }
  });
});

test("call keeps the limits on raw bytes that the command line lifts", async () => {
  const big = "x".repeat(79).concat("\n").repeat(2_000);
  await inPlace({ "big.txt": big }, async ({ run }) => {
    expect((await run(["read", "big.txt:raw"])).stdout.length).toBe(160_000);
    const { stdout } = await run(["call", "read", '{"path":"big.txt:raw"}']);
    expect(stdout.length).toBeLessThanOrEqual(51_200);
  });
});

test("tools lists the tools, and their inputs as JSON Schema", async () => {
  await inPlace({}, async ({ run }) => {
    const listed = (await run(["tools"])).stdout;
    const names = [...listed.matchAll(/^\w+(?= {2,}\S)/gm)].map(([name]) => name);
    expect(names).toEqual(registry.map(({ name }) => name));
    const { details } = JSON.parse((await run(["tools", "--json"])).stdout);
    expect(details.tools.map((tool: { name: string }) => tool.name)).toEqual(
      registry.map((row) => row.name),
    );
    expect(details.tools[0].inputSchema).toMatchObject({
      type: "object",
      required: ["path"],
      additionalProperties: false,
      properties: { path: { type: "string" }, plain: { type: "boolean", default: false } },
    });
    const one = JSON.parse((await run(["tools", "read", "--json"])).stdout);
    expect(one.details).toEqual(details.tools[0]);
  });
});
