// A small ordered, transactional record store. One folder holds one store; any number of processes share it.

export interface StoredRecord {
  readonly key: string;
  readonly value: string;
}

export interface RecordRange {
  /** Only keys that begin with this. */
  readonly prefix?: string;
  /** Only keys greater than this one, or less than it when `reverse`. */
  readonly after?: string;
  /** From the greatest key down. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Valid only while the callback it was given to runs. Keys are printable ASCII, ordered by code; values any text. */
export interface ReadTransaction {
  get(space: string, key: string): string | undefined;
  range(space: string, range?: RecordRange): readonly StoredRecord[];
  blob(name: string): Uint8Array | undefined;
  hasBlob(name: string): boolean;
}

export interface WriteTransaction extends ReadTransaction {
  /** Inserts or replaces. */
  put(space: string, key: string, value: string): void;
  delete(space: string, key: string): void;
  putBlob(name: string, bytes: Uint8Array): void;
  deleteBlob(name: string): void;
}

export interface Store {
  /** One consistent view. The work is synchronous, so that no lock outlives it. */
  read<T>(work: (transaction: ReadTransaction) => T): Promise<T>;
  /**
   * All or nothing; serialised across processes. When `work` throws, nothing is kept and the error passes on.
   * `durable` returns only after the commit would survive a power cut; otherwise it survives a killed process.
   */
  write<T>(work: (transaction: WriteTransaction) => T, options?: { durable?: boolean }): Promise<T>;
  close(): void;
}

/** corrupt: not a store, or damaged. busy: another process held it past the time limit. unavailable: cannot be opened or written (see cause). */
export type StoreFailure = "corrupt" | "busy" | "unavailable";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreFailure;
  constructor(reason: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Stores {
  /** Opens or creates the store in an existing folder; its files are private to the user (0600). Throws StoreError. */
  open(folder: string, options?: { busyTimeoutMs?: number }): Promise<Store>;
  /** Moves a damaged store's files out of the way, whole, and says where they are now. */
  setAside(folder: string): Promise<string>;
}
