import { expect, test } from "bun:test";

import { intercept } from "../../../core/shell/interceptor.ts";
import { inspectCommand } from "../../../core/shell/runs.ts";

const all = () => true;

async function toolFor(command: string, hasTool: (name: string) => boolean = all) {
  const world = { cwd: "/w", home: "/h", variable: () => undefined };
  const { runs } = await inspectCommand(command, world);
  return intercept(runs, [], hasTool)?.interception.tool;
}

test.each([
  ["cat a.txt", "read"],
  ["cat < a.txt", undefined],
  ["cat", "read"],
  ["ls | cat", undefined],
  ["ls | head -5", undefined],
  ["head -n 5 a.txt", "read"],
  ["head -5 a.txt", "read"],
  ["tail -f log", undefined],
  ["tail -c 5 log", "read"],
  ["less a.txt", "read"],
  ["cat /proc/cpuinfo", undefined],
  ["true; cat a", "read"],
  ["cd x && cat a", "read"],
  ["cd x; grep y a", "search"],
  ["ls | grep x", undefined],
  ["ls | grep -v -e x", undefined],
  ["ls | grep -n -A 3 x", undefined],
  ["ls | grep x a.txt", "search"],
  ["ls | grep -r x", "search"],
  ["grep x", "search"],
  ["rg x", "search"],
  ["git log | rg x", undefined],
  ["find . -name '*.ts'", "find"],
  ["find .", undefined],
  ["find . -name x -exec rm {} +", undefined],
  ["find . -type f -mtime +3", undefined],
  ["fd --type f x", "find"],
  ["sed -i s/a/b/ f", "edit"],
  ["sed --in-place=.bak s/a/b/ f", "edit"],
  ["sed -n 1p f", undefined],
  ["perl -pi -e s/a/b/ f", "edit"],
  ["perl -e 1", undefined],
  ["gawk -i inplace 1 f", "edit"],
  ["echo a > f", "write"],
  ["printf a >> f", "write"],
  ["echo a >&2", undefined],
  ["echo a > /dev/null", undefined],
  ["echo 'a > b'", undefined],
  ["echo a \\> b", undefined],
  ["cat > f <<'E'\nx\nE", "write"],
  ["cat <<'E'\nx\nE", undefined],
  ["cat <<E | sh -s\nls\nE", undefined],
  ["(cat a)", "read"],
  ["if x; then cat a; fi", "read"],
  ["X=1 cat a", "read"],
  ["sudo cat a", "read"],
  ["bash -c 'cat a'", "read"],
  ["/bin/cat a", "read"],
  ["\\cat a", "read"],
  ["echo $(cat a)", undefined],
  ["f() { cat a; }", undefined],
  ["git ls-files | xargs grep x", undefined],
  ["# cat a", undefined],
  ["git commit -m 'cat a'", undefined],
  ["catalog a", undefined],
])("%s", async (command, tool) => {
  expect(await toolFor(command)).toBe(tool!);
});

test("a rule holds only where its tool is there", async () => {
  expect(await toolFor("cat a; grep x y", (name) => name === "search")).toBe("search");
  expect(await toolFor("cat a", () => false)).toBeUndefined();
});

test("a user's rule is held against each simple command, from its start", async () => {
  const world = { cwd: "/w", home: "/h", variable: () => undefined };
  const rules = [{ pattern: "npm (?:i|install)\\b", tool: "bash", message: "Use bun." }];
  const found = async (command: string) =>
    intercept((await inspectCommand(command, world)).runs, rules, all)?.interception;
  expect(await found("cd x && npm install y")).toEqual({
    tool: "bash",
    rule: "npm (?:i|install)\\b",
    message: "Use bun.",
  });
  expect(await found("np'm' i")).toBeDefined();
  expect(await found("echo npm i")).toBeUndefined();
});
