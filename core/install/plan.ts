// What a settings file becomes when our server is put into it or taken out. Pure: text in, text out.

import { AtomicError } from "../errors.ts";
import { JsoncError } from "../text/jsonc.ts";
import type { InstallHost } from "./hosts.ts";
import { dropEntry, EntryError, isSame, putEntry, readEntry } from "./json-entry.ts";

export interface Wanted {
  readonly host: InstallHost;
  /** Of the server in the host's file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** An entry of that name that starts something else may be replaced. */
  readonly force: boolean;
}

export interface Plan {
  readonly outcome: "added" | "updated" | "replaced" | "removed" | "unchanged";
  /** Undefined: the file is to go. */
  readonly text: string | undefined;
}

/**
 * @param text undefined where there is no file
 * @param shown the file's name for messages
 * @throws AtomicError `install.invalid`, `install.foreign`
 */
export async function planInstall(
  text: string | undefined,
  wanted: Wanted,
  shown: string,
): Promise<Plan> {
  const { host, command, args, force } = wanted;
  return guarded(shown, async () => {
    const writer = await writerOf(wanted);
    const managed = host.entry(command, args);
    const was = writer.read(text ?? "");
    if (was === undefined) {
      const added = writer.put(text ?? "", { ...managed, ...host.initial }, false);
      return { outcome: "added", text: added };
    }
    if (!isOurs(was)) {
      if (!force) throw foreign(wanted, shown);
      const replaced = writer.put(text!, { ...managed, ...host.initial }, true);
      return { outcome: "replaced", text: replaced };
    }
    const updated = writer.put(text!, managed, false);
    return { outcome: updated === text ? "unchanged" : "updated", text: updated };
  });
}

/**
 * @param before what the file has been, the newest first: given back where nothing but our entry came since
 * @throws AtomicError `install.invalid`, `install.foreign`
 */
export async function planUninstall(
  text: string | undefined,
  wanted: Omit<Wanted, "command" | "args">,
  shown: string,
  before: readonly string[],
): Promise<Plan> {
  return guarded(shown, async () => {
    const writer = await writerOf(wanted);
    const was = writer.read(text ?? "");
    if (was === undefined) return { outcome: "unchanged", text };
    if (!isOurs(was) && !wanted.force) throw foreign(wanted, shown);
    const entry = was as Readonly<Record<string, unknown>>;
    // One that we only added to is what it was, empty objects and all; one that we made goes.
    for (const earlier of isOurs(was) ? before : []) {
      if (leadsTo(text!, earlier, entry, writer)) return { outcome: "removed", text: earlier };
    }
    if (isOurs(was) && writer.put("", entry, false) === text) {
      return { outcome: "removed", text: undefined };
    }
    return { outcome: "removed", text: writer.drop(text!) };
  });
}

/** Whether that text with the entry is this one. */
function leadsTo(
  text: string,
  earlier: string,
  entry: Readonly<Record<string, unknown>>,
  writer: Writer,
): boolean {
  try {
    return writer.read(earlier) === undefined && writer.put(earlier, entry, false) === text;
  } catch (thrown) {
    if (thrown instanceof JsoncError || thrown instanceof EntryError) return false;
    throw thrown;
  }
}

/** The snippet that a person would put into the file. */
export async function snippet(wanted: Omit<Wanted, "force">): Promise<string> {
  const { host, command, args } = wanted;
  const writer = await writerOf(wanted);
  return writer.put("", { ...host.entry(command, args), ...host.initial }, false);
}

interface Writer {
  read(text: string): unknown;
  put(text: string, entry: Readonly<Record<string, unknown>>, replaces: boolean): string;
  drop(text: string): string;
}

/** Whatever it writes is read again: nothing but the entry may have changed. */
async function writerOf({ host, name }: Pick<Wanted, "host" | "name">): Promise<Writer> {
  const path = [...host.path, name];
  if (host.format === "toml") {
    const toml = await import("./toml-entry.ts");
    return checked(path, toml.parseToml, {
      read: (text) => toml.readTomlEntry(text, path),
      put: (text, entry, replaces) => toml.putTomlEntry(text, path, entry, { replaces }),
      drop: (text) => toml.dropTomlEntry(text, path),
    });
  }
  const isStrict = host.format === "json";
  return checked(path, (text) => readEntry(text, [], isStrict), {
    read: (text) => readEntry(text, path, isStrict),
    put: (text, entry, replaces) => putEntry(text, path, entry, { isStrict, replaces }),
    drop: (text) => dropEntry(text, path, isStrict),
  });
}

function checked(
  path: readonly string[],
  parse: (text: string) => unknown,
  writer: Writer,
): Writer {
  // Of what was written a mistake is ours: its place would say nothing about the user's file.
  const again = (text: string) => {
    try {
      return parse(text);
    } catch {
      throw unable(path);
    }
  };
  return {
    read: writer.read,
    put(text, entry, replaces) {
      const kept = replaces ? {} : writer.read(text);
      const now = writer.put(text, entry, replaces);
      const wanted = isRecord(kept) ? { ...kept, ...entry } : entry;
      hold(withEntry(parse(text), path, wanted), again(now), path);
      return now;
    },
    drop(text) {
      const now = writer.drop(text);
      hold(withEntry(parse(text), path, undefined), withEntry(again(now), path, undefined), path);
      if (writer.read(now) !== undefined) throw unable(path);
      return now;
    },
  };
}

function hold(wanted: unknown, found: unknown, path: readonly string[]): void {
  if (!isSame(wanted, found)) throw unable(path);
}

function unable(path: readonly string[]): EntryError {
  return new EntryError(`${path.join(".")} cannot be changed by itself here, so change it by hand`);
}

/** A copy with the entry, or without it; objects that are empty then go with it. */
function withEntry(value: unknown, [key, ...rest]: readonly string[], entry: unknown): unknown {
  if (key === undefined) return entry;
  const { [key]: inner, ...others } = isRecord(value) ? value : {};
  const changed = withEntry(inner, rest, entry);
  const isGone = changed === undefined || (entry === undefined && isEmpty(changed));
  return isGone ? others : { ...others, [key]: changed };
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** It starts `atomic mcp serve`, wherever that is. */
function isOurs(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  const { command, args } = entry;
  const words = [command, args ?? []].flat();
  return (
    typeof words[0] === "string" &&
    /(?:^|[\\/])atomic(?:\.exe)?$/.test(words[0]) &&
    words[1] === "mcp" &&
    words[2] === "serve"
  );
}

function foreign({ host, name }: Pick<Wanted, "host" | "name">, shown: string): AtomicError {
  return new AtomicError(
    "install.foreign",
    `${shown} has a server ${JSON.stringify(name)} of ${host.title} that is not \`atomic mcp serve\`.`,
    { hint: "Use another --name, or --force to replace it all the same." },
  );
}

async function guarded(shown: string, work: () => Promise<Plan>): Promise<Plan> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof JsoncError) && !(thrown instanceof EntryError)) throw thrown;
    throw new AtomicError("install.invalid", `Could not change ${shown}: ${thrown.message}.`, {
      cause: thrown,
      hint: "Mend the file, then run this again.",
    });
  }
}
