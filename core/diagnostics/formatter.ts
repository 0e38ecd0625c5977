// A formatter as a program: text in on standard input and out on standard output, or a file rewritten where it lies.

import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { RunningProcess } from "../ports/processes.ts";
import {
  endHelper,
  endText,
  gatherText,
  type HelperCommand,
  HelperFailure,
  startHelper,
  until,
} from "./helper.ts";

/** Stands for the file's path in a command. */
export const FILE = "$FILE";

export interface FormatterCommand extends HelperCommand {
  /** Content on standard input, the formatted on standard output. Else it rewrites $FILE, a copy beside the file. */
  readonly stdin: boolean;
}

type Ports = Pick<Host, "processes" | "fs" | "random">;

/**
 * @param file where it lies, absolute, and its content
 * @throws HelperFailure; also where the program has taken a text and given back nothing
 */
export async function runFormatter(
  command: FormatterCommand,
  file: { readonly path: string; readonly bytes: Uint8Array },
  ports: Ports,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const formatted = command.stdin
    ? await throughPipe(command, file, ports, signal)
    : await inCopy(command, file, ports, signal);
  if (formatted.length === 0 && file.bytes.length > 0) {
    throw new HelperFailure("it left nothing of the text");
  }
  return formatted;
}

async function throughPipe(
  command: FormatterCommand,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  ports: Ports,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return running(command, path, ports, signal, async ({ stdin, stdout }) => {
    const output = gatherBytes(stdout);
    // A failure to write is none yet: the program may know enough, or say what is wrong.
    void stdin.write(bytes).then(() => stdin.close());
    return output;
  });
}

/** The copy has the file's extension and folder, by which formatters choose their rules; the sweep knows its name. */
async function inCopy(
  command: FormatterCommand,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  ports: Ports,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { fs, random } = ports;
  const cut = path.lastIndexOf("/") + 1;
  const copy = `${path.slice(0, cut)}.atomic-${random.hex(8)}.tmp.${path.slice(cut)}`;
  try {
    await fs.create(copy, bytes, { mode: 0o600 });
    await running(command, copy, ports, signal, async ({ stdin, stdout }) => {
      stdin.close();
      await gatherText(stdout);
    });
    const formatted = await fs.read(copy, limits.editableFile);
    if (!formatted) throw new HelperFailure("it removed the file that it was given");
    return formatted.bytes;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    throw new HelperFailure(`a copy for it could not be used (${thrown.code})`, { cause: thrown });
  } finally {
    await fs.remove(copy).catch(() => false);
  }
}

/** Runs it to its end; what it still holds then is closed and ended. */
async function running<T>(
  { words, folder }: FormatterCommand,
  path: string,
  ports: Ports,
  signal: AbortSignal,
  work: (child: RunningProcess) => Promise<T>,
): Promise<T> {
  const [program = "", ...args] = words;
  const command = { words: [program, ...args.map((word) => word.replaceAll(FILE, path))], folder };
  const child = await startHelper(command, ports);
  try {
    const errors = gatherText(child.stderr);
    const output = work(child);
    // Where the program's own end is told instead.
    output.catch(() => {});
    // Whichever of the two fails first is told.
    const end = await until(Promise.race([child.ended, output.then(() => child.ended)]), signal);
    if (end.code !== 0) {
      child.kill("SIGKILL");
      throw new HelperFailure(`it ${endText(end, await until(errors, signal))}`);
    }
    return await until(output, signal);
  } finally {
    await endHelper(child);
  }
}

async function gatherBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks) {
    length += part.length;
    if (length > limits.editableFile)
      throw new HelperFailure("it printed more than a file may hold");
    parts.push(part);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
