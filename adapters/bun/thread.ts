// The inside of a worker: what it may use, and how it hears of work. Loads no more than scanning needs.

import type { Bytes } from "../../core/ports/bytes.ts";
import type { Fs } from "../../core/ports/fs.ts";

import { nodeFs } from "../shared/fs.ts";
import { bunBytes } from "./bytes.ts";

export function threadPorts(): { readonly fs: Fs; readonly bytes: Bytes } {
  return { fs: nodeFs(), bytes: bunBytes() };
}

/** Calls back for every message, in their order, and ends the thread when it is told to. */
export function onThreadMessage(handle: (message: unknown) => void): void {
  addEventListener("message", (event) => {
    const { data } = event as MessageEvent<unknown>;
    if (data === undefined) process.exit();
    handle(data);
  });
}
