// The process as the command line meets it, before a host is needed. Loaded at every start, so it loads next to nothing.

import type { Env } from "../core/ports/env.ts";
import type { Stdio } from "../core/ports/stdio.ts";

import { bunStreams } from "./bun/streams.ts";
import { denoStreams } from "./deno/streams.ts";
import { detectRuntime, type Runtime } from "./runtime.ts";
import { processArguments } from "./shared/arguments.ts";
import { processEnv } from "./shared/env.ts";
import { nodeStreams } from "./shared/node-streams.ts";
import { processStdio } from "./shared/stdio.ts";

const streams = { bun: bunStreams, deno: denoStreams, node: nodeStreams } as const;

export interface OpenProcess {
  /** What follows the program's own name. */
  readonly args: readonly string[];
  readonly env: Env;
  readonly stdio: Stdio;
  readonly runtime: Runtime;
}

export function openProcess(): OpenProcess {
  const runtime = detectRuntime();
  return {
    args: processArguments(),
    env: processEnv(),
    stdio: processStdio(streams[runtime.name]()),
    runtime,
  };
}
