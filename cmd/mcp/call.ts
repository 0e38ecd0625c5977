import { AtomicError } from "../../core/errors.ts";
import { externalTool } from "../../core/mcp-client/external-tool.ts";
import type { Invocation } from "../command.ts";
import { readContent } from "../content.ts";
import { parseJson } from "../json-input.ts";
import { runInputs } from "../tool-command.ts";
import { version } from "../version.ts";
import { timeOf } from "./client.ts";

export async function call(invocation: Invocation): Promise<number> {
  const { operands, flags, program } = invocation;
  const [server, tool, json = "{}"] = operands;
  const text = json === "-" ? await readContent(json, "atomic mcp call", program) : json;
  const input = text.trim() === "" ? {} : parseJson(text);
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AtomicError("usage.input", "The input of a tool must be a JSON object.");
  }
  const called = externalTool(
    { server: server!, tool: tool! },
    {
      version,
      offline: flags["offline"] === true,
      isApproved: flags["yes"] === true,
      time: timeOf(invocation),
      isPlain: flags["plain"] === true,
    },
  );
  const options = { dryRun: false, partial: false, force: false, unlimited: false };
  return runInputs(called, [input], options, invocation);
}
