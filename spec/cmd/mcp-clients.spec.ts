// Every tool, driven by every client over every transport.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { present as registry } from "../helpers/present.ts";
import { type Connect, connectors, type Driver } from "../helpers/mcp.ts";
import { type EditPlace, inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const entities = `<p>&amp;amp; &lt;b&gt; &quot;q&quot; &apos;a&apos; &nbsp;</p>
<a href='?a=1&amp;b=2'>x</a>
if (a &lt; b &amp;&amp; c &gt; d)
`;
const hundred = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");

async function using(
  connect: Connect,
  files: Readonly<Record<string, string>>,
  work: (driver: Driver, place: EditPlace) => Promise<void>,
): Promise<void> {
  await inEditPlace(files, async (place) => {
    const driver = await connect(place);
    try {
      await work(driver, place);
    } finally {
      await driver.close();
    }
  });
}

describe.each(Object.entries(connectors))("%s", (name, connect) => {
  test("drives every tool; text stays as it is (B020), and devices stay closed (B024)", async () => {
    await using(connect, { "a.txt": "one\ntwo\n" }, async (driver, place) => {
      const names = registry.map(({ name }) => name);
      expect(await driver.tools()).toEqual(names);

      const read = await driver.call("read", { path: "a.txt" });
      expect(read.text).toBe("[a.txt#0127]\n1:one\n2:two");
      expect(read.details).toMatchObject({ tag: "0127", totalLines: 2 });
      const edit = await driver.call("edit", { input: "[a.txt#0127]\nreplace 2..2:\n+TWO\n" });
      expect([edit.isError, place.bytes("a.txt")]).toEqual([false, "one\nTWO\n"]);
      const write = await driver.call("write", { path: "n/b.txt", content: "<&>\u{1F600}\n" });
      expect(write.text).toContain("Successfully wrote to n/b.txt");
      expect(readFileSync(join(place.folder, "n/b.txt"), "utf8")).toBe("<&>\u{1F600}\n");
      const search = await driver.call("search", { pattern: "TWO" });
      expect(search.text).toContain("*2:TWO");
      const find = await driver.call("find", { paths: ["**/*.txt"] });
      expect(find.text).toContain("a.txt");
      const bash = await driver.call("bash", { command: "printf out; exit 3" });
      expect(bash.text).toMatch(/^out\n\n.*3/s);

      await driver.call("write", { path: "e.html", content: entities });
      expect(readFileSync(join(place.folder, "e.html"), "utf8")).toBe(entities);
      expect((await driver.call("read", { path: "e.html:raw" })).text).toBe(entities);
      const printed = await driver.call("bash", { command: "printf %s '&gt; &amp;&amp;'" });
      expect(printed.text).toBe("&gt; &amp;&amp;");
      for (const path of ["/dev/stdin", "/dev/tty", "/proc/kmsg", "/dev/zero", "/proc/self/fd/0"]) {
        const { isError, text } = await driver.call("read", { path });
        expect([path, isError]).toEqual([path, true]);
        expect(text).toContain(`Cannot read "${path}"`);
      }

      // What is not named above answers its own example, with a result or with a refusal that has a name.
      const named = ["read", "edit", "write", "search", "find", "bash"];
      for (const row of registry.filter(({ name }) => !named.includes(name))) {
        const tool = await row.load();
        const { input } = tool.examples[0]!;
        const { isError, text, details } = await driver.call(row.name, input as never);
        expect(text).not.toBe("");
        if (isError) expect(String(details["code"])).not.toMatch(/^(internal|usage\.input)$/);
      }
    });
  });

  test("B013: twenty edits at once under one tag are all in the file, and a write beside them is whole or refused", async () => {
    await using(connect, { "hundred.txt": hundred }, async (driver, place) => {
      const header = (await driver.call("read", { path: "hundred.txt" })).text.split("\n")[0];
      const lines = Array.from({ length: 20 }, (_, i) => 5 * (i + 1));
      const edits = (text: string) =>
        lines.map((line) =>
          driver.call("edit", {
            input: `${header}\nreplace ${line}..${line}:\n+${text} ${line}\n`,
          }),
        );
      const answers = await Promise.all(edits("new"));
      expect(answers.filter(({ isError }) => isError)).toEqual([]);
      const edited = Array.from({ length: 100 }, (_, i) =>
        (i + 1) % 5 === 0 ? `new ${i + 1}` : `${i + 1}`,
      );
      expect(place.bytes("hundred.txt")).toBe(`${edited.join("\n")}\n`);

      const fresh = (await driver.call("read", { path: "hundred.txt" })).text.split("\n")[0];
      const over = Array.from({ length: 100 }, (_, i) => `over ${i + 1}`).join("\n");
      const [write, ...mixed] = await Promise.all([
        driver.call("write", { path: "hundred.txt", content: `${over}\n` }),
        ...lines.map((line) =>
          driver.call("edit", { input: `${fresh}\nreplace ${line}..${line}:\n+mixed ${line}\n` }),
        ),
      ]);
      const rows = place.bytes("hundred.txt").split("\n");
      expect(rows).toHaveLength(101);
      // Whoever was told of success after the write, or instead of it, is in the file.
      const isOver = rows[0] === "over 1";
      if (!isOver) expect(write!.isError).toBe(true);
      lines.forEach((line, i) => {
        const row = rows[line - 1];
        if (row === `mixed ${line}`) expect(mixed[i]!.isError).toBe(false);
        else expect(row).toBe(isOver ? `over ${line}` : `new ${line}`);
        if (!isOver) expect([line, mixed[i]!.isError]).toEqual([line, false]);
      });
    });
  });

  test("--read-only, --plan and --tools hold", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const driver = await connect(place, { args: ["--read-only", "--tools", "read,write"] });
      try {
        expect(await driver.tools()).toEqual(["read", "write"]);
        const refused = await driver.call("write", { path: "b", content: "x" });
        expect([refused.isError, refused.details["code"]]).toEqual([true, "policy.read_only"]);
        await expect(driver.call("edti", {})).rejects.toThrow('Unknown tool "edti"');
      } finally {
        await driver.close();
      }
      if (name.startsWith("another")) return;
      const planned = await connect(place, { args: ["--plan", "plan.md"] });
      try {
        expect((await planned.call("write", { path: "plan.md", content: "x" })).isError).toBe(
          false,
        );
        const refused = await planned.call("write", { path: "b", content: "x" });
        expect(refused.details["code"]).toBe("policy.plan");
        expect(existsSync(join(place.folder, "b"))).toBe(false);
      } finally {
        await planned.close();
      }
    });
  });

  // The other one has no roots to tell of.
  if (name.startsWith("another")) return;

  test("a client's first root that is a folder is where its calls are, unless --root says otherwise", async () => {
    await inEditPlace({ "app/a.txt": "in\n", "b.txt": "out\n" }, async (place) => {
      const roots = ["file:///no/such/folder", "file:///etc/passwd", `file://${place.folder}/app`];
      const driver = await connect(place, { roots });
      try {
        // Twice at once: the roots are asked for once, and neither call goes before they are known.
        const reads = await Promise.all(
          ["a.txt", "a.txt"].map((path) => driver.call("read", { path: `${path}:raw` })),
        );
        expect(reads.map(({ text }) => text)).toEqual(["in\n", "in\n"]);
      } finally {
        await driver.close();
      }
      const bound = await connect(place, { roots, args: ["--root", "."] });
      try {
        expect((await bound.call("read", { path: "b.txt:raw" })).text).toBe("out\n");
      } finally {
        await bound.close();
      }
    });
  });
});
