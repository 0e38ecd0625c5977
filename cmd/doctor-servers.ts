// The MCP servers that are configured, for `atomic doctor`: none is started.

import { asAtomicError } from "../core/errors.ts";
import { describeDefinition, kindText } from "../core/mcp-client/describe.ts";
import { expandDefinition } from "../core/mcp-client/expand.ts";
import { loadServers, placeText, type Server } from "../core/mcp-client/servers.ts";
import { showName } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import { cleanLine } from "../core/text/untrusted.ts";
import type { Finding } from "./doctor-machine.ts";
import type { Settings } from "./settings.ts";
import { configOf } from "./tool-command.ts";
import { shellWord } from "../core/mcp-client/words.ts";

export async function checkServers(
  host: Host,
  settings: Settings,
  notice: (text: string) => void,
): Promise<readonly Finding[]> {
  const check = "MCP servers";
  try {
    const { cwd } = host.env;
    const config = await configOf(host, settings, notice)();
    const { servers, hidden, unusable, problems, book } = await loadServers({ cwd, config }, host);
    book.close();
    const findings: Finding[] = [
      ...servers.map((server) => findingOf(server, host)),
      ...hidden.map(({ name, definition }) => ({
        check: "MCP server",
        result: "note" as const,
        found: `${showName(name)} of ${placeText(definition.source, cwd)} is hidden by another server of that name.`,
        hint: "Rename one of them.",
      })),
      ...unusable.map(({ name, source, reason }) => ({
        check: "MCP server",
        result: "wrong" as const,
        found: `${showName(name)} of ${placeText(source, cwd)} cannot be used: ${reason}.`,
        hint: "Correct it there.",
      })),
      ...problems.map(({ file, reason }) => ({
        check,
        result: "wrong" as const,
        found: `${showName(file)} was left out: ${reason}.`,
        hint: "Correct it, or leave its program out of `mcpImports`.",
      })),
    ];
    return findings.length > 0 ? findings : [{ check, result: "ok", found: "none configured" }];
  } catch (thrown) {
    const { message } = asAtomicError(thrown);
    return [{ check, result: "wrong", found: message }];
  }
}

function findingOf({ name, definition, isTrusted }: Server, { env }: Host): Finding {
  const { source } = definition;
  const { target } = describeDefinition(definition);
  const what = `${showName(name)} (${kindText(definition)}, ${cleanLine(target, 80)}) of ${placeText(source, env.cwd)}`;
  const check = "MCP server";
  if (definition.isDisabled) return { check, result: "note", found: `${what} is switched off` };
  if (!isTrusted) {
    return {
      check,
      result: "note",
      found: `${what} is not trusted, so it is not started.`,
      hint: `Look at it with \`atomic mcp trust ${shellWord(name)}\`.`,
    };
  }
  const { missing, unusable } = expandDefinition(definition, env);
  if (unusable !== undefined) return { check, result: "note", found: `${what}: ${unusable}` };
  if (missing.length > 0) {
    return {
      check,
      result: "note",
      found: `${what} needs ${missing.map((each) => `$${each}`).join(", ")}, not set.`,
      hint: "Set it, or give a default: ${NAME:-default}.",
    };
  }
  const why = source.isWorkspace ? "trusted" : "the user's own";
  const asks = definition.isUntrusted ? ", asks before calls that are not read-only" : "";
  return { check, result: "ok", found: `${what}, ${why}${asks}` };
}
