// The read and write tools over archives in memory, in one session.

import { readFileSync } from "node:fs";

import type { MemoryEntry } from "../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../adapters/memory/host.ts";
import { callTool } from "../../core/call.ts";
import type { AtomicError } from "../../core/errors.ts";
import type { Policy } from "../../core/policy.ts";
import { openSession } from "../../core/session/open.ts";
import type { AnyTool, CallOptions } from "../../core/tool.ts";
import { read } from "../../core/tools/read.ts";
import { write } from "../../core/tools/write.ts";
import { callFor } from "./call.ts";

export interface ArchiveWorld {
  readonly host: MemoryHost;
  readonly notices: string[];
  /** The answer's text (bytes as Latin-1), or the code and the message of the refusal. */
  read(target: string): Promise<string>;
  details(target: string): Promise<Readonly<Record<string, unknown>>>;
  write(target: string, content: string, options?: Partial<CallOptions>): Promise<string>;
  writeDetails(target: string, content: string): Promise<Readonly<Record<string, unknown>>>;
  failure(target: string): Promise<AtomicError>;
}

export async function archiveWorld(
  files: Readonly<Record<string, MemoryEntry>>,
  {
    policy = { readOnly: false },
    workspace = "/work",
  }: { readonly policy?: Policy; readonly workspace?: string } = {},
): Promise<ArchiveWorld> {
  const host = memoryHost({ files });
  const session = await openSession(host, { folder: "/home/me/s", id: "s", notice: () => {} });
  const notices: string[] = [];
  const call = callFor({
    cwd: "/work",
    session: async () => session,
    workspace: async () => workspace,
    notice: (text) => void notices.push(text),
  });
  function outcome(tool: AnyTool, input: unknown, options: Partial<CallOptions> = {}) {
    const own = { ...call, options: { ...call.options, ...options } };
    return callTool(tool, input, host, own, policy);
  }
  async function answer(...given: Parameters<typeof outcome>): Promise<string> {
    const result = await outcome(...given);
    if (!result.ok) return `${result.error.code}: ${result.error.message}`;
    const { rendered } = result;
    return "text" in rendered ? rendered.text : Buffer.from(rendered.bytes).toString("latin1");
  }
  async function details(...given: Parameters<typeof outcome>) {
    const result = await outcome(...given);
    if (!result.ok) throw result.error;
    return result.details;
  }
  return {
    host,
    notices,
    read: (path) => answer(read, { path }),
    details: (path) => details(read, { path }),
    write: (path, content, options) => answer(write, { path, content }, options),
    writeDetails: (path, content) => details(write, { path, content }),
    async failure(path) {
      const result = await outcome(read, { path });
      if (result.ok) throw new Error(`${path} was read`);
      return result.error;
    },
  };
}

/** A file of a case, such as "B032/zip64.zip". */
export function caseFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../fixtures/cases/${name}`, import.meta.url)));
}
