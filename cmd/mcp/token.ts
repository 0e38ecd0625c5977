// The bearer token of the HTTP endpoint: never on the command line, where every process of the machine could read it.

import { AtomicError } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { showName } from "../../core/paths.ts";
import { FsError } from "../../core/ports/fs.ts";
import type { Host } from "../../core/ports/host.ts";

export const TOKEN_VARIABLE = "ATOMIC_MCP_TOKEN";

export interface Token {
  readonly token: string;
  /** Made for this server alone, and told nowhere yet. */
  readonly isNew: boolean;
}

type Ports = Pick<Host, "fs" | "env" | "random">;

/**
 * The file's, else the variable's, else a new one. A file that does not exist is made, with a new token.
 * @param file absolute
 * @throws AtomicError `usage.command`
 */
export async function tokenOf(file: string | undefined, ports: Ports): Promise<Token> {
  if (file !== undefined) return { token: await tokenInFile(file, ports), isNew: false };
  const given = ports.env.get(TOKEN_VARIABLE);
  if (given !== undefined)
    return { token: checked(given.trim(), `$${TOKEN_VARIABLE}`), isNew: false };
  return { token: newToken(ports), isNew: true };
}

async function tokenInFile(file: string, ports: Ports): Promise<string> {
  const { fs, env } = ports;
  const shown = showName(file);
  try {
    const found = await fs.read(file, 4 * 1024);
    if (!found) {
      const token = newToken(ports);
      await fs.create(file, new TextEncoder().encode(`${token}\n`), { mode: 0o600 });
      return token;
    }
    if (env.uid >= 0 && found.stat.uid !== env.uid) {
      throw wrong(`The token file ${shown} belongs to another user.`, "Name one of your own.");
    }
    if (env.uid >= 0 && (found.stat.mode & 0o077) !== 0) {
      throw wrong(
        `Other users may open the token file ${shown}.`,
        "Make it private (chmod 600), and put a new token into it.",
      );
    }
    return checked(new TextDecoder().decode(found.bytes).trim(), `The token file ${shown}`);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    throw wrong(`The token file ${shown} cannot be used: ${thrown.code}.`, "Name another one.");
  }
}

function newToken({ random }: Pick<Ports, "random">): string {
  return random.hex(32);
}

function checked(token: string, from: string): string {
  if (token.length >= limits.mcpToken && /^[\x21-\x7e]+$/.test(token)) return token;
  throw wrong(
    `${from} must hold a token of at least ${limits.mcpToken} letters, digits or signs, without blanks.`,
    "`openssl rand -hex 32` makes one.",
  );
}

function wrong(message: string, hint: string): AtomicError {
  return new AtomicError("usage.command", message, { hint });
}
