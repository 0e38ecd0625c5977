// What it takes to be a file that holds things with names of their own.

import type { AtomicError } from "../errors.ts";
import type { FileStat } from "../ports/fs.ts";
import type { Root } from "./confine.ts";
import type { Contents, TargetCall, TargetPorts } from "./resource.ts";

export interface ContainerFile {
  /** Absolute, links not resolved. */
  readonly path: string;
  readonly stat: FileStat;
  /** As the caller named it. */
  readonly typed: string;
}

export interface Container {
  /**
   * @param inner what follows the file's name, with its delimiter; "" for the container as a whole
   * @param peeled the modifiers that were taken off the target's end for this reading of it
   * @returns an error, not thrown, or `absent` contents, where there is no such part, so that a shorter reading of the target
   * may be tried; or what makes the error, where finding out what to say takes time
   */
  part(
    inner: string,
    peeled: readonly string[],
  ): Promise<Contents | AtomicError | (() => AtomicError)>;
  close(): Promise<void>;
}

export interface ContainerKind {
  /** Begins a message about a target that leaves the workspace. */
  readonly name: string;
  /** Whether a file of that name may be one. */
  names(file: string): boolean;
  /** The places where the container's name may end, best first. No disk. */
  splits(text: string): readonly number[];
  /** Whether the file is one; else it is read as what it is. Opens it no longer than needed. */
  claims(file: ContainerFile, ports: TargetPorts, call: TargetCall): Promise<boolean>;
  /** The file lies in `root`, and must still do so once it is open (`confineOpened`). */
  open(file: ContainerFile, root: Root, ports: TargetPorts, call: TargetCall): Promise<Container>;
}
