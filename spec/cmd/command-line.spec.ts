import { expect, test } from "bun:test";

import packageFile from "../../package.json" with { type: "json" };
import { inPlace } from "./program.ts";

test("--version is one line; with --json it says what it was built from and for", async () => {
  await inPlace({}, async ({ run }) => {
    const line = `atomic ${packageFile.version}`;
    for (const flag of ["--version", "-V"]) {
      expect(await run([flag])).toEqual({ status: 0, stdout: `${line}\n`, stderr: "" });
    }
    for (const args of [
      ["--version", "--json"],
      ["--json", "--version"],
    ]) {
      const { status, stdout } = await run(args);
      const { text, details, isError } = JSON.parse(stdout);
      expect([status, text, isError]).toEqual([0, line, false]);
      expect(Object.keys(details)).toEqual(["version", "commit", "bun", "target"]);
      expect(details).toMatchObject({ version: packageFile.version, bun: Bun.version });
    }
  });
});

test("--help, -h and help are the same, in at most 80 columns, without colour in a pipe", async () => {
  await inPlace({}, async ({ run }) => {
    const { status, stdout, stderr } = await run(["--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Read and edit files[^\n]*\n\nUSAGE\n  atomic COMMAND/);
    expect(await run(["-h"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(await run(["help"])).toEqual({ status: 0, stdout, stderr: "" });
    for (const args of [["read"], ["edit"], ["call"], ["session"], ["doctor"], ["tools"]]) {
      const help = await run([...args, "--help"]);
      expect(help.status).toBe(0);
      expect(help.stdout).toContain(`\nUSAGE\n  atomic ${args[0]} [OPTIONS]`);
      expect(help.stdout).not.toContain("\u001b");
      for (const row of help.stdout.split("\n")) expect(row.length, row).toBeLessThanOrEqual(80);
      expect(await run(["help", ...args])).toEqual(help);
    }
  });
});

test("help asked for wins over what else is wrong", async () => {
  await inPlace({}, async ({ run }) => {
    const { stdout } = await run(["read", "--help"]);
    expect(await run(["read", "--bogus", "-h"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(await run(["-h", "read"])).toEqual({ status: 0, stdout, stderr: "" });
    expect((await run(["read", "--", "--help"])).status).toBe(4);
  });
});

test("colour follows --color, FORCE_COLOR and NO_COLOR", async () => {
  await inPlace({}, async ({ run, runOnTerminal }) => {
    const heading = "\u001b[1mUSAGE\u001b[22m";
    expect((await run(["--help", "--color=always"])).stdout).toContain(heading);
    expect((await run(["help", "--color", "always", "hashline"])).stdout).toContain(
      "\u001b[1mROWS",
    );
    expect((await run(["--help"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(heading);
    expect((await runOnTerminal(["--help"])).stdout).toContain(heading);
    const plain = await runOnTerminal(["--help"], { env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b[1m");
  });
});

test("atomic alone is short help on a terminal, and a usage error elsewhere", async () => {
  await inPlace({}, async ({ run, runOnTerminal }) => {
    const help = await runOnTerminal([], { env: { NO_COLOR: "1" } });
    expect(help.status).toBe(0);
    expect(help.stdout).toContain("START WITH\n  atomic read ");
    expect(await run([])).toEqual({
      status: 2,
      stdout: "",
      stderr: "No command was given.\nSee `atomic --help`.\n",
    });
  });
});

const refused: readonly (readonly [readonly string[], string])[] = [
  [["raed", "x"], 'Unknown command "raed"; did you mean "read"?'],
  [["frobnicate"], 'Unknown command "frobnicate".'],
  [["--jsn", "read", "x"], "Unknown flag --jsn; did you mean --json?"],
  [["read", "--plian", "x"], "Unknown flag --plian; did you mean --plain?"],
  [["read", "x", "--plain", "--no-plain"], "Flag --plain was given both on and off."],
  [["--no-input", "read", "x", "--input"], "Flag --input was given both on and off."],
  [["--session", "a", "read", "x", "--session", "b"], "Flag --session was given more than once."],
  [["read", "x", "--session"], "Flag --session needs a value."],
  [["read"], "`atomic read` needs TARGET."],
  [["edit", "a", "b"], 'Unexpected argument "b": `atomic edit` takes one argument at most.'],
  [["doctor", "a"], 'Unexpected argument "a": `atomic doctor` takes no argument.'],
  [["completions"], "`atomic completions` needs SHELL: one of bash, zsh, fish, powershell."],
  [["completions", "csh"], 'Unknown shell "csh"; did you mean "zsh"?'],
  [["session", "shwo"], 'Unknown action "shwo"; did you mean "show"?'],
  [["help", "hashlin"], 'Unknown topic "hashlin"; did you mean "hashline"?'],
  [["call", "reed", "{}"], 'Unknown tool "reed"; did you mean "read"?'],
  [["tools", "reed"], 'Unknown tool "reed"; did you mean "read"?'],
  [["--version", "read"], 'Flag --version stands alone, but got "read".'],
  [["read", "x", "--session", "a b"], "--session must be 1 to 128 of the characters"],
  [["read", "x", "--color", "red"], "Flag --color must be one of auto, always, never"],
];

test.each(refused)("%j is status 2 and says what is wrong", async (args, message) => {
  await inPlace({ x: "text\n" }, async ({ run }) => {
    const { status, stdout, stderr } = await run(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toStartWith(message);
    expect(stderr).not.toMatch(/\n +at /);
  });
});

test("with --json a usage error is an object on standard output", async () => {
  await inPlace({}, async ({ run }) => {
    const { status, stdout, stderr } = await run(["read", "--plian", "x", "--json"]);
    expect([status, stderr]).toEqual([2, ""]);
    expect(JSON.parse(stdout)).toEqual({
      text: "Unknown flag --plian; did you mean --plain?",
      details: {
        flag: "plian",
        code: "usage.command",
        status: 2,
        hint: "See `atomic read --help`.",
      },
      isError: true,
    });
    expect((await run(["read", "--plian", "--", "--json"])).stdout).toBe("");
  });
});

test("the words of an option do not matter for where it stands", async () => {
  await inPlace({ "a.txt": "one\n" }, async ({ run }) => {
    const first = await run(["--json", "--session", "s", "read", "--plain", "a.txt"]);
    expect(JSON.parse(first.stdout).text).toBe("1:one");
    for (const args of [
      ["read", "a.txt", "--plain", "--session=s", "--json"],
      ["--session=s", "cat", "--json", "a.txt", "--plain"],
      ["--no-input", "--offline", "read", "--json", "--plain", "--session", "s", "--", "a.txt"],
    ]) {
      expect(await run(args)).toEqual(first);
    }
  });
});

test("a closed pipe ends the program quietly, with status 0", async () => {
  const big = Array.from({ length: 400_000 }, (_, i) => `line ${i}\n`).join("");
  await inPlace({ "big.txt": big }, async ({ folder, env }) => {
    const script = `"$0" read big.txt:raw | head -1; echo "\${PIPESTATUS[0]}"`;
    const { binary, runPiped } = await import("./program.ts");
    const { stdout, stderr } = await runPiped(["bash", "-c", script, binary], folder, env);
    expect([stdout, stderr]).toEqual(["line 0\n0\n", ""]);
  });
});

test("the completion scripts come from the commands that there are", async () => {
  await inPlace({}, async ({ run }) => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { status, stdout, stderr } = await run(["completions", shell]);
      expect([status, stderr]).toEqual([0, ""]);
      for (const word of ["read", "edit", "session", "plain", "dry-run", "hashline"]) {
        expect(stdout).toContain(word);
      }
      expect(stdout).not.toContain("apply_patch");
    }
  });
});
