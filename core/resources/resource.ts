// What a target may turn out to mean, and what finding it out needs.

import type { FileStat } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Modifiers } from "../selectors/parse.ts";
import type { Call } from "../tool.ts";
import type { Root } from "./confine.ts";

/** What finding a target needs of the host, and of the call. */
export type TargetPorts = Pick<Host, "fs" | "bytes" | "env" | "databases" | "processes" | "clock">;
export type TargetCall = Pick<
  Call,
  "cwd" | "signal" | "workspace" | "session" | "sessionFolder" | "notice"
> & {
  /** The target is searched and not shown: a container gives what it holds in place of a list of it. */
  readonly purpose?: "search";
};

/** What a target turned out to mean, and what of it was asked for. */
export type Resource = Located | Part;

/** A file or folder of the disk. */
export interface Located extends Modifiers {
  readonly kind: "path";
  /** Absolute, links not resolved. */
  readonly path: string;
  /** The part of the target that names it, as the caller typed it but for decorations that had to go. */
  readonly typed: string;
  readonly stat: FileStat;
  /** Set where the target's name exists literally and also reads as a selector of another existing file. */
  readonly note: string | undefined;
  /** The folder that it may not lie outside of; undefined for a plain path, which may be anywhere. */
  readonly root: Root | undefined;
  /** Without the lines around a bounded range. */
  readonly exact?: boolean;
  /** What the reader should know of the target, a row each, above its lines. */
  readonly remarks?: readonly string[];
}

/** Something that has no file of its own, such as a member of an archive. */
export interface Part extends Modifiers, Contents {
  readonly kind: "part";
}

/** What a target names that is not a file by itself. */
export interface Contents {
  readonly source: string;
  /** The file's absolute path and what follows it, as typed. */
  readonly sourcePath: string;
  /** How rows, footers and messages call it: as typed, without modifiers. */
  readonly display: string;
  readonly bytes: Uint8Array;
  /** False: a listing of ours, whose rows stand without numbers. */
  readonly numbered: boolean;
  /** Names of the rows, where they have some that are no line numbers. */
  readonly rowNames?: readonly string[];
  /** What it holds, each to be searched by itself. */
  readonly members?: readonly Contents[];
  /** What stands in place of the rows where there are none. */
  readonly empty?: string;
  /** It says that there is no such thing, which holds unless a shorter reading of the target finds one. */
  readonly absent?: true;
  /** Sentences in square brackets that follow the rows. */
  readonly notes: readonly string[];
  /** What the session remembers the whole of it as, for whoever overwrites it: the file's real path and its own name. */
  readonly recordAs?: string;
  /** What `--json` and MCP tell besides. */
  readonly details: Readonly<Record<string, unknown>>;
}
