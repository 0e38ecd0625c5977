// Writing members of archives (tools.md §§5, 9.4; seed 003).

import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";

import fc from "fast-check";

import { archiveWorld, caseFile } from "../../helpers/archive-world.ts";
import { tarOf, zipOf } from "../../helpers/archive-files.ts";

const latin1 = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("latin1");

test.each(["z.zip", "z.jar", "z.tar", "z.tar.gz", "deep/er/z.tgz"])(
  "%s is made with its folders, and read back",
  async (archive) => {
    const it = await archiveWorld({});
    expect(await it.write(`${archive}:a/b.txt`, "one\ntwo\n")).toBe(
      `Successfully wrote to ${archive}:a/b.txt`,
    );
    expect(await it.read(archive)).toBe("a/");
    expect(await it.read(`${archive}:a/b.txt`)).toBe("1:one\n2:two");
    expect(await it.write(`${archive}:./a//c.txt`, "")).toBe(
      `Successfully wrote to ${archive}:./a//c.txt`,
    );
    expect(await it.read(`${archive}:a`)).toBe("b.txt (8B)\nc.txt (0B)");
    expect(it.host.fs.paths().filter((path) => path.startsWith("/work"))).toEqual([
      `/work/${archive}`,
    ]);
  },
);

test("what the answer tells", async () => {
  const it = await archiveWorld({ "real.zip": zipOf({}), "link.zip": { link: "real.zip" } });
  expect(await it.writeDetails("link.zip:x/../y", "e").catch((error) => error.message)).toBe(
    "Archive path cannot contain '..'",
  );
  expect(await it.writeDetails("link.zip:./é.txt", "é\n")).toEqual({
    resolvedPath: "/work/real.zip",
    member: "é.txt",
    bytes: 3,
    outcome: "created",
    meta: { source: "archive", sourcePath: "/work/link.zip:./é.txt" },
  });
  expect((await it.host.fs.lstat("/work/link.zip"))?.kind).toBe("symlink");
  expect(await it.read("real.zip")).toBe("é.txt (3B)");
});

test("a member that exists must have been read as it is now, or --force", async () => {
  const it = await archiveWorld({ "z.zip": zipOf({ a: "one\n", b: "other\n" }) });
  expect(await it.write("z.zip:a", "two\n")).toMatch(
    /^file\.conflict: FILE_MUTATION_CONFLICT:no_prior_observation z\.zip:a\nReason: the member exists and this session has not read or written it\.\nDo: read z\.zip:a, then retry\.\nNow: 1 line, first line "one"/,
  );
  await it.read("z.zip");
  expect(await it.write("z.zip:a", "two\n")).toContain("no_prior_observation");
  await it.read("z.zip:a:1-1");
  expect(await it.write("z.zip:a", "two\n")).toBe("Successfully wrote to z.zip:a");
  // What this session wrote it has seen.
  expect(await it.write("z.zip:a", "three\n")).toBe("Successfully wrote to z.zip:a");
  expect(await it.write("z.zip:a", "three\n")).toBe(
    "Successfully wrote to z.zip:a\nNote: the member held exactly this content already.",
  );
  // Another program changes another member, which is nobody's business here; then this one.
  it.host.fs.put("/work/z.zip", zipOf({ a: "three\n", b: "changed\n" }));
  expect(await it.write("z.zip:a", "four\n")).toBe("Successfully wrote to z.zip:a");
  it.host.fs.put("/work/z.zip", zipOf({ a: "five\n", b: "changed\n" }));
  expect(await it.write("z.zip:a", "six\n")).toMatch(
    /changed_since_observation z\.zip:a\n[^]*First difference: line 1, expected "four", found "five"/,
  );
  expect(await it.write("z.zip:a", "six\n", { force: true })).toBe(
    "Successfully wrote to z.zip:a\nNote: --force overruled 1 guard: changed_since_observation.",
  );
  expect(await it.read("z.zip:b")).toBe("1:changed");
});

