import assert from "node:assert/strict";

import { FsError, readProblem } from "../../core/ports/fs.ts";
import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);
const text = (data: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(data);

export function fsSuite(body: Body): readonly Case[] {
  return [...casesOf(body, shared), ...(body.isMemory ? [] : casesOf(body, onRealDisks))];
}

const shared: Parameters<typeof casesOf>[1] = {
  async "create then read gives the same bytes, and a stat of what was read"({ host, folder }) {
    const { fs } = host;
    const path = `${folder}/a`;
    await fs.create(path, Uint8Array.of(0, 255, 10, 13));
    const read = await fs.read(path);
    assert.deepEqual(read?.bytes, Uint8Array.of(0, 255, 10, 13));
    assert.equal(read?.stat.kind, "file");
    assert.equal(read?.stat.size, 4);
    assert.equal(read?.stat.links, 1);
    assert.deepEqual(read?.stat, await fs.stat(path));
  },

  async "an empty file is read as no bytes"({ host, folder }) {
    await host.fs.create(`${folder}/a`, new Uint8Array(0));
    assert.equal((await host.fs.read(`${folder}/a`))?.bytes.length, 0);
  },

  async "absence is undefined or false, also where a file stands on the way"({ host, folder }) {
    const { fs } = host;
    await fs.create(`${folder}/file`, bytes("x"));
    for (const path of [`${folder}/none`, `${folder}/none/below`, `${folder}/file/below`]) {
      assert.equal(await fs.stat(path), undefined);
      assert.equal(await fs.lstat(path), undefined);
      assert.equal(await fs.realPath(path), undefined);
      assert.equal(await fs.readLink(path), undefined);
      assert.equal(await fs.list(path), undefined);
      assert.equal(await fs.read(path), undefined);
      assert.equal(await fs.mayAccess(path, "read"), undefined);
      assert.equal(await fs.mayAccess(path, "write"), undefined);
      assert.equal(await fs.remove(path), false);
    }
    assert.equal(await fs.list(`${folder}/file`), undefined);
  },

  async "what cannot be done to a missing file is an error"({ host, folder }) {
    const { fs } = host;
    const path = `${folder}/none`;
    await fails("ENOENT", path, () => fs.overwrite(path, bytes("x")));
    await fails("ENOENT", path, () => fs.rename(path, `${folder}/b`));
    await fails("ENOENT", path, () => fs.setMode(path, 0o600));
    await fails("ENOENT", path, () => fs.syncDirectory(path));
    await fails("ENOENT", `${path}/a`, () => fs.create(`${path}/a`, bytes("x")));
  },

  async "a path with NUL or a lone surrogate names nothing and is refused"({ host, folder }) {
    await host.fs.create(`${folder}/\ufffd`, bytes("x"));
    await fails("EINVAL", `${folder}/a\0b`, () => host.fs.stat(`${folder}/a\0b`));
    await fails("EILSEQ", `${folder}/\ud800`, () => host.fs.read(`${folder}/\ud800`));
    await fails("EILSEQ", `${folder}/\ud800`, () => host.fs.create(`${folder}/\ud800`, bytes("y")));
  },

  async "a name that is no UTF-8 is listed and opened by its bytes"({ host, folder }) {
    // Deno hands names on as U+FFFD and cannot open them.
    if (typeof (globalThis as { readonly Deno?: unknown }).Deno !== "undefined") return;
    const { fs } = host;
    const name = "a\udcff\u00e9\udcc3";
    await fs.create(`${folder}/${name}`, bytes("x"));
    await fs.create(`${folder}/\ufffd`, bytes("y"));
    const listed = (await fs.list(folder))!.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual(
      listed.map((entry) => [entry.name, entry.kind]),
      [
        [name, "file"],
        ["\ufffd", "file"],
      ],
    );
    assert.equal(text((await fs.read(`${folder}/${name}`))!.bytes), "x");
    assert.equal((await fs.lstat(`${folder}/${name}`))?.size, 1);
    assert.equal(await fs.realPath(`${folder}/${name}`), `${folder}/${name}`);
    await fs.rename(`${folder}/${name}`, `${folder}/\udc80`);
    assert.equal(await fs.remove(`${folder}/\udc80`), true);
  },

  async "create never opens what is there, be it a file, a folder or a link to nowhere"({
    host,
    folder,
    symlink,
  }) {
    const { fs } = host;
    await fs.create(`${folder}/file`, bytes("old"));
    await fs.makeDirectory(`${folder}/dir`);
    symlink(`${folder}/nowhere`, `${folder}/dangling`);
    symlink(`${folder}/file`, `${folder}/link`);
    for (const name of ["file", "dir", "dangling", "link"]) {
      await fails("EEXIST", `${folder}/${name}`, () =>
        fs.create(`${folder}/${name}`, bytes("new")),
      );
    }
    assert.equal(text((await fs.read(`${folder}/file`))!.bytes), "old");
    assert.equal(await fs.stat(`${folder}/nowhere`), undefined);
  },

  async "create applies its mode whatever the umask"({ host, folder }) {
    for (const mode of [0o666, 0o600, 0o755, 0o444, 0o4755]) {
      const path = `${folder}/${mode.toString(8)}`;
      await host.fs.create(path, bytes("x"), { mode });
      assert.equal((await host.fs.stat(path))?.mode, mode);
      assert.equal(text((await host.fs.read(path))!.bytes), "x");
    }
  },

  async "create keeps mode and owner together"({ host, folder }) {
    const own = (await host.fs.stat(folder))!;
    const path = `${folder}/a`;
    await host.fs.create(path, bytes("x"), { mode: 0o2640, owner: { uid: own.uid, gid: own.gid } });
    const { uid, gid, mode } = (await host.fs.stat(path))!;
    assert.deepEqual({ uid, gid, mode }, { uid: own.uid, gid: own.gid, mode: 0o2640 });
  },

  async "overwrite keeps the inode, the mode and the other names"({ host, folder, hardLink }) {
    const { fs } = host;
    const path = `${folder}/a`;
    await fs.create(path, bytes("a longer text than the next"), { mode: 0o640 });
    hardLink(path, `${folder}/b`);
    const before = (await fs.stat(path))!;
    assert.equal(before.links, 2);
    await fs.overwrite(path, bytes("short"));
    const after = (await fs.stat(path))!;
    assert.equal(after.identity, before.identity);
    assert.equal(after.mode, 0o640);
    assert.equal(text((await fs.read(`${folder}/b`))!.bytes), "short");
    await fs.overwrite(path, bytes("again a text that is longer"));
    assert.equal(text((await fs.read(path))!.bytes), "again a text that is longer");
    await fs.overwrite(path, new Uint8Array(0));
    assert.equal((await fs.stat(path))!.size, 0);
  },

  async "identity is the same for all names of a file and different otherwise"({
    host,
    folder,
    hardLink,
    symlink,
  }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("x"));
    await fs.create(`${folder}/other`, bytes("x"));
    hardLink(`${folder}/a`, `${folder}/hard`);
    symlink("a", `${folder}/soft`);
    const identity = async (name: string) => (await fs.stat(`${folder}/${name}`))!.identity;
    assert.equal(await identity("hard"), await identity("a"));
    assert.equal(await identity("soft"), await identity("a"));
    assert.notEqual(await identity("other"), await identity("a"));
    assert.notEqual((await fs.lstat(`${folder}/soft`))!.identity, await identity("a"));
  },

  async "links are followed by stat, read and realPath, and described by lstat and readLink"({
    host,
    folder,
    symlink,
  }) {
    const { fs } = host;
    await fs.makeDirectory(`${folder}/dir`);
    await fs.create(`${folder}/dir/a`, bytes("x"));
    symlink("dir", `${folder}/to-dir`);
    symlink("../to-dir/a", `${folder}/dir/chain`);
    symlink("nowhere", `${folder}/dangling`);
    assert.equal((await fs.stat(`${folder}/to-dir`))?.kind, "directory");
    assert.equal((await fs.lstat(`${folder}/to-dir`))?.kind, "symlink");
    assert.equal(await fs.readLink(`${folder}/to-dir`), "dir");
    assert.equal(text((await fs.read(`${folder}/to-dir/chain`))!.bytes), "x");
    assert.equal(await fs.realPath(`${folder}/to-dir/chain`), `${folder}/dir/a`);
    assert.equal(await fs.realPath(`${folder}/./dir/../to-dir/a`), `${folder}/dir/a`);
    assert.equal((await fs.lstat(`${folder}/dangling`))?.kind, "symlink");
    assert.equal(await fs.stat(`${folder}/dangling`), undefined);
    assert.equal(await fs.realPath(`${folder}/dangling`), undefined);
    assert.equal(await fs.read(`${folder}/dangling`), undefined);
    await fails("EINVAL", `${folder}/dir/a`, () => fs.readLink(`${folder}/dir/a`));
  },

  async "a circle of links is ELOOP"({ host, folder, symlink }) {
    symlink("b", `${folder}/a`);
    symlink("a", `${folder}/b`);
    await fails("ELOOP", `${folder}/a`, () => host.fs.realPath(`${folder}/a`));
    await fails("ELOOP", `${folder}/a`, () => host.fs.stat(`${folder}/a`));
    await fails("ELOOP", `${folder}/a`, () => host.fs.read(`${folder}/a`));
  },

  async "list gives names and kinds"({ host, folder, symlink, fifo }) {
    const { fs } = host;
    await fs.create(`${folder}/ä 1\n2`, bytes("x"));
    await fs.makeDirectory(`${folder}/dir`);
    symlink("dir", `${folder}/link`);
    fifo(`${folder}/pipe`);
    const entries = [...(await fs.list(folder))!].sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
    assert.deepEqual(entries, [
      { name: "dir", kind: "directory" },
      { name: "link", kind: "symlink" },
      { name: "pipe", kind: "fifo" },
      { name: "ä 1\n2", kind: "file" },
    ]);
    assert.deepEqual(await fs.list(`${folder}/dir`), []);
  },

  async "only regular files are read or rewritten, and a pipe is not waited for"({
    host,
    folder,
    fifo,
  }) {
    const { fs } = host;
    await fs.makeDirectory(`${folder}/dir`);
    fifo(`${folder}/pipe`);
    await fails("EISDIR", `${folder}/dir`, () => fs.read(`${folder}/dir`));
    await fails("EISDIR", `${folder}/dir`, () => fs.overwrite(`${folder}/dir`, bytes("x")));
    await fails("ENOTREG", `${folder}/pipe`, () => fs.read(`${folder}/pipe`));
    await fails("ENOTREG", `${folder}/pipe`, () => fs.overwrite(`${folder}/pipe`, bytes("x")));
    assert.equal((await fs.stat(`${folder}/pipe`))?.kind, "fifo");
  },

  async "readInto fills the part of a buffer it is given, and says why it cannot"({
    host,
    folder,
    symlink,
    fifo,
  }) {
    const { fs } = host;
    await fs.create(`${folder}/file`, bytes("0123456789"));
    await fs.create(`${folder}/empty`, bytes(""));
    symlink("file", `${folder}/link`);
    fifo(`${folder}/fifo`);
    const buffer = bytes("................");
    assert.equal(fs.readInto(`${folder}/file`, buffer, 2, 4), 4);
    assert.equal(text(buffer), "..0123..........");
    assert.equal(fs.readInto(`${folder}/link`, buffer, 0, 16), 10);
    assert.equal(text(buffer), "0123456789......");
    assert.equal(fs.readInto(`${folder}/empty`, buffer, 0, 16), 0);
    assert.equal(fs.readInto(`${folder}/file`, buffer, 0, 0), 0);
    assert.equal(fs.readInto(`${folder}/none`, buffer, 0, 16), readProblem.absent);
    assert.equal(fs.readInto(`${folder}/file/none`, buffer, 0, 16), readProblem.absent);
    assert.equal(fs.readInto(folder, buffer, 0, 16), readProblem.special);
    assert.ok(fs.readInto(`${folder}/fifo`, buffer, 0, 16) <= 0);
    assert.equal(text(buffer), "0123456789......");
  },

  async "read stops at its limit"({ host, folder }) {
    const path = `${folder}/a`;
    await host.fs.create(path, bytes("12345"));
    assert.equal((await host.fs.read(path, 5))?.bytes.length, 5);
    await fails("EFBIG", path, () => host.fs.read(path, 4));
    await fails("EFBIG", path, () => host.fs.read(path, 0));
  },

  async "open reads parts, and never past the end"({ host, folder }) {
    const { fs } = host;
    const path = `${folder}/a`;
    await fs.create(path, bytes("0123456789"));
    const file = (await fs.open(path))!;
    assert.equal(file.size, 10);
    assert.deepEqual(file.stat, await fs.stat(path));
    assert.equal(text(await file.read(3, 4)), "3456");
    assert.equal(text(await file.read(0, 10)), "0123456789");
    assert.equal(text(await file.read(8, 4)), "89");
    assert.equal((await file.read(10, 1)).length, 0);
    assert.equal((await file.read(99, 5)).length, 0);
    await file.close();
  },

  async "open keeps to the file it opened, and refuses what is none"({ host, folder, fifo }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("old"));
    await fs.create(`${folder}/b`, bytes("new"));
    const file = (await fs.open(`${folder}/a`))!;
    await fs.rename(`${folder}/b`, `${folder}/a`);
    assert.equal(text(await file.read(0, 3)), "old");
    await file.close();
    assert.equal(await fs.open(`${folder}/none`), undefined);
    assert.equal(await fs.open(`${folder}/a/below`), undefined);
    await fails("EISDIR", folder, () => fs.open(folder));
    fifo(`${folder}/pipe`);
    await fails("ENOTREG", `${folder}/pipe`, () => fs.open(`${folder}/pipe`));
  },

  async "create takes its content in pieces, and leaves nothing where they fail"({ host, folder }) {
    const { fs } = host;
    async function* three() {
      yield bytes("one ");
      yield new Uint8Array(0);
      yield bytes("two");
    }
    await fs.create(`${folder}/a`, three(), { mode: 0o640 });
    const read = (await fs.read(`${folder}/a`))!;
    assert.equal(text(read.bytes), "one two");
    assert.equal(read.stat.mode, 0o640);
    const fault = new Error("of the pieces");
    async function* failing() {
      yield bytes("one");
      throw fault;
    }
    await assert.rejects(fs.create(`${folder}/b`, failing()), (thrown) => thrown === fault);
    assert.equal(await fs.lstat(`${folder}/b`), undefined);
    await fails("EEXIST", `${folder}/a`, () => fs.create(`${folder}/a`, failing()));
  },

  async "grow makes a file that others can read while it grows, and never one that is taken"({
    host,
    folder,
    symlink,
  }) {
    const { fs } = host;
    const file = await fs.grow(`${folder}/log`, { mode: 0o600 });
    assert.equal((await fs.stat(`${folder}/log`))!.mode, 0o600);
    await file.write(bytes("one "));
    assert.equal(text((await fs.read(`${folder}/log`))!.bytes), "one ");
    await file.write(new Uint8Array(0));
    await file.write(bytes("two"));
    await file.close();
    await file.close();
    assert.equal(text((await fs.read(`${folder}/log`))!.bytes), "one two");
    symlink(`${folder}/nowhere`, `${folder}/dangling`);
    for (const name of ["log", "dangling"]) {
      await fails("EEXIST", `${folder}/${name}`, () =>
        fs.grow(`${folder}/${name}`, { mode: 0o600 }),
      );
    }
    assert.equal(await fs.lstat(`${folder}/nowhere`), undefined);
    await fails("ENOENT", `${folder}/no/log`, () => fs.grow(`${folder}/no/log`, { mode: 0o600 }));
  },

  async "rename replaces, and says what it cannot"({ host, folder }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("new"), { mode: 0o600 });
    await fs.create(`${folder}/b`, bytes("old"));
    const { identity } = (await fs.stat(`${folder}/a`))!;
    await fs.rename(`${folder}/a`, `${folder}/b`);
    assert.equal(await fs.stat(`${folder}/a`), undefined);
    const moved = (await fs.read(`${folder}/b`))!;
    assert.equal(text(moved.bytes), "new");
    assert.equal(moved.stat.identity, identity);
    await fs.makeDirectory(`${folder}/dir`);
    await fails("EISDIR", `${folder}/b`, () => fs.rename(`${folder}/b`, `${folder}/dir`));
  },

  async "link gives a file a second name, and never one that is taken"({ host, folder, symlink }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("x"), { mode: 0o640 });
    await fs.link(`${folder}/a`, `${folder}/b`);
    const [a, b] = [(await fs.stat(`${folder}/a`))!, (await fs.stat(`${folder}/b`))!];
    assert.deepEqual(a, b);
    assert.equal(b.links, 2);
    await fs.remove(`${folder}/a`);
    assert.equal((await fs.stat(`${folder}/b`))!.links, 1);
    assert.equal(text((await fs.read(`${folder}/b`))!.bytes), "x");
    await fs.create(`${folder}/file`, bytes("old"));
    await fs.makeDirectory(`${folder}/dir`);
    symlink(`${folder}/nowhere`, `${folder}/dangling`);
    for (const name of ["file", "dir", "dangling"]) {
      await fails("EEXIST", `${folder}/${name}`, () => fs.link(`${folder}/b`, `${folder}/${name}`));
    }
    assert.equal(text((await fs.read(`${folder}/file`))!.bytes), "old");
    assert.equal(await fs.stat(`${folder}/nowhere`), undefined);
    await fails("ENOENT", `${folder}/c`, () => fs.link(`${folder}/none`, `${folder}/c`));
    await fails("ENOENT", `${folder}/no/c`, () => fs.link(`${folder}/b`, `${folder}/no/c`));
  },

  async "removeDirectory takes an empty folder and nothing else"({ host, folder, symlink }) {
    const { fs } = host;
    await fs.makeDirectory(`${folder}/dir/inner`);
    await fs.create(`${folder}/file`, bytes("x"));
    symlink("dir", `${folder}/link`);
    await fails("ENOTEMPTY", `${folder}/dir`, () => fs.removeDirectory(`${folder}/dir`));
    assert.equal(await fs.removeDirectory(`${folder}/link`), false);
    assert.equal(await fs.removeDirectory(`${folder}/file`), false);
    assert.equal(await fs.removeDirectory(`${folder}/none`), false);
    assert.equal(await fs.removeDirectory(`${folder}/dir/inner`), true);
    assert.equal(await fs.removeDirectory(`${folder}/dir`), true);
    assert.equal(await fs.stat(`${folder}/dir`), undefined);
    assert.equal((await fs.lstat(`${folder}/link`))?.kind, "symlink");
    assert.equal(text((await fs.read(`${folder}/file`))!.bytes), "x");
  },

  async "remove takes the link, never what it points to, and never a folder"({
    host,
    folder,
    symlink,
  }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("x"));
    await fs.makeDirectory(`${folder}/dir`);
    symlink("a", `${folder}/link`);
    symlink("dir", `${folder}/to-dir`);
    assert.equal(await fs.remove(`${folder}/link`), true);
    assert.equal(await fs.remove(`${folder}/link`), false);
    assert.equal(await fs.remove(`${folder}/to-dir`), true);
    assert.equal(text((await fs.read(`${folder}/a`))!.bytes), "x");
    await fails("EISDIR", `${folder}/dir`, () => fs.remove(`${folder}/dir`));
    assert.equal((await fs.stat(`${folder}/dir`))?.kind, "directory");
  },

  async "makeDirectory makes parents with its mode and is content with what is there"({
    host,
    folder,
    symlink,
  }) {
    const { fs } = host;
    await fs.makeDirectory(`${folder}/a/b/c`, 0o700);
    assert.equal((await fs.stat(`${folder}/a`))?.mode, 0o700);
    assert.equal((await fs.stat(`${folder}/a/b/c`))?.mode, 0o700);
    await fs.makeDirectory(`${folder}/open`, 0o777);
    assert.equal((await fs.stat(`${folder}/open`))?.mode, 0o777);
    await fs.makeDirectory(`${folder}/open`, 0o700);
    assert.equal((await fs.stat(`${folder}/open`))?.mode, 0o777);
    symlink("open", `${folder}/link`);
    await fs.makeDirectory(`${folder}/link`);
    await fs.create(`${folder}/file`, bytes("x"));
    await fails("EEXIST", `${folder}/file`, () => fs.makeDirectory(`${folder}/file`));
    await fails("ENOTDIR", `${folder}/file/x`, () => fs.makeDirectory(`${folder}/file/x`));
    symlink("nowhere", `${folder}/dangling`);
    await fails("EEXIST", `${folder}/dangling`, () => fs.makeDirectory(`${folder}/dangling`));
  },

  async "setMode and setOwner change exactly that"({ host, folder }) {
    const { fs } = host;
    const path = `${folder}/a`;
    await fs.create(path, bytes("x"));
    await fs.setMode(path, 0o640);
    const { uid, gid, mode } = (await fs.stat(path))!;
    assert.equal(mode, 0o640);
    await fs.setOwner(path, { uid, gid });
    assert.equal((await fs.stat(path))!.uid, uid);
    assert.equal(text((await fs.read(path))!.bytes), "x");
  },

  async "mayAccess allows what the owner may"({ host, folder }) {
    const { fs } = host;
    await fs.create(`${folder}/a`, bytes("x"), { mode: 0o600 });
    assert.equal(await fs.mayAccess(`${folder}/a`, "read"), true);
    assert.equal(await fs.mayAccess(`${folder}/a`, "write"), true);
    assert.equal(await fs.mayAccess(folder, "write"), true);
  },

  async "syncDirectory succeeds on a folder"({ host, folder }) {
    await host.fs.syncDirectory(folder);
  },

  async "what was read or given is nobody else's memory"({ host, folder }) {
    const { fs } = host;
    const given = bytes("abc");
    await fs.create(`${folder}/a`, given);
    given[0] = 0;
    const first = (await fs.read(`${folder}/a`))!.bytes;
    assert.equal(text(first), "abc");
    first[0] = 0;
    assert.equal(text((await fs.read(`${folder}/a`))!.bytes), "abc");
  },
};

