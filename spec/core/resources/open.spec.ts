import { expect, test } from "bun:test";

import { AtomicError } from "../../../core/errors.ts";
import type { Host } from "../../../core/ports/host.ts";
import { FsError, type FileStat, type Fs } from "../../../core/ports/fs.ts";
import { findPath, locate as locateTarget } from "../../../core/resources/open.ts";
import { callFor } from "../../helpers/call.ts";

const where = { cwd: "/w", home: "/home/me" };

async function locate(target: string, fs: Fs, { cwd, home }: typeof where) {
  const host = { fs, env: { home } } as unknown as Host;
  const found = await locateTarget(target, host, callFor({ cwd }));
  if (found.kind !== "path") throw new Error("it is no file");
  return found;
}

/** Files that exist; every question asked is kept. */
function disk(paths: readonly string[], fails: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const stat = async (path: string) => {
    asked.push(path);
    if (fails[path]) throw new FsError(fails[path], path);
    return paths.includes(path) ? ({ kind: "file" } as FileStat) : undefined;
  };
  return { fs: { stat, lstat: stat } as Partial<Fs> as Fs, asked };
}

test("locate asks for the literal name first, then peels, each path once", async () => {
  const { fs, asked } = disk(["/w/a.txt"]);
  expect(await locate("a.txt:5-6:raw", fs, where)).toMatchObject({
    path: "/w/a.txt",
    typed: "a.txt",
    raw: true,
    ranges: [{ first: 5, last: 6 }],
    note: undefined,
  });
  expect(asked).toEqual(["/w/a.txt:5-6:raw", "/w/a.txt:5-6", "/w/a.txt"]);
});

test("locate asks one question for a plain name that exists", async () => {
  const { fs, asked } = disk(["/w/a.txt"]);
  await locate("a.txt", fs, where);
  expect(asked).toEqual(["/w/a.txt"]);
});

test("locate undoes decorations only after every literal reading", async () => {
  const { fs } = disk(["/w/update", "/w/5"]);
  expect((await locate("update:5", fs, where)).path).toBe("/w/update");
  const other = disk(["/w/5"]);
  expect((await locate("update:5", other.fs, where)).path).toBe("/w/5");
});

test("locate reports what could not be looked at, unless another reading exists", async () => {
  const closed = disk([], { "/w/d/a.txt": "EACCES" });
  await expect(locate("d/a.txt", closed.fs, where)).rejects.toThrow(
    'Cannot read "d/a.txt": permission denied (EACCES).',
  );
  const long = disk(["/w/a.txt"], { "/w/a.txt:5": "ENAMETOOLONG" });
  expect((await locate("a.txt:5", long.fs, where)).path).toBe("/w/a.txt");
});

test("locate passes over another spelling's name when it tells the way", async () => {
  const { fs } = disk(["/w/a.txt", "/w/a.txt:1", "/w/a.txt:L1"]);
  expect((await locate("a.txt:1", fs, where)).note).toBe(
    'a.txt:1 exists under that very name and was read as such. For the lines of a.txt, read "a.txt:l1".',
  );
  expect((await locate("a.txt:L1", fs, where)).note).toBe(
    'a.txt:L1 exists under that very name and was read as such. For the lines of a.txt, read "a.txt:l1".',
  );
});

test("locate passes on what is no failure of the disk", async () => {
  const broken = { stat: () => Promise.reject(new TypeError("bug")) } as Partial<Fs> as Fs;
  await expect(locate("a.txt", broken, where)).rejects.toThrow(TypeError);
});

test("findPath takes names with colons as they stand and peels nothing", async () => {
  const { fs } = disk(["/w/a.txt", "/w/part:1-2", "/home/me/x"]);
  expect((await findPath("part:1-2", fs, where))?.path).toBe("/w/part:1-2");
  expect((await findPath('"a.txt"', fs, where))?.path).toBe("/w/a.txt");
  expect((await findPath("~/x", fs, where))?.path).toBe("/home/me/x");
  expect(await findPath("a.txt:1", fs, where)).toBeUndefined();
  const closed = disk([], { "/w/b": "EACCES" });
  await expect(findPath("b", closed.fs, where)).rejects.toBeInstanceOf(AtomicError);
});