test("members that cannot be read survive beside the one that is written, and yield to --force", async () => {
  const it = await archiveWorld({
    "z.zip": zipOf({
      odd: { content: "???", method: 9 },
      locked: { content: "???", flags: 1 },
      broken: { content: "hello", crc: 7 },
      a: "one\n",
    }),
  });
  const before = latin1(it.host.fs.bytesOf("/work/z.zip"));
  expect(await it.write("z.zip:new", "n\n")).toBe("Successfully wrote to z.zip:new");
  const after = latin1(it.host.fs.bytesOf("/work/z.zip"));
  expect(after.startsWith(before.slice(0, before.indexOf("PK\x01\x02")))).toBe(true);
  expect(await it.read("z.zip:odd")).toMatch(/Deflate64/);
  expect(await it.write("z.zip:broken", "whole\n")).toMatch(/^archive\.checksum: /);
  expect(await it.write("z.zip:broken", "whole\n", { force: true })).toMatch(/overruled 1 guard/);
  expect(await it.read("z.zip:broken")).toBe("1:whole");
});

test("a member is taken by its literal name, and so is a file", async () => {
  const it = await archiveWorld({
    "z.zip": caseFile("B034/names.zip"),
    "y.zip:raw": "a file\n",
    "y.zip": zipOf({}),
  });
  for (const name of ["raw", "1", "raw:notes.txt", "café.txt", "dir/win.txt"]) {
    await it.read(`z.zip:${name}`);
    expect(await it.write(`z.zip:${name}`, `${name} is new\n`)).toBe(
      `Successfully wrote to z.zip:${name}`,
    );
    expect(await it.read(`z.zip:${name}`)).toBe(`1:${name} is new`);
  }
  expect((await it.read("z.zip")).split("\n").length).toBe(8);
  expect(latin1(it.host.fs.bytesOf("/work/z.zip"))).toContain("caf\x82.txt");
  await it.read("y.zip:raw");
  expect(await it.write("y.zip:raw", "still a file\n")).toMatch(/^\[y\.zip:raw#/);
  expect(await it.read("y.zip")).toBe("(archive is empty)");
});

test("$ in the content means nothing", async () => {
  const it = await archiveWorld({ "z.zip": zipOf({ a: "x" }), "t.tar": tarOf([]) });
  await it.read("z.zip:a");
  const content = "$& $$ $' @ours &amp;\n";
  for (const target of ["z.zip:a", "t.tar:a"]) {
    await it.write(target, content);
    expect(await it.read(`${target}:raw`)).toBe(content);
  }
});

test.each([
  ["z.zip:", "Archive write path must target a file inside the archive"],
  ["z.zip:./", "Archive write path must target a file inside the archive"],
  ["z.zip:.", "Archive write path must target a file inside the archive"],
  ["z.zip:dir/", "Archive write path must target a file, not a directory"],
  ["z.zip:dir", "Archive write path must target a file, not a directory"],
  ["z.zip:../x", "Archive path cannot contain '..'"],
  ["z.zip:a/../x", "Archive path cannot contain '..'"],
  ["z.zip:/etc/passwd", "Archive path cannot be absolute"],
  ["z.zip:C:\\x", "Archive path cannot be absolute"],
  ["z.zip", "Archive write path must target a file inside the archive"],
  ["new.tar:..", "Archive path cannot contain '..'"],
  ["z.zip:f/x", "Cannot write z.zip:f/x: f is no folder there. Nothing was written."],
  ["t.tar:link", "Cannot write t.tar:link: it is a symbolic link. Nothing was written."],
  [
    "t.tar:null",
    "Cannot write t.tar:null: it is a character device, which has no content. Nothing was written.",
  ],
  ["one.gz:other", 'Cannot write "other" into one.gz: a .gz file holds one stream, here "one".'],
])("%s is refused", async (target, message) => {
  const it = await archiveWorld({
    "z.zip": zipOf({ f: "x", "dir/in": "x" }),
    "t.tar": tarOf([
      { name: "link", type: "2", link: "x" },
      { name: "null", type: "3" },
    ]),
  });
  const before = it.host.fs.paths().map((path) => [path, latin1(it.host.fs.bytesOf(path))]);
  expect(await it.write(target, "content\n")).toBe(`archive.member_path: ${message}`);
  expect(it.host.fs.paths().map((path) => [path, latin1(it.host.fs.bytesOf(path))])).toEqual(
    before,
  );
});

test("what is no archive, or one that is only read, is left alone", async () => {
  const it = await archiveWorld({
    "notes.zip": "text\n",
    "empty.tar": "",
    "t.tar.zst": Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0),
  });
  expect(await it.write("notes.zip:a", "x")).toBe(
    "archive.bounds: Cannot write notes.zip:a: notes.zip is no zip archive. Nothing was written.",
  );
  expect(await it.write("empty.tar:a", "x")).toMatch(/^archive\.bounds: /);
  expect(await it.write("new.tar.zst:a", "x")).toBe(
    "archive.read_only: Cannot write new.tar.zst:a: tar.zst archives are only read.",
  );
  expect(it.host.fs.text("/work/notes.zip")).toBe("text\n");
  expect(it.host.fs.text("/work/empty.tar")).toBe("");
});

test("one archive over another is a plain write", async () => {
  const it = await archiveWorld({});
  expect(await it.write("new.zip", "just text\n")).toMatch(/^\[new\.zip#/);
});

test("a zip with something between its directory and its end is read and not written", async () => {
  const whole = Buffer.from(zipOf({ a: "one\n" }));
  const gap = new Uint8Array(
    Buffer.concat([whole.subarray(0, -22), Buffer.from("gap"), whole.subarray(-22)]),
  );
  const it = await archiveWorld({ "z.zip": gap });
  expect(await it.read("z.zip:a")).toBe("1:one");
  expect(await it.write("z.zip:b", "two\n")).toBe(
    "archive.bounds: Cannot read z.zip: bad zip bounds: 3 bytes stand between its directory and its end, so it cannot be changed.",
  );
  expect(it.host.fs.bytesOf("/work/z.zip")).toEqual(gap);
});

test("local://a.zip:b is a member of the workspace's archive, for writing as for reading", async () => {
  const it = await archiveWorld({ "/ws/z.zip": zipOf({ a: "one\n" }) }, { workspace: "/ws" });
  expect(await it.write("local://z.zip:a", "two\n")).toContain("no_prior_observation");
  expect(await it.read("local://z.zip:a")).toBe("1:one");
  expect(await it.write("local://z.zip:a", "two\n")).toBe("Successfully wrote to local://z.zip:a");
  expect(await it.write("local://new.tgz:a", "two\n")).toBe(
    "Successfully wrote to local://new.tgz:a",
  );
  expect(await it.read("local://new.tgz:a")).toBe("1:two");
  expect(await it.write("local://../z.zip:a", "x")).toBe(
    "selector.escape: archive leaves the workspace: ../z.zip",
  );
  expect(await it.write("local://z.zip", "x")).toBe(
    "archive.member_path: Archive write path must target a file inside the archive",
  );
  it.host.fs.put("/ws/z.zip:lit", "old");
  expect(await it.write("local://z.zip:lit", "x", { force: true })).toMatch(/^\[\/ws\/z\.zip:lit#/);
  expect(await it.write("https://x/z.zip:a", "x")).toMatch(/^write\.no_handler: /);
});

test("nothing is written outside the workspace, also through a link to nowhere", async () => {
  const it = await archiveWorld({
    "/out/z.zip": zipOf({}),
    "link.zip": { link: "/out/z.zip" },
    "dangling.zip": { link: "/out/new.zip" },
    dir: { link: "/out" },
  });
  for (const archive of ["/out/z.zip", "../out/z.zip", "link.zip", "dangling.zip", "dir/new.zip"]) {
    expect(await it.write(`${archive}:a`, "x")).toBe(
      `selector.escape: archive leaves the workspace: ${archive}`,
    );
  }
  expect(it.host.fs.paths().filter((path) => path.startsWith("/out"))).toEqual(["/out/z.zip"]);
});

test("the policy is asked for the archive's real path, before anything is done", async () => {
  const files = { "in/z.zip": zipOf({}), "link.zip": { link: "in/z.zip" } };
  const planned = await archiveWorld(files, { policy: { readOnly: false, plan: ["/work/in"] } });
  expect(await planned.write("link.zip:a", "x")).toBe("Successfully wrote to link.zip:a");
  expect(await planned.write("other.zip:a", "x")).toMatch(/^policy\.plan: /);
  const reading = await archiveWorld(files, { policy: { readOnly: true } });
  expect(await reading.write("link.zip:a", "x")).toMatch(/^policy\.read_only: /);
});

test("a dry run says what would happen", async () => {
  const it = await archiveWorld({ "z.zip": zipOf({ a: "x" }) });
  await it.read("z.zip:a");
  const before = latin1(it.host.fs.bytesOf("/work/z.zip"));
  expect(await it.write("z.zip:a", "y", { dryRun: true })).toBe(
    "z.zip:a would be replaced; nothing was written",
  );
  expect(await it.write("z.zip:b", "y", { dryRun: true })).toBe(
    "z.zip:b would be created; nothing was written",
  );
  expect(latin1(it.host.fs.bytesOf("/work/z.zip"))).toBe(before);
});

test("a write that fails leaves the archive and nothing else", async () => {
  const it = await archiveWorld({ "z.zip": zipOf({ a: "x" }) });
  const before = latin1(it.host.fs.bytesOf("/work/z.zip"));
  const temporary = /^\/work\/\.atomic-/;
  for (const fault of ["ENOSPC", "EIO"]) {
    it.host.fs.before("list", "/work", () => {});
    const create = it.host.fs.create.bind(it.host.fs);
    Object.assign(it.host.fs, {
      create: (path: string, ...rest: [Uint8Array]) => {
        if (temporary.test(path)) it.host.fs.fail("create", path, fault, 1);
        return create(path, ...rest);
      },
    });
    expect(await it.write("z.zip:b", "y")).toMatch(new RegExp(`^file\\.write: .*${fault}`));
    Object.assign(it.host.fs, { create });
  }
  expect(latin1(it.host.fs.bytesOf("/work/z.zip"))).toBe(before);
  expect(it.host.fs.paths().filter((path) => temporary.test(path))).toEqual([]);
});

test("an archive that another program changes at the last moment is left as it is", async () => {
  const it = await archiveWorld({ "z.zip": zipOf({ a: "x" }) });
  const theirs = zipOf({ theirs: "x" });
  const rename = it.host.fs.create.bind(it.host.fs);
  Object.assign(it.host.fs, {
    create: (path: string, ...rest: [Uint8Array]) => {
      it.host.fs.put("/work/z.zip", theirs);
      return rename(path, ...rest);
    },
  });
  expect(await it.write("z.zip:b", "y")).toContain("changed_before_write z.zip:b");
  expect(latin1(it.host.fs.bytesOf("/work/z.zip"))).toBe(latin1(theirs));
});

test("B032: what stands in front of a zip, its longer records and its descriptors stay", async () => {
  for (const [name, member] of [
    ["prefixed.zip", "s.txt"],
    ["zip64.zip", "z64.txt"],
    ["descriptor.zip", "d.txt"],
    ["embedded.zip", "blob.bin"],
    ["embedded_stream.zip", "blob.bin"],
    ["comment.zip", "c.txt"],
  ] as const) {
    const it = await archiveWorld({ [name]: caseFile(`B032/${name}`) });
    const before = latin1(caseFile(`B032/${name}`));
    const content = await it.read(`${name}:${member}:raw`);
    expect(await it.write(`${name}:new.txt`, "new\n")).toMatch(/^Successfully/);
    const after = latin1(it.host.fs.bytesOf(`/work/${name}`));
    // The first byte that differs is in the mark of the old directory, where the new member begins.
    let same = 0;
    while (before[same] === after[same]) same++;
    expect(before.slice(same - 2, same + 2)).toBe("PK\x01\x02");
    expect(await it.read(`${name}:${member}:raw`)).toBe(content);
    expect(await it.read(`${name}:new.txt`)).toBe("1:new");
    expect(await it.write(`${name}:${member}`, "replaced\n")).toMatch(/^Successfully/);
    expect(await it.read(`${name}:${member}`)).toBe("1:replaced");
    expect(await it.read(`${name}:new.txt`)).toBe("1:new");
  }
});

test("B036: a tar keeps the other members' headers, and a hard link may become a file", async () => {
  for (const name of ["pax.tar", "gnu.tar"]) {
    const it = await archiveWorld({ [name]: caseFile(`B036/${name}`) });
    const before = latin1(caseFile(`B036/${name}`));
    expect(await it.write(`${name}:new.txt`, "new\n")).toMatch(/^Successfully/);
    const added = latin1(it.host.fs.bytesOf(`/work/${name}`));
    const end = before.replace(/\0+$/, "").length;
    expect(added.startsWith(before.slice(0, end))).toBe(true);
    expect(added.length % 10_240).toBe(0);
    await it.read(`${name}:hard.txt`);
    expect(await it.write(`${name}:hard.txt`, "own\n")).toBe(
      `Successfully wrote to ${name}:hard.txt\nNote: hard.txt was a hard link to orig.txt and is a file of its own now.`,
    );
    expect(await it.read(`${name}:hard.txt`)).toBe("1:own");
    expect(await it.read(`${name}:orig.txt`)).toBe("1:linked data");
    expect(await it.read(`${name}:sym.txt`)).toMatch(/^1:linked data\n/);
    expect(await it.read(`${name}:after.txt`)).toBe("1:after link");
  }
});

test("of a duplicated name the last one is replaced, and the first stays", async () => {
  const it = await archiveWorld({ "dup.tar": caseFile("B036/dup.tar") });
  await it.read("dup.tar:a.txt");
  await it.write("dup.tar:a.txt", "newer\n");
  const bytes = latin1(it.host.fs.bytesOf("/work/dup.tar"));
  expect(bytes).toContain("newer\n");
  expect(await it.read("dup.tar:a.txt")).toMatch(/^1:newer\n/);
  expect(bytes.split("a.txt\0").length).toBe(3);
});

test("a gzip keeps its header", async () => {
  const named = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
    Buffer.from("name.txt\0"),
    // "a" stored, its checksum and its length.
    Buffer.from([1, 1, 0, 0xfe, 0xff, 0x61, 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0]),
  ]);
  const it = await archiveWorld({ "x.gz": new Uint8Array(named) });
  expect(await it.read("x.gz")).toBe("1:a");
  expect(await it.write("x.gz:x", "b\n")).toBe("Successfully wrote to x.gz:x");
  const bytes = it.host.fs.bytesOf("/work/x.gz")!;
  expect(latin1(bytes.subarray(0, 19))).toBe(latin1(named.subarray(0, 19)));
  expect(gunzipSync(bytes).toString()).toBe("b\n");
});

const names = fc.constantFrom(
  "a",
  "b/c",
  "b/d.txt",
  "é",
  "raw",
  "x".repeat(120),
  "y/".repeat(80) + "z",
);
const contents = fc.string({ maxLength: 1500 });

test.each(["z.zip", "z.tar", "z.tgz"])(
  "%s holds what was written last, whatever the order",
  async (archive) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, contents), { maxLength: 8 }), async (writes) => {
        const it = await archiveWorld({});
        const wanted = new Map<string, string>();
        for (const [name, content] of writes) {
          const text = content.isWellFormed() ? content : "";
          expect(await it.write(`${archive}:${name}`, text)).toMatch(/^Successfully/);
          wanted.set(name, text);
          for (const [each, value] of wanted) {
            const raw = await it.read(`${archive}:${each}:raw`);
            expect(raw).toBe(Buffer.from(value).toString("latin1"));
          }
        }
      }),
      { numRuns: 25 },
    );
  },
);

