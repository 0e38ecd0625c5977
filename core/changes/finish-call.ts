// The door to what follows a write: nothing of it is loaded where nothing is configured.

import type { Config } from "../config/config.ts";
import type { Session } from "../session/session.ts";
import type { Call } from "../tool.ts";
import type { FinishContext, FinishedFile, LandedFile } from "./finished-file.ts";

/**
 * Formats what was written and asks language servers about it, as far as the configuration says so. Call it without locks.
 * @returns one answer for each file; undefined where nothing is configured
 */
export async function finishFiles(
  files: readonly LandedFile[],
  config: Config,
  { session, ports, call }: FinishCall,
): Promise<Finished | undefined> {
  const asks = config.layers.some(({ values }) => values.format || values.diagnostics);
  if (!asks || files.length === 0) return undefined;
  const { finishDetails, finishWrite } = await import("./finish-write.ts");
  const { signal, notice, mayExecute } = call;
  const context: FinishContext = { config, session, ports, signal, mayExecute, notice };
  const finished = await finishWrite(files, context);
  return { files: finished, details: finishDetails(finished) };
}

export interface FinishCall {
  readonly session: Session;
  readonly ports: FinishContext["ports"];
  readonly call: Pick<Call, "signal" | "notice" | "mayExecute">;
}

export interface Finished {
  readonly files: readonly FinishedFile[];
  /** For the tool's own details; `meta` is to be merged. */
  readonly details: FinishDetails;
}

export type FinishDetails = ReturnType<typeof import("./finish-write.ts").finishDetails>;
