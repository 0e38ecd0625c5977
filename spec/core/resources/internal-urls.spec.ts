// local://, skill:// and artifact://: where they lead, and where they must not (tools.md §§1.3, 3.11).

import { expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import { openSession } from "../../../core/session/open.ts";
import { read } from "../../../core/tools/read.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { callFor } from "../../helpers/call.ts";

async function reader(files: Readonly<Record<string, MemoryEntry>>, workspace = "/work") {
  const host: MemoryHost = memoryHost({ files, variables: { XDG_CONFIG_HOME: "/cfg" } });
  const session = await openSession(host, { folder: "/home/me/s", id: "s", notice: () => {} });
  const call = callFor({
    cwd: "/work",
    session: async () => session,
    workspace: async () => workspace,
    sessionFolder: async () => "/home/me/s/sessions/s",
  });
  return {
    host,
    read: (path: string) => answer(read, { path }),
    edit: (input: string) => answer(edit, { input }),
  };

  /** Or the code and the message of the refusal. */
  async function answer(tool: AnyTool, input: unknown): Promise<string> {
    const outcome = await callTool(tool, input, host, call, { readOnly: false });
    if (!outcome.ok) return `${outcome.error.code}: ${outcome.error.message}`;
    const { rendered } = outcome;
    return "text" in rendered ? rendered.text : new TextDecoder().decode(rendered.bytes);
  }
}

test("local:// is a path in the workspace, shown and tagged as the file it is", async () => {
  const it = await reader(
    { "/ws/a b.txt": "one\ntwo\n", "/ws/n:5": "named\n", "/ws/..foo": "dots\n" },
    "/ws",
  );
  expect(await it.read("local://a b.txt")).toBe("[/ws/a b.txt#0127]\n1:one\n2:two");
  expect(await it.read("local://a%20b.txt:2")).toBe("[/ws/a b.txt#0127]\n2:two");
  expect(await it.read("local://x/../a b.txt:1-1:raw")).toBe("one");
  expect(await it.read("LOCAL://n:5:raw")).toBe("named\n");
  expect(await it.read("local://..foo:raw")).toBe("dots\n");
  expect(await it.read("local:///ws/n:5:raw")).toBe("named\n");
  expect(await it.read("local://a b")).toBe(
    'file.not_found: File not found: local://a b; local:// names a path in the workspace, /ws; did you mean "a b.txt"?',
  );
});

test("what leaves the workspace is refused, by its text or through a link", async () => {
  const it = await reader({
    "/etc/secret": "s\n",
    "/work2/near": "n\n",
    out: { link: "/etc" },
    file: { link: "/etc/secret" },
    inner: { link: "/work/real" },
    gone: { link: "/etc/nothing" },
    real: "in\n",
  });
  const refused = (path: string) => `selector.escape: local:// leaves the workspace: ${path}`;
  for (const path of ["../etc/secret", "/etc/secret", "out/secret", "file", "../work2/near"]) {
    expect(await it.read(`local://${path}`)).toBe(refused(path));
  }
  // Whether there is anything outside is not told either, and a link to nowhere is called one.
  for (const path of ["../nothing", "/nothing", "../nothing:1-2"]) {
    expect(await it.read(`local://${path}`)).toBe(refused(path));
  }
  expect(await it.read("skill://../nothing")).toBe(
    "selector.escape: skill:// leaves the skills folder: ../nothing",
  );
  expect(await it.read("local://gone:3-4")).toBe(
    "file.not_found: File not found: local://gone:3-4. gone is a symbolic link to /etc/nothing, which does not exist",
  );
  expect(await it.read("local://inner:raw")).toBe("in\n");
  // Plain paths are not confined.
  expect(await it.read("file:raw")).toBe("s\n");
});

test("a link that is put in place between the check and the opening is caught", async () => {
  const it = await reader({ "d/a": "in\n", "/etc/a": "secret\n" });
  it.host.fs.before("read", "/work/d/a", () => {
    it.host.fs.drop("/work/d");
    it.host.fs.put("/work/d", { link: "/etc" });
  });
  expect(await it.read("local://d/a:raw")).toBe(
    "selector.escape: local:// leaves the workspace: d/a",
  );
});

test("skill:// finds the first folder that has the skill, and takes all of it from there", async () => {
  const it = await reader({
    ".atomic/skills/pdf/SKILL.md": "project\n",
    "/home/me/.agents/skills/pdf/SKILL.md": "user\n",
    "/home/me/.agents/skills/pdf/more.md": "user's\n",
    "/cfg/atomic/skills/xls/SKILL.md": "x1\nx2\n",
    "/cfg/atomic/skills/xls/deep/a.md": "deep\n",
    "src/a.ts": "code\n",
    "/cfg/atomic/skills/bad": { link: "/work/src" },
  });
  expect(await it.read("skill://pdf:raw")).toBe("project\n");
  expect(await it.read("skill://pdf/more.md")).toBe(
    "file.not_found: File not found: skill://pdf/more.md; the skill is in .atomic/skills",
  );
  expect(await it.read("skill://xls:2-2:raw")).toBe("x2");
  expect(await it.read("skill://xls/deep/a.md")).toBe(
    "[/cfg/atomic/skills/xls/deep/a.md#1490]\n1:deep",
  );
  expect(await it.read("skill://xsl")).toBe(
    'file.not_found: File not found: skill://xsl; known skills are bad, pdf, xls; did you mean "xls"?',
  );
  expect(await it.read("skill://xls/../../../../work/src/a.ts")).toBe(
    "selector.escape: skill:// leaves the skills folder: xls/../../../../work/src/a.ts",
  );
  expect(await it.read("skill://bad/a.ts")).toBe(
    "selector.escape: skill:// leaves the skills folder: bad/a.ts",
  );
  const none = await reader({});
  expect(await none.read("skill://a")).toBe(
    "file.not_found: File not found: skill://a; there are no skills in .agents/skills, .atomic/skills, /home/me/.agents/skills, /cfg/atomic/skills",
  );
});

test("artifact:// finds a kept output by its number", async () => {
  const it = await reader({
    "/home/me/s/sessions/s/artifacts/0.read.log": "zero\n",
    "/home/me/s/sessions/s/artifacts/12.bash.log": "a\nb\n",
    "/home/me/s/sessions/s/artifacts/x.log": "no\n",
  });
  expect(await it.read("artifact://12:2:raw")).toBe("b");
  expect(await it.read("artifact://0:raw")).toBe("zero\n");
  expect(await it.read("artifact://5")).toBe(
    "file.not_found: File not found: artifact://5; the artifacts of this session are 0, 12",
  );
});

test("an edit takes local:// and skill:// headers for the files behind them", async () => {
  const it = await reader(
    {
      "/ws/a.txt": "one\n",
      "/ws/.agents/skills/k/SKILL.md": "k\n",
      "/ws/out": { link: "/etc" },
      "/etc/a": "a\n",
    },
    "/ws",
  );
  await it.read("local://a.txt");
  await it.read("skill://k");
  const script = `[local://a.txt#${tagOf("one\n")}]\nreplace 1..1:\n+ONE\n[skill://k#${tagOf("k\n")}]\ninsert tail:\n+l\n`;
  expect(await it.edit(script)).toContain("[/ws/a.txt#");
  expect(it.host.fs.text("/ws/a.txt")).toBe("ONE\n");
  expect(it.host.fs.text("/ws/.agents/skills/k/SKILL.md")).toBe("k\nl\n");
  expect(await it.edit("[local://out/a#0000]\ndelete 1\n")).toBe(
    "selector.escape: local:// leaves the workspace: out/a",
  );
  expect(await it.edit("[local://b#0000]\ndelete 1\n")).toBe(
    "file.not_found: File not found: local://b; local:// names a path in the workspace, /ws",
  );
});
