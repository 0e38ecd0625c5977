// The folder it is started in must not configure the program: not through the files that Bun itself would load.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { binary, inPlace, type Ran, runPiped } from "./program.ts";

const leak = [
  "ATOMIC_HOME=leaked",
  "ATOMIC_SESSION=leaked",
  "ATOMIC_DEBUG=1",
  "ATOMIC_READ_ONLY=1",
  "NO_COLOR=",
  "FORCE_COLOR=1",
  "HOME=/nonexistent",
  "PATH=/nonexistent",
  "BUN_OPTIONS=--preload=./preload.ts",
  "",
].join("\n");

const hostile = {
  "bunfig.toml":
    'preload = ["./preload.ts"]\nenv = "x"\nlogLevel = "debug"\n[run]\npreload = ["./preload.ts"]\n[define]\n"version" = "\'leaked\'"\n',
  "preload.ts": 'require("fs").writeFileSync("PRELOAD_RAN", "1"); console.log("PRELOAD_RAN");\n',
  ".env": leak,
  ".env.local": leak,
  ".env.production": leak,
  ".env.development": leak,
  ".env.test": leak,
  "tsconfig.json":
    '{"compilerOptions":{"jsx":"nope","paths":{"fs":["./preload"],"node:fs":["./preload.ts"]}},"extends":"./missing"}',
  "jsconfig.json": '{"compilerOptions":{"paths":{"*":["./preload.ts"]}}',
  "package.json": '{"type":"module","name":5,"imports":{"#x":"./preload.ts"},',
  "node_modules/citty/package.json": '{"name":"citty","main":"../../preload.ts"}',
  "node_modules/valibot/package.json": '{"name":"valibot","main":"../../preload.ts"}',
  ".npmrc": "node-options=--require ./preload.ts\n",
};
const text = { "a.txt": "one\ntwo\n" };
const calls = [["--version"], ["--version", "--json"], ["read", "a.txt"], ["session"], ["tools"]];

test.each(calls)("settings of Bun in the working folder change nothing: %s %s", async (...args) => {
  const elsewhere = await runIn(text, args);
  expect(elsewhere).toMatchObject({ status: 0, stderr: "", names: ["a.txt"] });
  const names = [...new Set([...Object.keys(hostile).map((path) => path.split("/")[0]!), "a.txt"])];
  expect(await runIn({ ...text, ...hostile }, args)).toEqual({
    ...elsewhere,
    names: names.toSorted(),
  });
});

/**
 * What the program said, and what is in the folder and the state afterwards. Only what every process has is in the
 * environment, since a variable that is set there already is safe from an `.env`.
 */
async function runIn(files: Readonly<Record<string, string>>, args: readonly string[]) {
  let result: (Ran & Record<"names" | "state", readonly string[]>) | undefined;
  await inPlace(files, async ({ folder, env: { HOME, PATH } }) => {
    const ran = await runPiped([binary, ...args], folder, { HOME: HOME!, PATH: PATH! });
    const names = (path: string) => (existsSync(path) ? readdirSync(path).toSorted() : []);
    const state = names(join(HOME!, ".local/state/atomic"));
    const stdout = ran.stdout.replaceAll(HOME!, "~");
    result = { ...ran, stdout, names: names(folder), state };
  });
  return result!;
}

test("the same when the program is started from below or through NODE_ENV", async () => {
  await inPlace({ ...text, ...hostile, "below/a.txt": "one\n" }, async ({ folder, env, run }) => {
    const below = join(folder, "below");
    const read = await runPiped([binary, "read", "--plain", "a.txt"], below, env);
    expect(read).toEqual({ status: 0, stdout: "1:one\n", stderr: "" });
    expect(readdirSync(below)).toEqual(["a.txt"]);
    for (const NODE_ENV of ["production", "test", "development"]) {
      expect(await run(["read", "--plain", "a.txt"], { env: { NODE_ENV } })).toEqual({
        status: 0,
        stdout: "1:one\n2:two\n",
        stderr: "",
      });
    }
    expect(existsSync(join(folder, "PRELOAD_RAN"))).toBe(false);
  });
});

const strace = Bun.which("strace");

test.skipIf(strace === null)("none of those files is opened (strace)", async () => {
  await inPlace({ ...text, ...hostile }, async ({ folder, env }) => {
    const log = join(folder, "..", "trace");
    const trace = [strace!, "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", log];
    const { status, stdout } = await runPiped([...trace, binary, "read", "a.txt"], folder, env);
    expect([status, stdout]).toEqual([0, expect.stringContaining("1:one\n2:two\n")]);
    const opened = [...readFileSync(log, "utf8").matchAll(/open\w*\(.*?"([^"]*)"/g)].map(
      ([, path]) => path!,
    );
    expect(opened).toContain(join(folder, "a.txt"));
    const names =
      /(?:^|\/)(?:\.env[^/]*|bunfig\.toml|preload\.ts|[jt]sconfig\.json|package\.json|\.npmrc)$/;
    expect(opened.filter((path) => names.test(path))).toEqual([]);
  });
});
