// The host of the runtime that we are in.

import type { Host } from "../core/ports/host.ts";

import { detectRuntime } from "./runtime.ts";

export async function openHost(): Promise<Host> {
  switch (detectRuntime().name) {
    case "bun":
      return (await import("./bun/host.ts")).bunHost();
    case "deno":
      return (await import("./deno/host.ts")).denoHost();
    case "node":
      return (await import("./node/host.ts")).nodeHost();
  }
}
