import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { cleanUp } from "../../../core/persist/cleanup.ts";

const DAY = 24 * 60 * 60 * 1000;
const now = 1_700_000_000_000;
const old = { content: "x", modified: now - 31 * DAY };
const fresh = { content: "x", modified: now - 29 * DAY };

const trees = [{ path: "/t", folders: ["*"] }];
const isInUse = async () => false;
const whole = { isInUse, time: undefined };

test("a folder goes when its newest file is older than 30 days, and one fresh file keeps all", async () => {
  const host = memoryHost({
    now,
    files: {
      "/t/a/1": old,
      "/t/a/deep/2": old,
      "/t/b/1": old,
      "/t/b/deep/2": fresh,
      "/t/file": old,
    },
  });
  expect(await cleanUp(trees, whole, host)).toEqual({ removed: ["/t/a"], isPartial: false });
  expect(host.fs.paths()).toEqual(["/t/.last-cleanup", "/t/b/1", "/t/b/deep/2", "/t/file"]);
});

test("nothing is followed: what holds a link, or is one, is kept", async () => {
  const host = memoryHost({
    now,
    files: {
      "/t/a/1": old,
      "/t/a/out": { link: "/work" },
      "/t/link": { link: "/work" },
      "/work/x": old,
    },
  });
  expect((await cleanUp(trees, whole, host)).removed).toEqual([]);
  expect(host.fs.text("/work/x")).toBe("x");
});

test("what belongs to somebody else, or cannot be read, is kept", async () => {
  const host = memoryHost({
    now,
    files: { "/t/a/1": { ...old, uid: 7 }, "/t/b/1": old, "/t/c/1": old },
  });
  host.fs.fail("list", "/t/b", "EACCES");
  expect((await cleanUp(trees, whole, host)).removed).toEqual(["/t/c"]);
});

test("folders in use are kept, and only the named ones of a session's are looked at", async () => {
  const files = {
    "/s/one/tool-results/1": old,
    "/s/two/tool-results/1": old,
    "/s/two/notes/1": old,
  };
  const host = memoryHost({ now, files });
  const roots = [{ path: "/s", folders: ["*/tool-results"] }];
  const used = {
    isInUse: async (folder: string) => folder === "/s/one/tool-results",
    time: undefined,
  };
  expect((await cleanUp(roots, used, host)).removed).toEqual(["/s/two/tool-results"]);
  expect(host.fs.text("/s/two/notes/1")).toBe("x");
  const only = [{ path: "/s/one", folders: ["tool-results"] }];
  expect((await cleanUp(only, whole, host)).removed).toEqual(["/s/one/tool-results"]);
});

test("folders of any session are looked at by themselves, and a link in between is not followed", async () => {
  const host = memoryHost({
    now,
    files: {
      "/s/one/tasks/a/1": old,
      "/s/one/tasks/b/1": fresh,
      "/s/two/tasks": { link: "/work" },
      "/work/c/1": old,
    },
  });
  const roots = [{ path: "/s", folders: ["*/tasks/*"] }];
  expect((await cleanUp(roots, whole, host)).removed).toEqual(["/s/one/tasks/a"]);
  expect(host.fs.text("/work/c/1")).toBe("x");
});

test("a folder in which nothing has been for as long goes, and one with anything in it does not", async () => {
  const host = memoryHost({
    now: now - 31 * DAY,
    files: { "/s/one/tasks/x": "", "/s/two/tasks/x": "" },
  });
  await host.fs.remove("/s/one/tasks/x");
  const later = { ...host, clock: { ...host.clock, now: () => now } };
  const roots = [{ path: "/s", folders: [], empty: ["*/tasks", "*"] }];
  await cleanUp(roots, whole, later);
  expect(await host.fs.stat("/s/one/tasks")).toBeUndefined();
  expect(host.fs.text("/s/two/tasks/x")).toBe("");
});

test("by itself it happens once a day, and within its time", async () => {
  const host = memoryHost({ now, files: { "/t/a/1": old } });
  host.fs.put("/t/.last-cleanup", { content: "", modified: now - DAY / 2 });
  const little = { isInUse, time: 200 };
  expect((await cleanUp(trees, little, host)).removed).toEqual([]);
  host.fs.put("/t/.last-cleanup", { content: "", modified: now - DAY });
  expect((await cleanUp(trees, little, host)).removed).toEqual(["/t/a"]);
  expect((await host.fs.stat("/t/.last-cleanup"))!.modified).toBe(now);
});

test("a file that is written meanwhile stays", async () => {
  const host = memoryHost({ now, files: { "/t/a/1": old, "/t/a/2": old } });
  host.fs.before("removeDirectory", "/t/a", () => host.fs.put("/t/a/3", "new"));
  await cleanUp(trees, whole, host);
  expect(host.fs.text("/t/a/3")).toBe("new");
});

test("where there is nothing, nothing is made", async () => {
  const host = memoryHost({ now });
  expect(await cleanUp(trees, whole, host)).toEqual({ removed: [], isPartial: false });
  expect(await host.fs.stat("/t")).toBeUndefined();
});
