// The HTTP server of the runtime that we are in.

import type { HttpServers } from "../core/ports/http-server.ts";

import { detectRuntime } from "./runtime.ts";

export async function openHttpServers(): Promise<HttpServers> {
  switch (detectRuntime().name) {
    case "bun":
      return (await import("./bun/http-server.ts")).bunHttpServers;
    case "deno":
      return (await import("./deno/http-server.ts")).denoHttpServers;
    case "node":
      return (await import("./node/http-server.ts")).nodeHttpServers;
  }
}
