// The one door to every tool. The command line and MCP both come through here, so both see the same checks.

import * as v from "valibot";

import { aborted, asAtomicError, AtomicError } from "./errors.ts";
import { fieldsOf } from "./fields.ts";
import { found, wanted } from "./input-words.ts";
import { limits } from "./limits.ts";
import { showName } from "./paths.ts";
import { FsError } from "./ports/fs.ts";
import type { Host } from "./ports/host.ts";
import { guardWrites, type Policy } from "./policy.ts";
import { registry } from "./registry.ts";
import { didYouMean } from "./text/nearest.ts";
import type { AnyTool, CallRequest, OwnTool, Rendered } from "./tool.ts";

/** What came of a call. A call never throws. */
export type Outcome =
  | {
      readonly ok: true;
      readonly rendered: Rendered;
      readonly details: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly error: AtomicError };

/** Checks the input against the tool's schema and the call against the policy, runs the tool and wraps what came of it. */
export async function callTool(
  tool: AnyTool,
  input: unknown,
  ports: Host,
  call: CallRequest,
  policy: Policy,
): Promise<Outcome> {
  try {
    if (call.signal.aborted) throw aborted(call.signal.reason);
    const checked = checkInput(tool, input);
    const { fs } = ports;
    const { cwd, options } = call;
    const allowWrite = guardWrites(tool, policy, { fs, cwd, dryRun: options.dryRun });
    const mayExecute = !policy.readOnly && policy.plan === undefined;
    const hasTool = (name: string) =>
      call.tools?.includes(name) ?? registry.some((row) => row.name === name);
    const data = await tool.run(checked, ports, {
      ...call,
      allowWrite,
      mayExecute,
      hasTool,
      ownTools,
    });
    const rendered = await fitting(tool.render(data), tool, ports, call);
    return { ok: true, rendered, details: tool.details(data) };
  } catch (thrown) {
    return { ok: false, error: failure(thrown, call.signal) };
  }
}

/** Loaded only for those who ask. */
async function ownTools(): Promise<readonly OwnTool[]> {
  const [{ registry }, { describeTool }] = await Promise.all([
    import("./registry.ts"),
    import("./tool-schema.ts"),
  ]);
  return Promise.all(registry.map(async (row) => describeTool(await row.load())));
}

/** Text that is too long for an answer, kept in a file and told by its beginning; a pipeline takes text of any length. */
async function fitting(
  rendered: Rendered,
  { name, isBounded = false }: AnyTool,
  ports: Host,
  { options, sessionFolder }: CallRequest,
): Promise<Rendered> {
  if (isBounded || options.unlimited || !("text" in rendered)) return rendered;
  if (rendered.text.length <= limits.persistCharacters) return rendered;
  const { persistText } = await import("./persist/persisted.ts");
  const kept = { tool: name, folder: sessionFolder };
  return { ...rendered, text: await persistText(rendered.text, kept, ports) };
}

/** An adapter may give up on an abort with any error of its own; ours keep what they say. */
function failure(thrown: unknown, signal: AbortSignal): AtomicError {
  if (thrown instanceof AtomicError) return thrown;
  if (signal.aborted) return aborted(thrown);
  return thrown instanceof FsError ? outOfReach(thrown) : asAtomicError(thrown);
}

/** A look at a file on the way to the target, of which no tool has more to say. */
function outOfReach(thrown: FsError): AtomicError {
  const { code, path } = thrown;
  return new AtomicError(
    "file.unreadable",
    `The operating system gives no access to ${showName(path)} (error code ${code}).`,
    { cause: thrown, data: { path, errno: code } },
  );
}

function checkInput(tool: AnyTool, input: unknown): unknown {
  // Valibot takes a list for an object without keys.
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AtomicError(
      "usage.input",
      `The input of ${tool.name} must be an object, but got ${found(input)}. ${allowed(tool)}`,
      { data: { tool: tool.name } },
    );
  }
  // `__proto__` is an own key in JSON and none to an object literal: no schema sees it.
  const result = Object.hasOwn(input, "__proto__")
    ? undefined
    : v.safeParse(tool.input, input, { abortPipeEarly: true });
  if (result?.success) return result.output;
  const problems = result
    ? result.issues.map((issue) => problem(tool, issue))
    : [unknownField(tool, "__proto__")];
  // A misspelt field is missing under its own name as well; the misspelling is what helps.
  const sorted = problems.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const sentences = sorted.map(({ message }) => message);
  if (sorted[0]!.kind !== "wrong") sentences.push(allowed(tool));
  throw new AtomicError("usage.input", sentences.join(" "), {
    data: { tool: tool.name, field: sorted[0]!.field },
  });
}

/** In the order in which to tell them. */
const kinds = ["unknown", "missing", "wrong"] as const;

interface Problem {
  readonly kind: (typeof kinds)[number];
  readonly field: string;
  readonly message: string;
}

function problem(tool: AnyTool, issue: v.BaseIssue<unknown>): Problem {
  const path = (issue.path ?? []).map(({ key }) => key as string | number);
  const field = path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./, "");
  if (issue.type === "strict_object" && issue.expected === "never") {
    return unknownField(tool, String(path.at(-1)));
  }
  if (issue.type === "strict_object" && issue.received === "undefined") {
    return { kind: "missing", field, message: `Field "${field}" is missing.` };
  }
  // Where the schema brings words of its own, they say it best.
  const message = issue.message.startsWith("Invalid ")
    ? `Field "${field}" must be ${wanted(issue)}, but got ${found(issue.input)}.`
    : `Field "${field}": ${issue.message}`;
  return { kind: "wrong", field, message };
}

function unknownField(tool: AnyTool, field: string): Problem {
  const known = fieldsOf(tool.input).map(({ name }) => name);
  return {
    kind: "unknown",
    field,
    message: `Unknown field "${field}"${didYouMean(field, known) || "."}`,
  };
}

function allowed(tool: AnyTool): string {
  const fields = fieldsOf(tool.input).map(({ name, required }) => (required ? name : `${name}?`));
  return `The fields of ${tool.name} are: ${fields.join(", ")}.`;
}
