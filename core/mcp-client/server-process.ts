// A server that we start: one JSON-RPC message a line over its input and output (the protocol's stdio binding). Whatever it
// does, it ends with all that it started.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { ProcessError, type RunningProcess } from "../ports/processes.ts";
import { endTree, MARK } from "../shell/end-tree.ts";
import { cleanUntrusted } from "../text/untrusted.ts";
import type { Definition } from "./definition.ts";
import type { Redact } from "./redact.ts";

export interface ServerTransport extends Transport {
  /** Why the connection broke, in our words; undefined while it stands. */
  failure(): AtomicError | undefined;
  /** The last of what it wrote to its error output, cleaned; "" for a server that is reached by URL. */
  errors(): string;
}

type Ports = Pick<Host, "processes" | "clock" | "random" | "env">;

/**
 * What a server gets of our environment beside what its definition gives it: what programs need to run at all, and nothing
 * that is likely to be a secret.
 */
const INHERITED =
  `HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE TZ TMPDIR LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES
  LC_NUMERIC LC_TIME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE APPDATA COMSPEC HOMEDRIVE
  HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROCESSOR_ARCHITECTURE PROGRAMFILES PROGRAMFILES(X86)
  PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR`.split(/\s+/);

/**
 * @param definition expanded, with a command
 * @param folder absolute: where it runs, and where a program with a "/" in its name is looked for
 */
export function processTransport(
  { name, transport: plan }: Definition,
  folder: string,
  redact: Redact,
  ports: Ports,
): ServerTransport {
  if (plan.kind !== "stdio") throw new TypeError("a server with a command is needed");
  const { processes, clock } = ports;
  const mark = `mcp_${ports.random.hex(16)}`;
  const shown = showName(name);
  let child: RunningProcess | undefined;
  let failure: AtomicError | undefined;
  let closing: Promise<void> | undefined;
  let errors = "";
  // One message after the other, whole.
  let writing: Promise<unknown> = Promise.resolve();

  function broken(code: "mcp.unavailable" | "mcp.too_large", problem: string): void {
    failure ??= new AtomicError(code, `The MCP server ${shown} ${problem}.`, {
      data: { server: name },
    });
    void transport.close();
  }

  async function pump(running: RunningProcess): Promise<void> {
    const lines = lineReader();
    let junk = 0;
    for await (const chunk of running.stdout) {
      const found = lines.push(chunk);
      if (lines.isTooLong()) return broken("mcp.too_large", lines.isTooLong()!);
      for (const line of found) {
        if (closing) return;
        const message = messageOf(line);
        if (message !== undefined) {
          try {
            transport.onmessage?.(message);
          } catch (thrown) {
            transport.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
          }
        } else if (line.trim() !== "" && ++junk > limits.mcpServerJunk) {
          return broken(
            "mcp.unavailable",
            `does not speak the protocol: more than ${limits.mcpServerJunk} lines of its output are no messages`,
          );
        }
      }
    }
    await gone(running);
  }

  /** Its output is closed: most often since it has ended. */
  async function gone(running: RunningProcess): Promise<void> {
    const done = new AbortController();
    const end = await Promise.race([
      running.ended,
      clock.sleep(limits.mcpParting, done.signal).catch(() => undefined),
    ]);
    done.abort();
    if (closing) return;
    broken(
      "mcp.unavailable",
      end === undefined
        ? "has closed its output"
        : `has ended with ${end.signal === undefined ? `status ${end.code}` : `signal ${end.signal}`}`,
    );
  }

  async function gather(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of chunks) {
      errors = (errors + decoder.decode(chunk, { stream: true })).slice(
        -2 * limits.mcpServerErrors,
      );
    }
  }

  const transport: ServerTransport = {
    failure: () => failure,
    errors: () => redact(cleanUntrusted(errors).text).slice(-limits.mcpServerErrors).trim(),
    async start() {
      const { command, args, env, inherits } = plan;
      const program = /[\\/]/.test(command) && !/^(?:[\\/]|[A-Za-z]:)/.test(command);
      try {
        child = await processes.start({
          program: program ? `${folder}/${command}` : command,
          args,
          cwd: folder,
          inherits: [...INHERITED, ...inherits],
          env: { ...env, [MARK]: mark },
        });
      } catch (thrown) {
        if (!(thrown instanceof ProcessError)) throw thrown;
        const problem =
          thrown.code === "ENOTDIR"
            ? `${showName(folder)} is no folder`
            : thrown.code === "ENOENT"
              ? `${showName(redact(command))} was not found`
              : `${showName(redact(command))}: ${thrown.code}`;
        failure = new AtomicError(
          "mcp.start",
          `Could not start the MCP server ${shown}: ${problem}.`,
          {
            cause: thrown,
            data: { server: name },
          },
        );
        throw failure;
      }
      // Neither rejects: to whoever reads, a failing pipe has ended.
      void gather(child.stderr).catch(() => {});
      void pump(child).catch((thrown: unknown) =>
        broken("mcp.unavailable", `failed: ${String(thrown)}`),
      );
      void child.ended.then(() => gone(child!));
    },
    async send(message: JSONRPCMessage) {
      const running = child;
      if (!running || failure) throw failure ?? new Error("not started");
      const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
      const sent = writing.then(() => running.stdin.write(bytes));
      writing = sent.catch(() => {});
      if (!(await sent)) await gone(running);
      if (failure) throw failure;
    },
    close() {
      closing ??= shut();
      return closing;
    },
  };

  async function shut(): Promise<void> {
    const running = child;
    if (running) {
      const leader = await processes.find(running.pid);
      running.stdin.close();
      const done = new AbortController();
      await Promise.race([
        running.ended,
        clock.sleep(limits.mcpParting, done.signal).catch(() => undefined),
      ]);
      done.abort();
      await endTree(
        {
          group: running.pid,
          mark,
          async isGroupOurs() {
            const now = await processes.find(running.pid);
            return now === undefined || leader === undefined || now.started === leader.started;
          },
        },
        ports,
      );
      running.release();
    }
    transport.onclose?.();
  }

  return transport;
}

function messageOf(line: string): JSONRPCMessage | undefined {
  if (!/^\s*[{[]/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isOne = typeof value === "object" && value !== null && "jsonrpc" in value;
    return isOne ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

interface LineReader {
  push(chunk: Uint8Array): readonly string[];
  /** The end of a sentence about the server; undefined while all is well. */
  isTooLong(): string | undefined;
}

function lineReader(): LineReader {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  return {
    push(chunk) {
      const lines: string[] = [];
      total += chunk.length;
      let from = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
        keep(chunk.subarray(from, at));
        if (length <= limits.mcpServerMessage) lines.push(decoder.decode(joined(parts, length)));
        else return lines;
        parts = [];
        length = 0;
        from = at + 1;
      }
      keep(chunk.subarray(from));
      return lines;
    },
    isTooLong() {
      if (length > limits.mcpServerMessage) {
        return `sent a message of more than ${limits.mcpServerMessage} bytes`;
      }
      if (total > limits.mcpServerBytes) return `sent more than ${limits.mcpServerBytes} bytes`;
      return undefined;
    },
  };
  function keep(part: Uint8Array): void {
    length += part.length;
    if (length > limits.mcpServerMessage) parts = [];
    else if (part.length > 0) parts.push(part.slice());
  }
}

const LF = 0x0a;

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
