// What follows a write, as data: the file that was written, and what became of it.

import type { Config } from "../config/config.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import type { Lines } from "../text/lines.ts";

export interface LandedFile {
  /** As messages name it. */
  readonly name: string;
  /** Real path. */
  readonly real: string;
  /** What its writers lock. */
  readonly locks: readonly string[];
  /** What was written. */
  readonly bytes: Uint8Array;
}

export interface FinishedFile {
  /** What the file holds now, where formatting changed it. */
  readonly formatted: FormattedFile | undefined;
  /** About formatting, a sentence each; for the head of the answer. */
  readonly notes: readonly string[];
  /** For the end of the answer: a line for each thing that is wrong, then what could not be found out. */
  readonly findings: readonly string[];
  /** Undefined where no server was asked or none answered. */
  readonly diagnostics: readonly Diagnostic[] | undefined;
  /** Sentences that are among `notes` and `findings`: what did not work. */
  readonly failures: readonly string[];
}

export interface FormattedFile {
  readonly bytes: Uint8Array;
  readonly tag: string;
  /** As a read shows them. */
  readonly lines: Lines;
}

export interface FinishContext {
  readonly config: Config;
  readonly session: Session;
  readonly ports: Pick<Host, "fs" | "bytes" | "locks" | "random" | "clock" | "env" | "processes">;
  /** A stop ends the helpers; the files are as they are then. */
  readonly signal: AbortSignal;
  /** Whether the policy lets programs be started. */
  readonly mayExecute: boolean;
  notice(text: string): void;
}
