import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { findRow } from "../../cmd/root.ts";
import { globalFlags } from "../../cmd/settings.ts";
import { agentGuide, agentsMd, skillText } from "../../core/docs/agent-guide.ts";
import { topics } from "../../core/docs/topics.ts";
import { instructions } from "../../core/mcp/server.ts";
import { registry } from "../../core/registry.ts";
import { inPlace } from "./program.ts";

/** More than any tokenizer makes of plain English and code: a token for each word's four letters, and each sign. */
function tokensAtMost(text: string): number {
  const pieces = text.match(/[A-Za-z]+|\d|\s+|[^\sA-Za-z\d]/g) ?? [];
  return pieces.reduce((sum, piece) => {
    if (/^[A-Za-z]/.test(piece)) return sum + Math.ceil(piece.length / 5);
    return sum + (piece === " " ? 0 : 1);
  }, 0);
}

test("the guide is under 1,500 tokens, the instructions of the server under 300", () => {
  expect(tokensAtMost(agentGuide())).toBeLessThan(1_500);
  expect(agentGuide().length / 3).toBeLessThan(1_500);
  expect(tokensAtMost(instructions)).toBeLessThan(300);
});

const texts = {
  guide: agentGuide(),
  "AGENTS.md": agentsMd(),
  skill: skillText().body,
  instructions,
};

for (const [name, text] of Object.entries(texts)) {
  test(`the ${name} names no command, flag, topic or tool that does not exist`, async () => {
    for (const [, quoted, line] of text.matchAll(/`([^`\n]+)`|^(?=atomic )(.+)$/gm)) {
      const [program, command, ...words] = (quoted ?? line!).replace(/\s#.*/, "").split(" ");
      if (program !== "atomic" || command === undefined || command === "COMMAND") continue;
      const row = findRow(command);
      expect(row?.name).toBe(command);
      const { flags, operands } = await row!.load();
      for (const word of words) {
        if (!word.startsWith("--")) continue;
        const known = [...flags, ...globalFlags].map((flag) => `--${flag.name}`);
        expect(known).toContain(word);
      }
      if (command === "help" && words[0] !== undefined && !words[0].startsWith("--")) {
        expect(topics.map((topic) => topic.name)).toContain(words[0]);
      }
      if (operands.length === 0) expect(words.filter((word) => !word.startsWith("-"))).toEqual([]);
    }
    const names = registry.map((row) => row.name);
    for (const [tool] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) expect(names).toContain(tool);
  });
}

test("the guide names every tool, and the rules for asking", () => {
  for (const { name } of registry) {
    expect(agentGuide()).toContain(`\`atomic ${name.replaceAll("_", "-")}\``);
  }
  for (const rule of [
    "All questions to the user go through ask_user_question",
    "Group related questions in one call",
    "Do not ask again for work that is already authorized",
    "name the concrete action and its scope",
    "A cancelled or unanswered question is not approval",
    "go on with the safest reading and state the assumption",
  ]) {
    expect(agentGuide()).toContain(rule);
  }
});

test("help prints the guide and the section for AGENTS.md", async () => {
  await inPlace({}, async ({ run }) => {
    expect((await run(["help", "--agent"])).stdout).toBe(`${agentGuide()}\n`);
    expect((await run(["help", "--agents-md"])).stdout).toBe(`${agentsMd()}\n`);
    expect((await run(["help", "--agent", "read"])).status).toBe(2);
    expect((await run(["help", "--agent", "--agents-md"])).status).toBe(2);
  });
});

test("the skill is written once, brought up to date, and never over what somebody changed", async () => {
  await inPlace({}, async ({ folder, env, run }) => {
    const file = join(folder, ".agents/skills/atomic/SKILL.md");
    expect(await run(["skill", "install", "--dry-run"])).toMatchObject({
      stdout: ".agents/skills/atomic/SKILL.md: written (dry run: nothing was written)\n",
    });
    expect((await run(["skill", "install", "--read-only"])).status).toBe(5);
    expect((await run(["skill", "install", "--plan", "src"])).status).toBe(5);
    expect(existsSync(join(folder, ".agents"))).toBe(false);
    expect((await run(["skill", "install"])).stdout).toBe(
      ".agents/skills/atomic/SKILL.md: written\n",
    );
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(
      /^---\nname: atomic\ndescription: [^\n]{20,1024}\nmetadata:\n {2}atomic-digest: [0-9a-f]{16}\n---\n\n# atomic for agents\n/,
    );
    expect((await run(["skill", "show"])).stdout).toBe(text);
    expect((await run(["read", "skill://atomic"])).stdout).toContain("# atomic for agents");
    expect((await run(["skill", "install"])).stdout).toEndWith(": up to date already\n");
    writeFileSync(file, text.replaceAll("\n", "\r\n"));
    expect((await run(["skill", "install"])).stdout).toContain(": brought up to date\n");
    expect(readFileSync(file, "utf8")).toBe(text);
    writeFileSync(file, text.replace("# atomic for agents", "# my own"));
    const refused = await run(["skill", "install"]);
    expect([refused.status, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toMatch(
      /^\.agents\/skills\/atomic\/SKILL\.md is not as atomic wrote it\. Nothing was written\.\n@@ line 8 @@\n-# my own\n\+# atomic for agents\n/,
    );
    expect((await run(["skill", "uninstall"])).status).toBe(5);
    const forced = await run(["skill", "install", "--force"]);
    const copy = /^As it was: (.+)$/m.exec(forced.stdout)![1]!;
    expect(readFileSync(copy, "utf8")).toContain("# my own");
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect((await run(["skill", "uninstall"])).stdout).toBe(
      ".agents/skills/atomic/SKILL.md: removed\n",
    );
    expect(existsSync(join(folder, ".agents/skills/atomic"))).toBe(false);
    expect((await run(["skill", "uninstall"])).stdout).toEndWith(": there is no such skill\n");
    await run(["skill", "install", "--host", "claude-code", "--scope", "user"]);
    expect(readFileSync(join(env["HOME"]!, ".claude/skills/atomic/SKILL.md"), "utf8")).toBe(text);
    mkdirSync(join(folder, ".agents/skills/atomic/SKILL.md"), { recursive: true });
    expect((await run(["skill", "install"])).status).toBe(1);
  });
});
