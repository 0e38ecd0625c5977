import { expect, test } from "bun:test";
import { resolve } from "node:path";

import { exceptions } from "../../scripts/imports/rules.ts";
import { scanGlobals, scanImports } from "../../scripts/imports/scan.ts";
import { findProblems, readSources } from "../../scripts/imports.ts";

const root = resolve(import.meta.dirname, "../..");

/** Files that the synthetic trees import; empty, so that they break no rule. */
const targets = [
  "adapters/host.ts",
  "cmd/args.ts",
  "core/docs/env.ts",
  "core/call.ts",
  "core/errors.ts",
  "core/hashline/blocks.ts",
  "core/hashline/tag.ts",
  "core/hashline/xxhash32.ts",
  "core/limits.ts",
  "core/paths.ts",
  "core/ports/fs.ts",
  "core/resources/file.ts",
  "core/selectors/parse.ts",
  "core/session/session.ts",
  "core/text/lines.ts",
  "core/tool.ts",
  "core/tools/edit.ts",
  "scripts/build.ts",
];

function problemsOf(file: string, source: string): readonly string[] {
  return findProblems(new Map([...targets.map((path) => [path, ""] as const), [file, source]]));
}

test.each([
  ["core/tools/read.ts", 'import { a } from "../resources/file.ts";'],
  ["core/tools/read.ts", 'import * as v from "valibot";'],
  ["core/text/size.ts", 'import { a } from "./lines.ts"; import { b } from "../errors.ts";'],
  ["core/session/open.ts", 'import type { S } from "./session.ts";'],
  ["core/syntax/resolve.ts", 'import type { S } from "../hashline/blocks.ts";'],
  ["core/tool.ts", 'import type { S } from "./session/session.ts";'],
  ["core/registry.ts", 'import { call } from "./call.ts";'],
  ["cmd/root.ts", 'import { x } from "../core/call.ts"; await import("citty");'],
  ["cmd/root.ts", 'await import("../adapters/host.ts");'],
  ["adapters/bun/host.ts", 'import fs from "node:fs"; import "../../core/ports/fs.ts"; Bun.file;'],
  ["adapters/memory/bytes.ts", 'import { x } from "../../core/hashline/xxhash32.ts";'],
  ["scripts/x.ts", 'import "../core/tools/edit.ts"; import "fast-check"; process.exit();'],
  ["spec/x.spec.ts", 'import { test } from "bun:test"; await import(`${1}.ts`);'],
])("%s may say %j", (file, source) => {
  expect(problemsOf(file, source)).toEqual([]);
});

test("a folder below a room belongs to it", () => {
  const files = new Map([
    ["core/archives/read.ts", ""],
    ["core/archives/formats/zip.ts", 'import { a } from "../read.ts";'],
  ]);
  expect(findProblems(files)).toEqual([]);
});

const rows = "core imports only from the rows below (scripts/imports/rules.ts)";