test("replacing a member of a zip changes no byte of the others, nor their records but for the place", async () => {
  const members = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.record({
      content: fc.uint8Array({ maxLength: 60 }),
      comment: fc.stringMatching(/^[a-z]{0,5}$/),
      attributes: fc.constantFrom(0, 0o100755 * 65_536, 0x20),
    }),
    { minKeys: 1, maxKeys: 6, noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(members, fc.nat(), fc.string({ maxLength: 80 }), async (given, pick, text) => {
      const name = Object.keys(given)[pick % Object.keys(given).length]!;
      const before = zipOf(given);
      const it = await archiveWorld({ "z.zip": before });
      await it.write(`z.zip:${name}`, text.toWellFormed(), { force: true });
      const after = it.host.fs.bytesOf("/work/z.zip")!;
      const [old, now] = [partsOf(before), partsOf(after)];
      expect(now.map((part) => part.name)).toEqual(old.map((part) => part.name));
      for (const [i, part] of old.entries()) {
        if (part.name === name) continue;
        expect(now[i]).toEqual(part);
      }
    }),
    { numRuns: 60 },
  );
});

/** What a zip of `zipOf` holds of each member, but for its place. */
function partsOf(zip: Uint8Array) {
  const bytes = Buffer.from(zip);
  const parts: { readonly name: string; readonly local: string; readonly record: string }[] = [];
  let at = bytes.readUInt32LE(bytes.length - 6);
  for (let left = bytes.readUInt16LE(bytes.length - 12); left > 0; left--) {
    const length =
      46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const record = Buffer.from(bytes.subarray(at, at + length));
    const start = record.readUInt32LE(42);
    record.writeUInt32LE(0, 42);
    const size =
      30 +
      bytes.readUInt16LE(start + 26) +
      bytes.readUInt16LE(start + 28) +
      bytes.readUInt32LE(start + 18);
    parts.push({
      name: record.subarray(46, 46 + record.readUInt16LE(28)).toString(),
      local: bytes.subarray(start, start + size).toString("latin1"),
      record: record.toString("latin1"),
    });
    at += length;
  }
  return parts;
}
