// The terminal of the runtime that we are in.

import type { Terminal } from "../core/ports/terminal.ts";

import { detectRuntime } from "./runtime.ts";

export async function openTerminal(): Promise<Terminal> {
  if (detectRuntime().name === "deno") return (await import("./deno/terminal.ts")).denoTerminal();
  return (await import("./shared/node-terminal.ts")).nodeTerminal();
}
