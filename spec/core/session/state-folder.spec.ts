import { expect, test } from "bun:test";

import { FsError } from "../../../core/ports/fs.ts";
import { prepareStateFolder } from "../../../core/session/state-folder.ts";
import { createWorld, folder, type World } from "./world.ts";

const locks = `${folder}/locks`;
const prepare = (world: World) => prepareStateFolder(world.host, folder);

function refusal(world: World) {
  return prepare(world).then(
    () => undefined,
    (error) => ({ code: error.code, message: error.message }),
  );
}

test("missing folders are made, private", async () => {
  const world = createWorld();
  expect(await prepare(world)).toEqual({ folder, locksFolder: locks });
  expect(Object.fromEntries(world.folders)).toEqual({
    [folder]: { kind: "directory", mode: 0o700, uid: 1000 },
    [locks]: { kind: "directory", mode: 0o700, uid: 1000 },
  });
});

test("a loose folder of our own is tightened", async () => {
  for (const mode of [0o755, 0o750, 0o701, 0o777]) {
    const world = createWorld();
    world.folders.set(folder, { kind: "directory", mode, uid: 1000 });
    world.folders.set(locks, { kind: "directory", mode, uid: 1000 });
    await prepare(world);
    expect([...world.folders.values()].map((found) => found.mode)).toEqual([0o700, 0o700]);
  }
});

test("links, files and other people's folders are refused, at both places", async () => {
  const shown = JSON.stringify(folder);
  const world = createWorld();
  world.folders.set(folder, { kind: "symlink", mode: 0o777, uid: 1000 });
  expect(await refusal(world)).toEqual({
    code: "session.unsafe",
    message: `The state folder ${shown} is a symlink, so nothing is kept there.`,
  });
  world.folders.set(folder, { kind: "file", mode: 0o600, uid: 1000 });
  expect((await refusal(world))?.message).toBe(
    `The state folder ${shown} is a file, so nothing is kept there.`,
  );
  world.folders.set(folder, { kind: "directory", mode: 0o700, uid: 0 });
  expect((await refusal(world))?.message).toBe(
    `The state folder ${shown} belongs to user 0, and this is user 1000, so nothing is kept there.`,
  );
  world.folders.set(folder, { kind: "directory", mode: 0o700, uid: 1000 });
  world.folders.set(locks, { kind: "symlink", mode: 0o777, uid: 1000 });
  expect((await refusal(world))?.code).toBe("session.unsafe");
});

test("a folder that stays open to others is refused", async () => {
  const world = createWorld();
  world.folders.set(folder, { kind: "directory", mode: 0o755, uid: 1000 });
  world.host.fs.setMode = async () => {};
  expect(await refusal(world)).toEqual({
    code: "session.unsafe",
    message: `The state folder ${JSON.stringify(folder)} is open to other users and cannot be made private, so nothing is kept there.`,
  });
});

test("where the system has no user numbers, owner and permissions are its own affair", async () => {
  const world = createWorld();
  (world.host.env as { uid: number }).uid = -1;
  world.folders.set(folder, { kind: "directory", mode: 0o777, uid: 0 });
  expect(await refusal(world)).toBeUndefined();
});

test("a refusal of the system names folder and reason", async () => {
  const world = createWorld();
  world.host.fs.makeDirectory = async (path) => {
    throw new FsError("EROFS", path);
  };
  expect(await refusal(world)).toEqual({
    code: "session.unavailable",
    message: `Could not prepare the state folder ${JSON.stringify(folder)}: EROFS.`,
  });
});
