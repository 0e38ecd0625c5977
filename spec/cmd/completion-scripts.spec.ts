import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  bashScript,
  fishScript,
  powershellScript,
  zshScript,
} from "../../cmd/completion-scripts.ts";
import { command } from "../../cmd/command.ts";

const run = async () => 0;
const commands = [
  command({
    name: "read",
    summary: "Show a file's lines: all of them",
    operands: [{ name: "TARGET", description: "", required: true, repeat: true, file: true }],
    flags: [
      { name: "plain", type: "boolean", description: "No [header]" },
      { name: "gitignore", type: "boolean", default: true, description: "Obey it" },
      { name: "order", type: "choice", choices: ["name", "size"], description: "Order" },
      { name: "limit", type: "number", short: "n", description: "Most" },
    ],
    examples: [],
    topics: [],
    run,
  }),
  command({
    name: "session",
    summary: "Sessions",
    operands: [
      {
        name: "ACTION",
        description: "",
        required: false,
        repeat: false,
        choices: ["list", "show"],
      },
    ],
    flags: [],
    examples: [],
    topics: [],
    run,
  }),
];

const kill = command({
  name: "kill",
  summary: "End a task",
  operands: [
    { name: "ID", description: "", required: true, repeat: true, complete: "tasks --ids" },
  ],
  flags: [],
  examples: [],
  topics: [],
  run,
});

/** A program that answers as the real one would. */
function inTasks(work: (folder: string) => void): void {
  inFolder((folder) => {
    const program = join(folder, "atomic");
    writeFileSync(program, '#!/bin/sh\n[ "$*" = "tasks --ids" ] && printf "task_a\\ntask_b\\n"\n');
    chmodSync(program, 0o755);
    work(folder);
  });
}

function has(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "atomic-completion-"));
  try {
    writeFileSync(join(folder, "notes one.txt"), "");
    writeFileSync(join(folder, "nothing.txt"), "");
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The words before the cursor, the last of which is completed; and what bash and fish then offer. */
const table: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["r"], ["read"]],
  [[""], ["read", "session"]],
  [["--js"], ["--json"]],
  [["--json", "se"], ["session"]],
  [["--session", "x", "re"], ["read"]],
  [
    ["read", "--pla"],
    ["--plain", "--plan"],
  ],
  [["read", "--no-g"], ["--no-gitignore"]],
  [["read", "--order", "s"], ["size"]],
  [["read", "--color", "al"], ["always"]],
  [
    ["--plan", "no"],
    ["notes one.txt", "nothing.txt"],
  ],
  [["session", "--plan", "notes"], ["notes one.txt"]],
  [["--plan", "x", "re"], ["read"]],
  [
    ["read", "no"],
    ["notes one.txt", "nothing.txt"],
  ],
  [
    ["session", ""],
    ["list", "show"],
  ],
  [["session", "sh"], ["show"]],
];

test.skipIf(!has("bash"))("the bash script parses", () => {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: bashScript(commands) });
  expect([status, String(stderr)]).toEqual([0, ""]);
});

test.skipIf(!has("bash")).each(table)("bash completes %j", (words, offered) => {
  inFolder((cwd) => {
    const quoted = ["atomic", ...words].map((word) => `'${word}'`).join(" ");
    const script = `${bashScript(commands)}
      COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}
      _atomic; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { cwd });
    expect(String(stderr)).toBe("");
    expect(String(stdout).trim().split("\n").toSorted()).toEqual([...offered].toSorted());
  });
});

test.skipIf(!has("bash"))('bash completes "--flag=value", which arrives as three words', () => {
  const script = `${bashScript(commands)}
    COMP_WORDS=(atomic read --order = s); COMP_CWORD=4; _atomic; echo "\${COMPREPLY[@]}"
    COMP_WORDS=(atomic --session = x re); COMP_CWORD=4; _atomic; echo "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["--norc", "-c", script]);
  expect(String(stdout)).toBe("size\nread\n");
  expect(zshScript(commands)).toContain("every command]:PATH:_files'");
  expect(fishScript(commands)).toContain("-l plan -r -F -d ");
});

test.skipIf(!has("bash"))("bash asks the program for what is there now", () => {
  inTasks((folder) => {
    const script = `${bashScript([...commands, kill])}
      COMP_WORDS=('${folder}/atomic' kill ''); COMP_CWORD=2; _atomic; echo "\${COMPREPLY[@]}"
      COMP_WORDS=('${folder}/atomic' kill task_b); COMP_CWORD=2; _atomic; echo "\${COMPREPLY[@]}"
      COMP_WORDS=('${folder}/none' kill ''); COMP_CWORD=2; _atomic; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script]);
    expect([String(stdout), String(stderr)]).toEqual(["task_a task_b\ntask_b\n\n", ""]);
  });
});

test.skipIf(!has("fish"))("fish asks the program for what is there now", () => {
  inTasks((folder) => {
    const script = `${fishScript([...commands, kill])}\ncomplete -C "atomic kill task"`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", script], {
      env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
    });
    expect(String(stdout)).toContain("task_a");
  });
});

test.skipIf(!has("zsh"))("the zsh script, with a question to the program, parses", () => {
  const script = zshScript([...commands, kill]);
  expect(script).toContain("atomic tasks --ids");
  const { status, stderr } = spawnSync("zsh", ["-n", "-c", script]);
  expect([status, String(stderr)]).toEqual([0, ""]);
});

test.skipIf(!has("zsh"))("the zsh script parses", () => {
  const { status, stderr } = spawnSync("zsh", ["-n", "-c", zshScript(commands)]);
  expect([status, String(stderr)]).toEqual([0, ""]);
});

test.skipIf(!has("fish"))("the fish script parses", () => {
  const { status, stderr } = spawnSync("fish", ["--no-config", "-n", "-c", fishScript(commands)]);
  expect([status, String(stderr)]).toEqual([0, ""]);
});

test.skipIf(!has("fish")).each(table)("fish completes %j", (words, offered) => {
  inFolder((cwd) => {
    const file = join(cwd, "atomic");
    writeFileSync(file, "");
    chmodSync(file, 0o755);
    const line = ["atomic", ...words].join(" ");
    const script = `${fishScript(commands)}\ncomplete -C ${JSON.stringify(line)}`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", script], { cwd });
    const found = String(stdout)
      .split("\n")
      .map((row) => row.split("\t")[0]!.replaceAll("\\", ""))
      .filter((word) => word !== "");
    for (const word of offered) expect(found).toContain(word);
  });
});

test("what the scripts quote stays quoted", () => {
  for (const script of [bashScript, zshScript, fishScript, powershellScript]) {
    expect(script(commands)).not.toContain("undefined");
  }
  expect(zshScript(commands)).toContain("'read:Show a file'\\''s lines\\: all of them'");
  expect(zshScript(commands)).toContain("'--plain[No \\[header\\]]'");
  expect(fishScript(commands)).toContain("-d 'Show a file\\'s lines: all of them'");
});

test("the PowerShell script has every command, flag and choice, quoted for it", () => {
  const script = powershellScript([...commands, kill]);
  expect(script).toContain("'session' = @{ flags = @(");
  expect(script).toContain("operands = @('list', 'show'); ask = '' }");
  expect(script).toContain("ask = 'tasks --ids' }");
  expect(script).toContain("'--order' = @('name', 'size')");
  expect(script).toContain("'--session' = 'session list --ids'");
  const plain = script.replace(/'(?:[^']|'')*'/g, "''");
  for (const [open, close] of ["()", "{}", "[]"]) {
    expect(plain.split(open!).length).toBe(plain.split(close!).length);
  }
});
