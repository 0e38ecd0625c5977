import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import {
  privateFolder,
  sessionComponent,
  sessionTemp,
  tempRoot,
} from "../../../core/persist/private-tree.ts";

test("the root is named after the user, or on Windows after the account", () => {
  expect(tempRoot(memoryHost())).toEqual({ base: "/tmp", name: "atomic-1000" });
  expect(tempRoot(memoryHost({ variables: { TMPDIR: "/var/x/" } })).base).toBe("/var/x");
  expect(tempRoot(memoryHost({ variables: { TMPDIR: "relative" } })).base).toBe("/tmp");
  const windows = (user: string) =>
    tempRoot(
      memoryHost({
        env: { platform: "windows", uid: -1 },
        variables: { TEMP: "C:\\T", USERDOMAIN: "HOME", USERNAME: user },
      }),
    );
  expect(windows("Ann")).toEqual({
    base: "C:\\T",
    name: expect.stringMatching(/^atomic-[0-9a-f]{16}$/),
  });
  expect(windows("Ann")).toEqual(windows("ANN"));
  expect(windows("Ann")).not.toEqual(windows("Bob"));
});

test("a session is a plain name, and different ones stay different", () => {
  const host = memoryHost();
  expect(sessionComponent("default", host)).toBe("default");
  expect(sessionComponent("a.b-c_1", host)).toBe("a.b-c_1");
  expect(sessionComponent("..", host)).toMatch(/^session-[0-9a-f]{16}$/);
  const [one, two] = ["a", "b"].map((end) => sessionComponent("x".repeat(99) + end, host));
  expect(one).not.toBe(two);
  expect(one!.length).toBeLessThanOrEqual(64);
});

test("folders are made private, and loose ones of ours made so", async () => {
  const host = memoryHost({ files: { "/tmp/atomic-1000": { kind: "directory", mode: 0o755 } } });
  expect(await sessionTemp("s", host)).toBe("/tmp/atomic-1000/s");
  for (const path of ["/tmp/atomic-1000", "/tmp/atomic-1000/s"]) {
    expect((await host.fs.stat(path))!.mode).toBe(0o700);
  }
});

test.each([
  ["a link", { link: "/home/me" }],
  ["a file", "text"],
  ["someone else's folder", { kind: "directory", uid: 7, mode: 0o700 }],
] as const)("%s in its place is refused, and left alone", async (_, entry) => {
  for (const name of ["/tmp/atomic-1000", "/tmp/atomic-1000/s"]) {
    const host = memoryHost({ files: { [name]: entry } });
    await expect(sessionTemp("s", host)).rejects.toThrow(name);
    expect(await host.fs.list("/home/me")).toEqual([]);
  }
});

test("nothing is made below a base that is missing", async () => {
  const host = memoryHost();
  await expect(privateFolder("/none", ["a"], host)).rejects.toThrow("ENOENT");
  expect(await host.fs.stat("/none")).toBeUndefined();
});