test.each([
  // Rows of core
  [
    "core/hashline/apply.ts",
    'import { a } from "../tools/edit.ts";',
    `imports "../tools/edit.ts", which stands above it; ${rows}`,
  ],
  [
    "core/hashline/apply.ts",
    'import type { S } from "../session/session.ts";',
    `imports "../session/session.ts", which stands above it; ${rows}`,
  ],
  [
    "core/resources/open.ts",
    'export { a } from "../session/session.ts";',
    `imports "../session/session.ts", which stands beside it; ${rows}`,
  ],
  [
    "core/syntax/resolve.ts",
    'type A = import("../hashline/tag.ts").A;',
    `imports "../hashline/tag.ts", which stands beside it; ${rows}`,
  ],
  [
    "core/text/size.ts",
    'const a = await import("../ports/fs.ts");',
    `imports "../ports/fs.ts", which stands beside it; ${rows}`,
  ],
  [
    "core/limits.ts",
    'import "./paths.ts";',
    `imports "./paths.ts", which stands above it; ${rows}`,
  ],
  [
    "core/registry.ts",
    'import "./docs/env.ts";',
    `imports "./docs/env.ts", which stands above it; ${rows}`,
  ],
  [
    "core/tool.ts",
    'import { S } from "./session/session.ts";',
    `imports "./session/session.ts", which stands above it; ${rows}`,
  ],
  [
    "core/tools/read.ts",
    'import { a } from "./edit.ts";',
    'imports "./edit.ts"; core/tools/ keeps its files apart: put what they share a row below',
  ],
  [
    "core/helpers/misc.ts",
    "",
    "stands in no row of core; give its folder a place in scripts/imports/rules.ts",
  ],
  // Folders
  [
    "core/call.ts",
    'import "../adapters/host.ts";',
    'imports "../adapters/host.ts"; core may import core/',
  ],
  ["core/call.ts", 'import "../cmd/args.ts";', 'imports "../cmd/args.ts"; core may import core/'],
  [
    "adapters/bun/fs.ts",
    'import "../../core/text/lines.ts";',
    'imports "../../core/text/lines.ts"; adapters may import adapters/, core/ports/, core/errors.ts, core/paths.ts, core/hashline/xxhash32.ts',
  ],
  [
    "cmd/root.ts",
    'import "../scripts/build.ts";',
    'imports "../scripts/build.ts"; cmd may import cmd/, core/, adapters/',
  ],
  ["cmd/root.ts", 'import "./gone.ts";', 'imports "./gone.ts", but there is no cmd/gone.ts'],
  ["spec/a.spec.ts", 'import "../core/no";', 'imports "../core/no", but there is no core/no'],
  // Packages and hosts
  ["core/call.ts", 'import "node:fs";', 'imports "node:fs"; only adapters know the host'],
  ["core/call.ts", 'import "fs/promises";', 'imports "fs/promises"; only adapters know the host'],
  ["core/call.ts", 'import "bun";', 'imports "bun"; only adapters know the host'],
  ["core/call.ts", 'import "bun:sqlite";', 'imports "bun:sqlite"; only adapters know the host'],
  ["cmd/run.ts", 'import "node:tty";', 'imports "node:tty"; only adapters know the host'],
  [
    "cmd/run.ts",
    'import * as v from "valibot";',
    'imports the package "valibot"; allowed here: @modelcontextprotocol/server, citty, consola',
  ],
  [
    "core/call.ts",
    'import "citty/x";',
    'imports the package "citty"; allowed here: @modelcontextprotocol/client, @modelcontextprotocol/server, @valibot/to-json-schema, fflate, ignore, linkedom, picomatch, smol-toml, turndown, valibot, web-tree-sitter',
  ],
  [
    "adapters/bun/fs.ts",
    'import "@valibot/to-json-schema/x";',
    'imports the package "@valibot/to-json-schema"; allowed here: none',
  ],
  ["core/call.ts", "await import(name);", "imports a module whose name is known at run time only"],
  [
    "core/call.ts",
    'await import("./tools/" + name);',
    "imports a module whose name is known at run time only",
  ],
  [
    "core/call.ts",
    '/// <reference types="bun" />',
    "asks for types of a host with a /// reference",
  ],
  // Globals
  ["core/call.ts", "fetch(url);", "uses the global fetch; take it from a port of the host"],
  ["core/call.ts", "Date.now();", "uses the global Date.now; take it from a port of the host"],
  ["core/call.ts", "new Date();", "uses the global new Date(); take it from a port of the host"],
  ["cmd/run.ts", "process.exit();", "uses the global process; take it from a port of the host"],
  ["cmd/run.ts", "Bun.file;", "uses the global Bun; take it from a port of the host"],
])("%s may not say %j", (file, source, problem) => {
  expect(problemsOf(file, source)).toEqual([`${file}:1: ${problem}`]);
});

test("a circle is a problem, also of types, but not where an import waits until it is needed", () => {
  const circle = new Map([
    ["core/text/a.ts", 'import { b } from "./b.ts";'],
    ["core/text/b.ts", 'import type { C } from "./c.ts";'],
    ["core/text/c.ts", 'export * from "./a.ts";'],
  ]);
  expect(findProblems(circle)).toEqual([
    "core/text/a.ts: imports itself in a circle: core/text/a.ts → core/text/b.ts → core/text/c.ts → core/text/a.ts",
  ]);
  circle.set("core/text/c.ts", 'await import("./a.ts");');
  expect(findProblems(circle)).toEqual([]);
});

test("scanGlobals gives the line of each use", () => {
  expect(scanGlobals("/* fetch\n*/\n`a\nb`; fetch(\n  process)", watched)).toEqual([
    { name: "fetch", line: 4 },
    { name: "process", line: 5 },
  ]);
});

test("a file that cannot be scanned is a problem", () => {
  expect(problemsOf("core/call.ts", 'const a = `${"b"}')).toEqual([
    "core/call.ts: cannot be scanned: line 1: this template does not end",
  ]);
});

