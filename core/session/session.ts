import type { NumberedConflict } from "../documents/conflicts.ts";
import type { Siblings } from "./siblings.ts";
import type { LineMap } from "../text/line-map.ts";

/**
 * What one session has seen and changed, across processes. Every path here is a real path: absolute, links resolved.
 * "Content" is normalised text (decoded, LF, no BOM) as `toStored` bytes; "hash" its SHA-256; equality is by hash,
 * never by tag (hashline.md decision 5). Methods throw AtomicError `session.unavailable` when the store fails.
 */
export interface Session {
  readonly id: string;

  /** Where the locks of everything that writes lie; private, common to all sessions of the state folder. */
  readonly locksFolder: string;

  /** Edits of this process that wait for their files (hashline.md decision 10). */
  readonly siblings: Siblings;

  /** Remembers that this session has seen the whole of a file. Seeing a known content again makes it the newest. */
  record(seen: Seen): Promise<void>;

  /** The same of several files, all at once or none. */
  recordAll(seen: readonly Seen[]): Promise<void>;

  /** Every content this session recorded for the path under a tag, newest first, and whether one was forgotten. */
  lookup(path: string, tag: string): Promise<TagLookup>;

  /** What this session saw of the path last; undefined: nothing. */
  observed(path: string): Promise<Observation | undefined>;

  /** Whether this session put these very bytes there, and did not live to say so. @param bytesHash of the whole file */
  wrote(path: string, bytesHash: string): Promise<boolean>;

  /**
   * The line maps of edits this session itself made, in order, that lead from one content of the path to another;
   * undefined where the way is not known in full. Equal hashes: an empty list.
   */
  ownEdits(path: string, fromHash: string, toHash: string): Promise<readonly LineMap[] | undefined>;

  /**
   * Durably logs what is about to be written: before-images, after-images and line maps, as one group. Call it before the
   * first byte of any target changes, and `settle` the group afterwards.
   */
  beginChanges(tool: string, changes: readonly Change[]): Promise<ChangeGroup>;

  /** What this session logged, in whole groups, the newest first. Never another session's. */
  history(): Promise<readonly LoggedGroup[]>;

  /**
   * The file on one side of a change that this session logged; undefined where that side has no file, or where its
   * content has been dropped by age or size (`LoggedImage.kept`), or is damaged.
   */
  loggedImage(
    group: string,
    path: string,
    side: "before" | "after",
  ): Promise<FileImage | undefined>;

  /** How often this exact payload has changed nothing in this target, this time included. */
  countNoop(target: string, payload: string): Promise<number>;

  /** Gives conflict numbers their meaning: entry i is conflict i + 1. What they meant before is forgotten. */
  numberConflicts(blocks: readonly NumberedConflict[]): Promise<void>;

  /** As last numbered; undefined where that has not happened in this session. */
  numberedConflicts(): Promise<readonly NumberedConflict[] | undefined>;

  /** In-place writes of the path, by any session, that were begun and never settled, oldest first. */
  unsettled(path: string): Promise<readonly UnsettledWrite[]>;
}

export interface Seen {
  readonly path: string;
  readonly tag: string;
  readonly content: Uint8Array;
  /** SHA-256 of the file's bytes, for the observation guard of write, which compares bytes. */
  readonly bytesHash: string;
}

export interface Observation {
  readonly tag: string;
  readonly bytesHash: string;
  /** The normalised text; undefined where it has been dropped by age or size, or is damaged. */
  readonly text: string | undefined;
}

export interface Snapshot {
  readonly tag: string;
  readonly hash: string;
  /** Whether it is the newest content recorded for its path. */
  readonly newest: boolean;
  /** The normalised text. */
  readonly text: string;
}

export interface TagLookup {
  readonly snapshots: readonly Snapshot[];
  /** The tag was known once, and its content has since been dropped by age or size. */
  readonly expired: boolean;
}

export interface FileImage {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** What a file was that is too large to be kept. */
export interface FileDigest {
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly mode: number;
}

export interface Change {
  readonly path: string;
  /** Undefined: the file is created. */
  readonly before: FileImage | FileDigest | undefined;
  /** Undefined: the file is removed. */
  readonly after: FileImage | FileDigest | undefined;
  /** The after-image as a snapshot; undefined where it is no text. */
  readonly seen: Seen | undefined;
  /** Hash of the content before, and the lines that differ; undefined where either side is no text. */
  readonly fromHash: string | undefined;
  readonly map: LineMap | undefined;
  /** Written under its own name, so that a killed process may leave it torn (hashline.md decision 20). */
  readonly inPlace: boolean;
  /** Folders made to put the file in, deepest first: they go when the file does. */
  readonly folders?: readonly string[];
  /** The caller asked to overrule the guards. */
  readonly forced?: boolean;
  /** The group whose change of this path it takes back. */
  readonly undoes?: string;
}

export interface LoggedGroup {
  /** As `ChangeGroup.id`: decimal, and greater than that of any earlier group. */
  readonly id: string;
  readonly tool: string;
  /** When it was begun, in milliseconds since the epoch. */
  readonly at: number;
  /** In the order in which they were made. */
  readonly changes: readonly LoggedChange[];
}

export interface LoggedChange {
  readonly path: string;
  /** Undefined: the file was created. */
  readonly before: LoggedImage | undefined;
  /** Undefined: the file was removed. */
  readonly after: LoggedImage | undefined;
  /** The lines that differ; undefined where either side is no text. */
  readonly map: LineMap | undefined;
  readonly folders: readonly string[];
  readonly forced: boolean;
  /** The group whose change of the same path it took back. */
  readonly undoes: string | undefined;
  /** Undefined: nobody lived to say, and the file has not been met again with what was to be written. */
  readonly landed: boolean | undefined;
}

export interface LoggedImage {
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  readonly mode: number;
  /** False: the content has been dropped by age or size. */
  readonly kept: boolean;
}

export interface ChangeGroup {
  readonly id: string;
  /**
   * Durably logs that a path of the group is to be written under its own name after all, so that a crash may tear it.
   * Call it before the first byte.
   */
  writeInPlace(path: string): Promise<void>;
  /**
   * Says which paths now hold their after-image; the others count as never written. Landed after-images become the
   * newest snapshots of their paths, and the paths' no-op counters start again.
   */
  settle(landed: readonly string[]): Promise<void>;
}

export interface UnsettledWrite {
  /** Undefined: the file was to be created. */
  readonly before: FileImage | undefined;
  readonly after: FileImage;
  /** The file holds a whole content again: forget the write. */
  settle(): Promise<void>;
}
