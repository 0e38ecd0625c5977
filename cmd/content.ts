import { AtomicError } from "../core/errors.ts";
import { resolvePath, showName } from "../core/paths.ts";
import { FsError } from "../core/ports/fs.ts";
import { decode, fromStored } from "../core/text/encoding.ts";
import type { Program } from "./command.ts";

/**
 * The text of a file argument: a file's, or standard input's where it is "-" or absent. A terminal is never waited for.
 * @param usage the command, for the hint
 * @throws AtomicError usage.command where only a terminal could give it
 */
export async function readContent(
  file: string | undefined,
  usage: string,
  program: Program,
): Promise<string> {
  return textOf(await bytesOf(file, usage, program), sourceOf(file));
}

/**
 * A list of names. A name need not be UTF-8: what is not stands in it as the file system's port has it.
 * @throws AtomicError as `readContent`
 */
export async function readNames(file: string, usage: string, program: Program): Promise<string> {
  const bytes = await bytesOf(file, usage, program);
  const decoded = decode(bytes);
  return decoded && decoded.encoding !== "8-bit" ? decoded.text : fromStored(bytes);
}

function sourceOf(file: string | undefined): string {
  return file === undefined || file === "-" ? "standard input" : file;
}

async function bytesOf(
  file: string | undefined,
  usage: string,
  program: Program,
): Promise<Uint8Array> {
  if (file !== undefined && file !== "-") return readFile(file, program);
  const { stdin } = program.stdio;
  if (!stdin.isTerminal) return stdin.read();
  throw new AtomicError("usage.command", "Standard input is a terminal, and no file was named.", {
    hint: `Usage: ${usage} FILE, or pipe the text in: ${usage} <<'EOF'. See \`${usage} --help\`.`,
  });
}

/**
 * What a tool is to write, byte for byte, from standard input. A terminal is never waited for.
 * @throws AtomicError usage.command
 */
export async function readContentBytes(
  usage: string,
  { stdio: { stdin } }: Program,
): Promise<Uint8Array> {
  if (!stdin.isTerminal) return stdin.read();
  throw new AtomicError(
    "usage.command",
    "Standard input is a terminal, and --content was not given.",
    {
      hint: `Usage: ${usage} TARGET --content TEXT, or pipe the content in. See \`${usage} --help\`.`,
    },
  );
}

async function readFile(file: string, program: Program): Promise<Uint8Array> {
  const { fs, env } = await program.host();
  const path = resolvePath(file, env.cwd);
  try {
    const found = await fs.read(path);
    if (found) return found.bytes;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    const irregular = thrown.code === "ENOTREG" || thrown.code === "EISDIR";
    throw new AtomicError(
      irregular ? "file.not_regular" : "file.unreadable",
      `Could not read the file "${showName(file)}". Error code: ${thrown.code}.`,
      { cause: thrown, ...(irregular && { hint: "Pipe it in instead, and name no file." }) },
    );
  }
  throw new AtomicError("file.not_found", `File not found: ${showName(file)}`, { data: { path } });
}

function textOf(bytes: Uint8Array, from: string): string {
  const decoded = decode(bytes);
  if (decoded && decoded.encoding !== "8-bit") return decoded.text;
  throw new AtomicError(
    "usage.input",
    `The text from ${showName(from)} is not valid UTF-8, so it would not be what it says.`,
  );
}