test("scanImports finds every form of import, with its line", () => {
  const source = `#!/usr/bin/env bun
import "./a.ts";
import b, { type B } from './b.ts'
import type { C } from "./c.ts";
import type from "./d.ts"; import type E from "./e.ts";
import * as f
  from "./f.ts";
export { g } from "./g.ts"; export { h };
export type { I } from "./i.ts"; export type J = { from: "./j.ts" };
export * from "./k.ts"; export * as l from "./l.ts";
const m = await import("./m.ts"), n = \`\${await import("./n.ts")}\`;
type O = import("./o.ts").O; import p from "./p.json" with { type: "json" };
`;
  expect(scanImports(source).map((use) => `${use.line} ${use.specifier}`)).toEqual([
    "2 ./a.ts",
    "3 ./b.ts",
    "4 ./c.ts",
    "5 ./d.ts",
    "5 ./e.ts",
    "6 ./f.ts",
    "8 ./g.ts",
    "9 ./i.ts",
    "10 ./k.ts",
    "10 ./l.ts",
    "11 ./m.ts",
    "11 ./n.ts",
    "12 ./o.ts",
    "12 ./p.json",
  ]);
  expect(
    scanImports(source)
      .filter((use) => use.typeOnly)
      .map((use) => use.specifier),
  ).toEqual(["./c.ts", "./e.ts", "./i.ts"]);
});

test.each([
  '// import "./a.ts";',
  '/* import "./a.ts"; */',
  'const s = "import \\"./a.ts\\"";',
  "const s = `import './a.ts' ${\"import './b.ts'\"}`;",
  "const r = /import '.\\/a.ts'[/'\"`]/g;",
  'const r = /[`"]/; const t = count! / 2 / 3; const s = i++ / 2;',
  "import.meta.url; loader.import('./a.ts'); const o = { import: './a.ts' };",
  "export const from = './a.ts'; export function a() {}",
])("scanImports finds nothing in %j", (source) => {
  expect(scanImports(source)).toEqual([]);
});

const watched = new Set(["fetch", "process", "Date.now", "new Date()", "Math.random"]);

test.each([
  ["fetch(url)", "fetch"],
  ["const get = fetch;", "fetch"],
  ["x ? fetch : y", "fetch"],
  ["x ?\n fetch\n : y", "fetch"],
  ["const { fetch } = globalThis;", "fetch"],
  ["send({ fetch, other })", "fetch"],
  ["call(\n  fetch(url),\n)", "fetch"],
  ["type F = typeof fetch;", "fetch"],
  ["`${fetch}`", "fetch"],
  ["a = b / process.pid / 2", "process"],
  ["[...process.argv]", "process"],
  ["Date.now()", "Date.now"],
  ["Date?.now()", "Date.now"],
  ['Date["now"]()', "Date.now"],
  ["const { floor } = Math; Math.random()", "Math.random"],
  ["new Date()", "new Date()"],
  ["new Date", "new Date()"],
  ["Date()", "new Date()"],
])("scanGlobals sees the global in %j", (source, name) => {
  expect(scanGlobals(source, watched).map((use) => use.name)).toEqual([name]);
});

test.each([
  "// fetch(url)",
  "\"fetch\"; 'process'; `fetch`",
  "web.fetch(url); web?.fetch(url); this.process",
  "const web = { fetch: get, process(input) { return input; } };",
  "interface Web {\n  fetch(url: string): Promise<string>;\n  process?: string;\n}",
  "class Web {\n  async fetch(url: string) {}\n  readonly process: string;\n}",
  "new Date(clock.now()); const d: Date = x; Math.floor(1); prefetch(); fetch2();",
  "/fetch/.test(name)",
])("scanGlobals sees none in %j", (source) => {
  expect(scanGlobals(source, watched)).toEqual([]);
});

test("every exception is still needed", () => {
  const files = readSources(root);
  for (const { from, to } of exceptions) {
    const targetsOf = scanImports(files.get(from) ?? "").map((use) =>
      resolve("/", from, "..", use.specifier ?? ""),
    );
    expect(targetsOf).toContain(`/${to}`);
  }
});

test("the scan agrees with Bun's parser on every source file", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  for (const [file, source] of readSources(root)) {
    const ours = new Set(scanImports(source).map((use) => use.specifier));
    const theirs = transpiler.scanImports(source).map((use) => use.path);
    expect([file, theirs.filter((path) => !ours.has(path))]).toEqual([file, []]);
  }
});
