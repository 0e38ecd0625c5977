// The folder that a client works in: the first of its roots that is a folder here. It is asked for with the first call, on
// the stream of that call: only there a client of any transport can be sure to hear it.

import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as v from "valibot";

import { limits } from "../limits.ts";
import type { Fs } from "../ports/fs.ts";

export interface RootsOptions {
  readonly fs: Pick<Fs, "stat">;
  /** Diagnostics. */
  notice(text: string): void;
}

/** The key of the question in a result that asks the client for input (protocol 2026-07-28). */
const KEY = "roots";

const rootsResult = v.looseObject({ roots: v.array(v.looseObject({ uri: v.string() })) });

type McpReq = ServerContext["mcpReq"];

export class Roots {
  readonly #options: RootsOptions;
  #known: Promise<string | undefined> | undefined;

  constructor(options: RootsOptions) {
    this.#options = options;
  }

  /** The client says that its roots are others now. */
  forget(): void {
    this.#known = undefined;
  }

  /**
   * For a client that was initialized.
   * @param hasRoots whether it said that it has roots
   */
  async of(hasRoots: boolean, mcpReq: McpReq): Promise<string | undefined> {
    if (!hasRoots) return undefined;
    if (this.#known) return this.#known;
    const asked = this.#ask(mcpReq);
    this.#known = asked;
    // The call that carried the question was cancelled: the next one asks again.
    const root = await asked;
    if (mcpReq.signal.aborted && this.#known === asked) this.#known = undefined;
    return root;
  }

  /**
   * For a client of the protocol without an initialization, whose every request stands alone.
   * @param remembers whether one client has this connection for itself
   * @returns the folder, or the result that asks for it
   */
  async ofRequest(
    mcpReq: McpReq,
    remembers: boolean,
  ): Promise<{ readonly root: string | undefined } | { readonly ask: InputRequiredResult }> {
    const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
    if ((capabilities as { readonly roots?: unknown } | undefined)?.roots === undefined) {
      return { root: undefined };
    }
    if (remembers && this.#known) return { root: await this.#known };
    const answer = inputResponse(mcpReq.inputResponses, KEY);
    if (answer.kind === "roots") {
      const found = this.#first(answer.roots);
      if (remembers) this.#known = found;
      return { root: await found };
    }
    // Asked once it has answered something else, it will not do better the second time.
    if (mcpReq.inputResponses !== undefined) return { root: undefined };
    return { ask: inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }) };
  }

  async #ask({ send }: McpReq): Promise<string | undefined> {
    try {
      // Not the protocol's own schema, by which one root of a foreign scheme would make all of them void.
      const { roots } = await send({ method: "roots/list" }, rootsResult, {
        timeout: limits.mcpRootsTime,
      });
      return await this.#first(roots);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      this.#options.notice(`MCP: the client's roots are not known: ${why}`);
      return undefined;
    }
  }

  async #first(roots: readonly { readonly uri: string }[]): Promise<string | undefined> {
    for (const { uri } of roots) {
      const path = pathOf(uri);
      if (path === undefined) continue;
      const facts = await this.#options.fs.stat(path).catch(() => undefined);
      if (facts?.kind === "directory") return path;
    }
    if (roots.length > 0) {
      this.#options.notice("MCP: none of the client's roots is a folder here; they are not used.");
    }
    return undefined;
  }
}

function pathOf(uri: string): string | undefined {
  try {
    const { protocol, pathname } = new URL(uri);
    if (protocol !== "file:") return undefined;
    return decodeURIComponent(pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  } catch {
    return undefined;
  }
}
