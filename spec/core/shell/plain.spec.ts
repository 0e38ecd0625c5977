import { expect, test } from "bun:test";

import { hardPrograms } from "../../../core/shell/hardline.ts";
import { isPlainCommand } from "../../../core/shell/plain.ts";
import { knownPrograms } from "../../../core/shell/wrappers.ts";

test("a plain command is one program with plain words", () => {
  for (const command of [
    "true",
    "git-lfs pull",
    "npm run build",
    "ls -la src",
    " make -j4 test ",
    "cargo test --all",
  ]) {
    expect([command, isPlainCommand(command)]).toEqual([command, true]);
  }
  for (const command of [
    "",
    "./x",
    "a;b",
    "a b|c",
    "a $b",
    "a 'b'",
    "a\nb",
    "A=1 b",
    "a > b",
    "a ~/b",
    "a *",
    "a {b,c}",
    "a \\b",
    "a # b",
    "a !b",
    "rm x",
    "sudo ls",
    "python3.12 x",
    "mkfs.ext4 x",
    "bash x",
  ]) {
    expect([command, isPlainCommand(command)]).toEqual([command, false]);
  }
});

test("no program that a rule is about, or that runs others, is plain", () => {
  for (const name of [...knownPrograms(), ...hardPrograms]) {
    expect([name, isPlainCommand(`${name} x`)]).toEqual([name, false]);
  }
});
