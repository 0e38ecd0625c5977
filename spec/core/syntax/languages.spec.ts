import { expect, test } from "bun:test";

import { grammarFiles } from "../../../adapters/shared/grammar-files.ts";
import { languageOf, languages } from "../../../core/syntax/languages.ts";

const named: readonly [path: string, language: string | undefined][] = [
  ["src/a.ts", "TypeScript"],
  ["S.TS", "TypeScript"],
  ["a.test.mts", "TypeScript"],
  ["a.tsx", "TSX"],
  ["a.jsx", "JavaScript"],
  ["a.pyi", "Python"],
  ["C:\\x\\a.HPP", "C++"],
  ["a.h", "C"],
  ["Makefile", "Make"],
  ["GNUmakefile", "Make"],
  ["sub/Rakefile", "Ruby"],
  ["Gemfile", "Ruby"],
  ["BUILD", "Python"],
  ["/home/me/.bashrc", "Bash"],
  [".zshrc", "Bash"],
  ["a.zsh", "Bash"],
  ["main.tf", "HCL"],
  ["tsconfig.jsonc", "JSON"],
  ["Cargo.lock", "TOML"],
  ["README", undefined],
  [".ts", undefined],
  ["a.ts/b", undefined],
  ["a.", undefined],
  ["a.unknown", undefined],
];

for (const [path, language] of named) {
  test(`${path} is ${language ?? "nothing known"}`, () => {
    expect(languageOf(path, "")?.name).toBe(language);
  });
}

const run: readonly [line: string, language: string | undefined][] = [
  ["#!/bin/sh", "Bash"],
  ["#! /usr/bin/env bash", "Bash"],
  ["#!/usr/bin/env -S node --no-warnings", "JavaScript"],
  ["#!/usr/bin/env -S FOO=1 deno run", "TypeScript"],
  ["#!/usr/bin/python3.12", "Python"],
  ["#!/usr/local/bin/ruby -w", "Ruby"],
  ["#!/usr/bin/env", undefined],
  ["#!", undefined],
  ["# !/bin/sh", undefined],
  ["", undefined],
];

for (const [line, language] of run) {
  test(`a file without extension that begins with ${JSON.stringify(line)}`, () => {
    expect(languageOf("bin/tool", line)?.name).toBe(language);
    expect(languageOf("bin/tool.unknown", line)).toBeUndefined();
  });
}

test("no extension, file name or program is claimed twice", () => {
  for (const key of ["extensions", "files", "interpreters"] as const) {
    const all = languages.flatMap((language) => language[key] ?? []);
    expect(all.filter((word, i) => all.indexOf(word) !== i || word !== word.toLowerCase())).toEqual(
      [],
    );
  }
});

test("every grammar comes with the program, and none for nothing", () => {
  const used = languages.flatMap((language) =>
    language.scan === undefined ? [language.grammar] : [],
  );
  expect([...new Set(used)].sort()).toEqual([...grammarFiles.keys()].sort());
});
