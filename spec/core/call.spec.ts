import { expect, test } from "bun:test";
import * as v from "valibot";

import { callTool, type Outcome } from "../../core/call.ts";
import { AtomicError } from "../../core/errors.ts";
import type { Host } from "../../core/ports/host.ts";
import { callFor } from "../helpers/call.ts";
import { type AnyTool, type CallRequest, defineTool, type Effect } from "../../core/tool.ts";

const input = v.strictObject({
  path: v.pipe(v.string(), v.nonEmpty("A path must not be empty."), v.description("Where")),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 10),
  deep: v.optional(v.boolean(), false),
  names: v.optional(v.array(v.string())),
  order: v.optional(v.picklist(["name", "size"]), "name"),
});

function tool(
  run: (given: v.InferOutput<typeof input>) => unknown,
  effect: Effect = "read",
): AnyTool {
  return defineTool({
    name: "look",
    summary: "",
    description: "",
    effect,
    input,
    run: async (given) => run(given),
    render: (data) => ({ text: JSON.stringify(data) }),
    details: (data) => ({ data }),
    cli: {},
    examples: [],
  });
}

function callWith(over: { signal?: AbortSignal; dryRun?: boolean } = {}): CallRequest {
  return callFor({
    ...(over.signal && { signal: over.signal }),
    options: { dryRun: over.dryRun ?? false, partial: false, force: false, unlimited: false },
  });
}

const free = { readOnly: false };
const host = {} as Host;

async function failure(outcome: Promise<Outcome>): Promise<AtomicError> {
  const result = await outcome;
  if (result.ok) throw new Error("it did not fail");
  return result.error;
}

test("callTool fills in defaults, runs, renders and gives the details", async () => {
  const outcome = await callTool(
    tool((given) => given),
    { path: "a" },
    host,
    callWith(),
    free,
  );
  const data = { path: "a", limit: 10, deep: false, order: "name" };
  expect(outcome).toEqual({
    ok: true,
    rendered: { text: JSON.stringify(data) },
    details: { data },
  });
});

const fields = "The fields of look are: path, limit?, deep?, names?, order?.";
const refused: readonly (readonly [string, string, string | undefined])[] = [
  ["{}", `Field "path" is missing. ${fields}`, "path"],
  ['{"path":5}', 'Field "path" must be a string, but got the number 5.', "path"],
  ['{"path":null}', 'Field "path" must be a string, but got null.', "path"],
  ['{"path":["a"]}', 'Field "path" must be a string, but got a list.', "path"],
  ['{"path":""}', 'Field "path": A path must not be empty.', "path"],
  ['{"path":"a","limit":"3"}', 'Field "limit" must be a number, but got the string "3".', "limit"],
  [
    '{"path":"a","limit":1.5}',
    'Field "limit" must be a whole number, but got the number 1.5.',
    "limit",
  ],
  ['{"path":"a","limit":0}', 'Field "limit" must be >=1, but got the number 0.', "limit"],
  [
    '{"path":"a","deep":"yes"}',
    'Field "deep" must be true or false, but got the string "yes".',
    "deep",
  ],
  ['{"path":"a","names":"b"}', 'Field "names" must be a list, but got the string "b".', "names"],
  [
    '{"path":"a","names":["b",1]}',
    'Field "names[1]" must be a string, but got the number 1.',
    "names[1]",
  ],
  [
    '{"path":"a","order":"age"}',
    'Field "order" must be one of "name", "size", but got the string "age".',
    "order",
  ],
  [
    '{"pth":"a"}',
    `Unknown field "pth"; did you mean "path"? Field "path" is missing. ${fields}`,
    "pth",
  ],
  ['{"path":"a","lmit":3}', `Unknown field "lmit"; did you mean "limit"? ${fields}`, "lmit"],
  ['{"path":"a","x":3}', `Unknown field "x". ${fields}`, "x"],
  ['{"path":"a","toString":3}', `Unknown field "toString". ${fields}`, "toString"],
  ['{"path":"a","__proto__":{}}', `Unknown field "__proto__". ${fields}`, "__proto__"],
  ["[]", `The input of look must be an object, but got a list. ${fields}`, undefined],
  ["null", `The input of look must be an object, but got null. ${fields}`, undefined],
  ['"a"', `The input of look must be an object, but got the string "a". ${fields}`, undefined],
];

test.each(refused)("callTool refuses the input %s", async (json, message, field) => {
  const never = tool(() => {
    throw new Error("it ran");
  });
  const error = await failure(callTool(never, JSON.parse(json), host, callWith(), free));
  expect([error.code, error.status, error.message]).toEqual(["usage.input", 2, message]);
  expect(error.data["field"]).toBe(field);
});

test("callTool passes our own errors on as they are", async () => {
  const own = new AtomicError("file.not_found", "File not found: a");
  const failing = tool(() => {
    throw own;
  });
  expect(await failure(callTool(failing, { path: "a" }, host, callWith(), free))).toBe(own);
});

test("callTool makes a foreign error internal and keeps its cause", async () => {
  for (const thrown of [new TypeError("x is undefined"), "a word", undefined]) {
    const failing = tool(() => {
      throw thrown;
    });
    const error = await failure(callTool(failing, { path: "a" }, host, callWith(), free));
    expect([error.code, error.status, error.cause]).toEqual(["internal", 1, thrown]);
  }
});

test("callTool makes a failure of render internal too", async () => {
  const broken: AnyTool = {
    ...tool(() => 1),
    render() {
      throw new RangeError("no");
    },
  };
  const error = await failure(callTool(broken, { path: "a" }, host, callWith(), free));
  expect(error.message).toBe("Internal error: no");
});

test("callTool does not begin once the call was cancelled", async () => {
  let ran = false;
  const outcome = callTool(
    tool(() => (ran = true)),
    { path: "a" },
    host,
    callWith({ signal: AbortSignal.abort() }),
    free,
  );
  const error = await failure(outcome);
  expect([error.code, error.message, ran]).toEqual(["aborted", "Operation aborted", false]);
});

test("callTool calls whatever a port threw on cancellation an abort", async () => {
  const controller = new AbortController();
  const failing = tool(() => {
    controller.abort("a reason of its own");
    throw controller.signal.reason;
  });
  const call = callWith({ signal: controller.signal });
  expect((await failure(callTool(failing, { path: "a" }, host, call, free))).message).toBe(
    "Operation aborted",
  );
});

test("callTool in read-only mode lets only readers and dry runs through", async () => {
  const readOnly = { readOnly: true };
  const error = await failure(
    callTool(
      tool(() => 1, "write"),
      { path: "a" },
      host,
      callWith(),
      readOnly,
    ),
  );
  expect([error.code, error.status, error.message]).toEqual([
    "policy.read_only",
    5,
    "Read-only mode: look was refused, since it would write files. Nothing was written.",
  ]);
  const dry = await callTool(
    tool(() => 1, "write"),
    { path: "a" },
    host,
    callWith({ dryRun: true }),
    readOnly,
  );
  const reading = await callTool(
    tool(() => 1),
    { path: "a" },
    host,
    callWith(),
    readOnly,
  );
  expect([dry.ok, reading.ok]).toEqual([true, true]);
});
