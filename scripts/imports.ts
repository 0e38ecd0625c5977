// Checks which way imports point, that they form no circle, and that core touches the world through ports only.

import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix, resolve } from "node:path";

import { areas, coreRows, exceptions, separate } from "./imports/rules.ts";
import { type ImportUse, scanGlobals, scanImports } from "./imports/scan.ts";

const folders = ["adapters", "cmd", "core", "scripts", "spec"];

/**
 * @param files Path from the project's root, with `/`, → text: all source files, since an import of any other is a problem.
 * @returns One line for each problem, in the order of the files.
 */
export function findProblems(files: ReadonlyMap<string, string>): readonly string[] {
  const problems: string[] = [];
  const graph = new Map<string, readonly string[]>();
  for (const [file, text] of files) {
    const area = areas[file.split("/", 1)[0]!];
    const report = (line: number, problem: string) => problems.push(`${file}:${line}: ${problem}`);
    if (file.startsWith("core/") && placeOf(file).row < 0) {
      report(1, "stands in no row of core; give its folder a place in scripts/imports/rules.ts");
    }
    let imports: readonly ImportUse[];
    try {
      imports = scanImports(text);
      for (const { name, line } of scanGlobals(text, new Set(area?.noGlobals))) {
        report(line, `uses the global ${name}; take it from a port of the host`);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problems.push(`${file}: cannot be scanned: ${error.message}`);
      continue;
    }
    if (area && !area.hostModules && /^\/\/\/\s*<reference\b/m.test(text)) {
      report(1, "asks for types of a host with a /// reference");
    }
    const targets: string[] = [];
    for (const use of imports) {
      const problem = judge(file, use, files);
      if (problem !== undefined) report(use.line, problem);
      const target = targetOf(file, use);
      // A module that is loaded when it is needed may well need its loader.
      if (target !== undefined && !use.lazy) targets.push(target);
    }
    graph.set(file, targets);
  }
  return [...problems, ...circles(graph)];
}

function judge(
  file: string,
  use: ImportUse,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const area = areas[file.split("/", 1)[0]!];
  const { specifier } = use;
  if (specifier === undefined) {
    return area && "imports a module whose name is known at run time only";
  }
  const target = targetOf(file, use);
  if (target !== undefined) {
    // Texts and data files are the bundler's business; a module that does not exist is ours.
    if (/\.[cm]?[jt]sx?$|\/[^./]*$/.test(target) && !files.has(target)) {
      return `imports "${specifier}", but there is no ${target}`;
    }
    if (!area) return undefined;
    if (!area.sources.some((prefix) => target.startsWith(prefix))) {
      return `imports "${specifier}"; ${file.split("/", 1)[0]} may import ${area.sources.join(", ")}`;
    }
    return file.startsWith("core/") ? judgeRows(file, target, use) : undefined;
  }
  if (!area) return undefined;
  if (isHostModule(specifier)) {
    return area.hostModules ? undefined : `imports "${specifier}"; only adapters know the host`;
  }
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (area.packages.includes(name)) return undefined;
  const allowed = area.packages.join(", ") || "none";
  return `imports the package "${name}"; allowed here: ${allowed}`;
}

function judgeRows(file: string, target: string, use: ImportUse): string | undefined {
  const specifier = `"${use.specifier}"`;
  for (const folder of separate) {
    if (file.startsWith(folder) && target.startsWith(folder)) {
      return `imports ${specifier}; ${folder} keeps its files apart: put what they share a row below`;
    }
  }
  const from = placeOf(file);
  const to = placeOf(target);
  if (to.row > from.row || (to.row === from.row && to.room === from.room)) return undefined;
  const excused = exceptions.some(
    ({ from, to, typeOnly }) => from === file && to === target && (use.typeOnly || !typeOnly),
  );
  if (excused) return undefined;
  const where = to.row === from.row ? "beside" : "above";
  return `imports ${specifier}, which stands ${where} it; core imports only from the rows below (scripts/imports/rules.ts)`;
}

interface Place {
  /** 0 is the highest; -1 when nothing places it. */
  readonly row: number;
  readonly room: string;
}

function placeOf(file: string): Place {
  let best = { row: -1, entry: "" };
  for (const [row, entries] of coreRows.entries()) {
    for (const entry of entries) {
      const matches = entry.endsWith("/") ? file.startsWith(entry) : file === entry;
      if (matches && entry.length > best.entry.length) best = { row, entry };
    }
  }
  const room = best.entry.endsWith("/") ? best.entry : posix.dirname(best.entry);
  return { row: best.row, room };
}

function targetOf(file: string, { specifier }: ImportUse): string | undefined {
  if (specifier === undefined || !/^\.{1,2}\//.test(specifier)) return undefined;
  return posix.join(posix.dirname(file), specifier);
}

function isHostModule(specifier: string): boolean {
  return /^(?:node|bun|deno):|^bun$/.test(specifier) || builtinModules.includes(specifier);
}

/** One line for each import that closes a circle. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  function visit(file: string): void {
    const seen = path.indexOf(file);
    if (seen >= 0) {
      found.push(`${file}: imports itself in a circle: ${[...path.slice(seen), file].join(" → ")}`);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  }

  for (const file of graph.keys()) visit(file);
  return found;
}

/** Every TypeScript file of the project. Fixtures are data. */
export function readSources(root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      const path = `${folder}/${entry.replaceAll("\\", "/")}`;
      if (!path.endsWith(".ts") || path.startsWith("spec/fixtures/")) continue;
      files.set(path, readFileSync(join(root, path), "utf8"));
    }
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

if (import.meta.main) {
  const files = readSources(resolve(import.meta.dirname, ".."));
  const problems = findProblems(files);
  for (const problem of problems) console.error(problem);
  console.log(`${files.size} files, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
