// A link on the way to a confined target is turned at every moment of a read or write, and turned back some moments later:
// nothing outside the workspace is shown or changed, whenever it happens.

import { expect, setDefaultTimeout, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import type { Host } from "../../../core/ports/host.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { read } from "../../../core/tools/read.ts";
import { write } from "../../../core/tools/write.ts";
import { zipOf } from "../../helpers/archive-files.ts";
import { callFor } from "../../helpers/call.ts";

setDefaultTimeout(120_000);

interface Outcome {
  /** Calls of the file system that it took. */
  readonly calls: number;
  readonly text: string;
  readonly outside: readonly string[];
}

/** @param turned whether the link leads outside, by the number of calls before */
async function attempt(
  tool: AnyTool,
  input: unknown,
  turned: (calls: number) => boolean,
): Promise<Outcome> {
  const host = memoryHost({
    files: {
      "real/z.zip": zipOf({ f: "inside\n" }),
      "real/f": "inside\n",
      d: { link: "real" },
      "/out/z.zip": zipOf({ f: "SECRET\n" }),
      "/out/f": "SECRET\n",
    },
  });
  const session = await openSession(host, { folder: "/home/me/s", id: "s", notice: () => {} });
  let calls = 0;
  let isOut = false;
  const fs = new Proxy(host.fs, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        const shall = turned(calls++);
        if (shall !== isOut) host.fs.put("/work/d", { link: shall ? "/out" : "real" });
        isOut = shall;
        return value.apply(target, given);
      };
    },
  });
  const call = callFor({
    cwd: "/work",
    session: async () => session,
    workspace: async () => "/work",
    options: { dryRun: false, partial: false, force: true, unlimited: false },
  });
  const watched: Host = { ...host, fs };
  const outcome = await callTool(tool, input, watched, call, { readOnly: false });
  let text = "";
  if (!outcome.ok) text = outcome.error.message;
  else if ("text" in outcome.rendered) text = outcome.rendered.text;
  else text = new TextDecoder().decode(outcome.rendered.bytes);
  const outside = host.fs
    .paths()
    .filter((path) => path.startsWith("/out/"))
    .map((path) => `${path} ${Buffer.from(host.fs.bytesOf(path)!).toString("latin1")}`);
  return { calls, text, outside };
}

/** Turned once for some calls, or again and again. */
function* moments(calls: number): Generator<readonly [string, (calls: number) => boolean]> {
  for (let from = 0; from < calls + 2; from++) {
    for (const length of [1, 3, Infinity]) {
      yield [`${length} from ${from}`, (at) => at >= from && at < from + length];
    }
  }
  for (let period = 2; period <= MOST_PERIOD; period++) {
    for (let phase = 0; phase < period; phase++) {
      for (const length of [1, period >> 1]) {
        yield [`${length} of ${period} from ${phase}`, (at) => (at + phase) % period < length];
      }
    }
  }
}

const MOST_PERIOD = 16;

const targets: readonly (readonly [AnyTool, string])[] = [
  [read, "d/z.zip:f"],
  [read, "d/z.zip"],
  [read, "local://d/f"],
  [read, "local://d/z.zip:f"],
  [write, "d/z.zip:f"],
  [write, "d/z.zip:new"],
  [write, "d/new.zip:f"],
  [write, "local://d/f"],
  [write, "local://d/new"],
  [write, "local://d/z.zip:f"],
];

for (const [tool, path] of targets) {
  test(`${tool.name} ${path}`, async () => {
    const input = tool === read ? { path } : { path, content: "written\n" };
    const quiet = await attempt(tool, input, () => false);
    expect(quiet.calls).toBeGreaterThan(3);
    for (const [name, turned] of moments(quiet.calls)) {
      const { text, outside } = await attempt(tool, input, turned);
      expect([name, text.includes("SECRET"), outside]).toEqual([name, false, [...quiet.outside]]);
    }
  });
}
