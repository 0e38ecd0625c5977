import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { item, page, paragraphs, roff, verbatim } from "../../cmd/roff.ts";
import { commandNames } from "../../cmd/root.ts";
import { topics } from "../../core/docs/topics.ts";
import { inPlace } from "./program.ts";

const hasMandoc = spawnSync("mandoc", ["-T", "lint"], { input: "" }).error === undefined;
const hasGroff = spawnSync("groff", ["--version"]).error === undefined;

test("nothing in a text is taken for markup", () => {
  expect(roff("a-b \\n '`^~ …\n.TH x\n'b")).toBe(
    "a\\-b \\en \\(aq\\(ga\\(ha\\(ti \\[u2026]\n\\&.TH x\n\\(aqb",
  );
  expect(verbatim(".EE\n-x")).toBe(".EX\n\\&.EE\n\\-x\n.EE");
  expect(paragraphs("one\n\ntwo")).toBe("one\n.PP\ntwo");
  // A word that happens to begin a line is none either.
  expect(paragraphs(`${"x".repeat(78)} .br`)).toBe(`${"x".repeat(78)}\n\\&.br`);
  expect(item("\\-\\-json", "It is.")).toBe(".TP\n.B \\-\\-json\nIt is.");
});

test("a page says what it is", () => {
  const facts = { name: "atomic-x", chapter: 1, summary: "Does it", date: "2026-01-02" } as const;
  expect(page({ ...facts, version: "1.2.3" }, [".SH SEE ALSO\n.B y"])).toBe(
    [
      '.\\" Made by "atomic man"',
      '.TH ATOMIC\\-X 1 2026-01-02 "atomic 1.2.3" "User Commands"',
      ".SH NAME",
      "atomic\\-x \\- Does it",
      ".SH SEE ALSO",
      ".B y",
      "",
    ].join("\n"),
  );
});

test("there is a page for the program, each command and each topic, and man accepts them", async () => {
  await inPlace({}, async ({ run, folder }) => {
    const { status, stdout } = await run(["man", "made/man"]);
    const count = 1 + commandNames().length + topics.length;
    expect([status, stdout]).toEqual([0, `${count} manual pages in made/man\n`]);
    const files = (chapter: string) => readdirSync(join(folder, "made/man", chapter)).toSorted();
    expect(files("man1")).toEqual(
      ["atomic.1", ...commandNames().map((name) => `atomic-${name}.1`)].toSorted(),
    );
    expect(files("man7")).toEqual(topics.map(({ name }) => `atomic-${name}.7`).toSorted());
    const paths = ["man1", "man7"].flatMap((chapter) =>
      files(chapter).map((name) => join(folder, "made/man", chapter, name)),
    );
    if (hasMandoc) {
      const lint = spawnSync("mandoc", ["-T", "lint", ...paths], { encoding: "utf8" });
      expect([lint.status, lint.stdout]).toEqual([0, ""]);
    }
    if (hasGroff) {
      for (const path of paths) {
        const { stderr } = spawnSync("groff", ["-man", "-ww", "-Kutf8", "-Tutf8", path]);
        expect(String(stderr)).toBe("");
      }
    }
    const read = readFileSync(join(folder, "made/man/man1/atomic-read.1"), "utf8");
    expect(read).toContain(".B atomic read [OPTIONS] TARGET...\n");
    expect(read).toContain(
      "\n.TP\n.B \\-\\-read\\-only\nRefuse every tool that would change anything\n",
    );
  });
});

test("pages of its own are replaced, anything else is left alone with all the rest", async () => {
  await inPlace({}, async ({ run, folder }) => {
    await run(["man", "m"]);
    const page1 = join(folder, "m/man1/atomic.1");
    const page7 = join(folder, "m/man7/atomic-env.7");
    const wanted = readFileSync(page7, "utf8");
    const again = await run(["man", "m"]);
    expect(again.stdout).toMatch(/^(\d+) manual pages in m, \1 of them unchanged\n$/);
    writeFileSync(page7, '.\\" Made by "atomic man"\nan older one\n');
    expect((await run(["man", "m"])).status).toBe(0);
    expect(readFileSync(page7, "utf8")).toBe(wanted);
    writeFileSync(page1, "mine\n");
    rmSync(page7);
    const refused = await run(["man", "m"]);
    expect([refused.status, refused.stderr.split("\n")[0]]).toEqual([
      3,
      `${page1} exists and is no page that atomic wrote. Nothing was written.`,
    ]);
    expect(readFileSync(page1, "utf8")).toBe("mine\n");
    expect(readdirSync(join(folder, "m/man7"))).not.toContain("atomic-env.7");
    for (const flags of [["--read-only"], ["--plan", "elsewhere"]]) {
      const { status, stderr } = await run(["man", "n", ...flags]);
      expect([status, stderr.includes("man was refused")]).toEqual([5, true]);
    }
    expect(readdirSync(folder)).toEqual(["m"]);
  });
});
