import type { Host } from "../../core/ports/host.ts";

import { nodeHost } from "../node/host.ts";

import { denoFs } from "./fs.ts";

export function denoHost(): Host {
  return nodeHost({ fs: denoFs });
}