const onRealDisks: Parameters<typeof casesOf>[1] = {
  async "devices are refused before a byte is read"({ host }) {
    await fails("ENOTREG", "/dev/zero", () => host.fs.read("/dev/zero"));
    await fails("ENOTREG", "/dev/null", () => host.fs.overwrite("/dev/null", bytes("x")));
    assert.equal((await host.fs.stat("/dev/null"))?.kind, "character device");
  },

  async "files that say they are empty are read to their end"({ host }) {
    const read = (await host.fs.read("/proc/self/status"))!;
    assert.equal(read.stat.size, 0);
    assert.match(text(read.bytes), /^Name:\t[^]*\nVmRSS:[^]*\n$/);
    await fails("EFBIG", "/proc/self/status", () => host.fs.read("/proc/self/status", 10));
  },

  async "files of many buffers come back whole"({ host, folder }) {
    const path = `${folder}/big`;
    const content = new Uint8Array(5 * 1024 * 1024 + 1);
    for (let i = 0; i < content.length; i++) content[i] = (i * 2654435761) >>> 24;
    await host.fs.create(path, content);
    assert.ok(Buffer.from((await host.fs.read(path))!.bytes).equals(content));
    await fails("EFBIG", path, () => host.fs.read(path, content.length - 1));
    assert.equal((await host.fs.read(path, content.length))!.bytes.length, content.length);
  },

  async "names of every kind are met as they are"({ host, folder }) {
    for (const name of ["a b", "new\nline", "?x=1#y%20", "ünïcödé", "-dash", "'\"\\", "a:1-2"]) {
      await host.fs.create(`${folder}/${name}`, bytes(name));
      assert.equal(text((await host.fs.read(`${folder}/${name}`))!.bytes), name);
    }
  },
};

async function fails(code: string, path: string, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (thrown: unknown) => {
    assert.ok(thrown instanceof FsError, `${String(thrown)} is no FsError`);
    assert.deepEqual({ code: thrown.code, path: thrown.path }, { code, path });
    return true;
  });
}
