#!/usr/bin/env node
// Starts the executable of the package for this system. No install script: npm has chosen the package by its fields.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name } = require("../package.json");

/** Linux has two C libraries; Node's report names glibc's version, where that is what runs it. */
function libc() {
  if (process.platform !== "linux") return "";
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? "" : "-musl";
}

const system = process.platform === "win32" ? "windows" : process.platform;
const wanted = `${name}-${system}-${process.arch}${libc()}`;
const file = process.platform === "win32" ? "atomic.exe" : "atomic";

let program;
try {
  program = require.resolve(`${wanted}/bin/${file}`);
} catch {
  process.stderr.write(
    `atomic: the package ${wanted} is not installed.\n` +
      "It is an optional dependency: install again without --omit=optional, on this system.\n",
  );
  process.exit(7);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// A terminal signals both; what is sent to us alone is passed on, and the child decides what comes of it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" && signal !== "SIGQUIT") child.kill(signal);
  });
}
child.on("error", (error) => {
  process.stderr.write(`atomic: ${program} could not be started: ${error.message}\n`);
  process.exit(126);
});
child.on("exit", (status, signal) => {
  process.exit(signal === null ? status : 128 + constants.signals[signal]);
});
