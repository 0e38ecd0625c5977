// Reading archives and their members (tools.md §§2.4, 3.5, 5).

import { expect, test } from "bun:test";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";

import { archiveWorld, caseFile } from "../../helpers/archive-world.ts";
import { tarOf, zipOf } from "../../helpers/archive-files.ts";

const text = (lines: readonly string[]) => lines.join("\n");

test.each([
  ["two.txt.gz", "1:first\n2:second"],
  ["five.log.gz", "1:member 0\n2:member 1\n3:member 2\n4:member 3\n5:member 4"],
  ["pad.txt.gz", "1:first\n2:second"],
  ["trail.txt.gz", "1:first\n\n[8B that are no gzip follow its end]"],
  [
    "cut.txt.gz",
    "archive.bounds: Cannot read cut.txt.gz: bad gzip member at byte 10: it is cut short or damaged.",
  ],
  [
    "badcrc.txt.gz",
    "archive.checksum: Cannot read badcrc.txt.gz: its content does not match the checksum at byte 20.",
  ],
])("B030: every member of %s counts", async (name, expected) => {
  const it = await archiveWorld({ [name]: caseFile(`B030/${name}`) });
  expect(await it.read(name)).toBe(expected);
});

test("B030: a .gz is its stream, and lists it by the name without the suffix", async () => {
  const it = await archiveWorld({ "two.txt.gz": caseFile("B030/two.txt.gz") });
  expect(await it.read("two.txt.gz:")).toBe("two.txt (13B)");
  expect(await it.read("two.txt.gz:two.txt:2")).toBe("2:second");
  expect(await it.read("two.txt.gz:2")).toBe("2:second");
  expect(await it.read("two.txt.gz:raw")).toBe(
    Buffer.from(caseFile("B030/two.txt.gz")).toString("latin1"),
  );
});

test.each([
  ["descriptor.zip", "d.txt (180B)\ne.txt (7B)", "e.txt", "1:second"],
  ["embedded.zip", "blob.bin (141B)\nlast.txt (5B)", "last.txt", "1:last"],
  ["embedded_stream.zip", "blob.bin (135B)\nlast.txt (5B)", "last.txt", "1:last"],
  ["empty.zip", "(archive is empty)", undefined, undefined],
  ["prefixed.zip", "s.txt (13B)", "s.txt", "1:after prefix"],
  ["zip64.zip", "z64.txt (18B)", "z64.txt", "1:zip64 extra field"],
  ["comment.zip", "c.txt (10B)", "c.txt", "1:commented"],
])("B032: %s is read by its directory", async (name, listing, member, content) => {
  const it = await archiveWorld({ [name]: caseFile(`B032/${name}`) });
  expect(await it.read(name)).toBe(listing);
  expect(await it.read(`${name}:`)).toBe(listing);
  if (member !== undefined) expect(await it.read(`${name}:${member}`)).toBe(content!);
});

test("B034: names in CP437, in UTF-8 with and without the flag, with backslashes, like selectors", async () => {
  const it = await archiveWorld({ "names.zip": caseFile("B034/names.zip") });
  expect(await it.read("names.zip")).toBe(
    text([
      "1 (8B)",
      "café.txt (11B)",
      "dir\\win.txt (10B)",
      "mac-é.txt (20B)",
      "naïve-日本.txt (10B)",
      "raw (10B)",
      "raw:notes.txt (13B)",
      "sp ace/",
    ]),
  );
  for (const [target, expected] of [
    ["café.txt", "1:cp437 name"],
    ["naïve-日本.txt:raw", "utf8 flag\n"],
    ["mac-é.txt", "1:utf8 bytes, no flag"],
    ["dir\\win.txt", "1:backslash"],
    ["dir/win.txt", "1:backslash"],
    ["raw", "1:named raw"],
    ["raw:raw", "named raw\n"],
    ["raw:1-1:raw", "named raw"],
    ["1", "1:named 1"],
    ["1:1", "1:named 1"],
    ["raw:notes.txt", "1:colon member"],
    ["sp ace", "x y.txt (6B)"],
    ["sp ace/x y.txt", "1:space"],
    ["sp ace/", "x y.txt (6B)"],
  ]) {
    expect([target, await it.read(`names.zip:${target}`)]).toEqual([target!, expected!]);
  }
});

test.each(["pax.tar", "gnu.tar"])("B036: long names and links of %s", async (name) => {
  const it = await archiveWorld({ [name]: caseFile(`B036/${name}`) });
  expect(await it.read(name)).toBe(
    text([
      "after.txt (11B)",
      "bin/",
      "deep/",
      "hard.txt -> orig.txt (hard link)",
      "orig.txt (12B)",
      "sym.txt -> orig.txt",
      "日本-é.txt (8B)",
    ]),
  );
  expect(await it.read(`${name}:hard.txt`)).toBe("1:linked data");
  expect(await it.read(`${name}:sym.txt`)).toBe("1:linked data\n\n[sym.txt -> orig.txt]");
  expect(await it.read(`${name}:after.txt`)).toBe("1:after link");
  let path = "deep";
  for (let names = await it.read(`${name}:${path}`); ; names = await it.read(`${name}:${path}`)) {
    path += `/${names.replace(/ \(.*$/, "").replace(/\/$/, "")}`;
    if (!names.endsWith("/")) break;
  }
  expect(path.length).toBe(225);
  expect(await it.read(`${name}:${path}:raw`)).toMatch(/\n$/);
});

test("B036: ./ in front of names, and a name twice", async () => {
  const it = await archiveWorld({
    "dot.tgz": caseFile("B036/dot.tgz"),
    "dup.tar": caseFile("B036/dup.tar"),
  });
  expect(await it.read("dot.tgz")).toBe("src/");
  expect(await it.read("dot.tgz:src/x.txt")).toBe("1:dot slash");
  expect(await it.read("dot.tgz:./src/x.txt")).toBe("1:dot slash");
  expect(await it.read("dot.tgz:src//./x.txt")).toBe("1:dot slash");
  expect(await it.read("dup.tar:a.txt")).toBe(
    "1:new\n\n[2 members of the archive are called a.txt; this is the last one]",
  );
});

test("ranges, what is beyond the end, and members that are no text", async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`).join("");
  const it = await archiveWorld({
    "z.zip": zipOf({
      "in.txt": lines,
      "top.txt": "one\n",
      "latin1.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
      blob: Uint8Array.of(0, 1, 2),
      none: "",
    }),
  });
  expect(await it.read("z.zip:in.txt:5-6")).toBe(
    "4:line 4\n5:line 5\n6:line 6\n7:line 7\n8:line 8\n9:line 9\n\n[21 lines remain; continue with :10]",
  );
  expect(await it.read("z.zip:in.txt:5-6:raw")).toBe("line 5\nline 6");
  expect(await it.read("z.zip:top.txt:2")).toBe(
    "Line 2 is beyond EOF: z.zip:top.txt has 1 line; the last one is z.zip:top.txt:1",
  );
  expect(await it.read("z.zip:latin1.txt")).toBe(
    "(encoding: not valid UTF-8; 1 byte is shown as \\xNN)\n1:caf\\xE9\n\n[z.zip:latin1.txt: 5B that are not UTF-8; :raw gives them as they are]",
  );
  expect(await it.read("z.zip:latin1.txt:raw")).toBe("caf\xe9\n");
  expect(await it.read("z.zip:blob")).toBe("[z.zip:blob: a binary file, 3B; :raw gives its bytes]");
  expect(await it.read("z.zip:none")).toBe("(file is empty)");
  expect(await it.details("z.zip:top.txt")).toEqual({
    meta: { source: "archive", sourcePath: "/work/z.zip:top.txt" },
    totalLines: 1,
    encoding: "utf-8",
    lines: [{ first: 1, last: 1 }],
    resolvedPath: "/work/z.zip",
    member: "top.txt",
    bytes: 4,
  });
});

test("a missing member comes with similar names, a missing archive is a missing file", async () => {
  const it = await archiveWorld({
    "z.zip": zipOf({ "src/main.ts": "x", "src/math.ts": "x", "README.md": "x" }),
  });
  expect(await it.read("z.zip:src/mian.ts")).toBe(
    'archive.member_not_found: Cannot read z.zip:src/mian.ts: z.zip has no member "src/mian.ts". Similar names: src/main.ts.',
  );
  expect(await it.read("z.zip:readme.md")).toMatch(/Similar names: README\.md\.$/);
  expect(await it.read("none.zip:a")).toBe("file.not_found: File not found: none.zip:a");
});

test("500 entries of a folder are listed, and the rest is counted", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 501 }, (_, i) => [`n${String(i).padStart(3, "0")}`, ""]),
  );
  const it = await archiveWorld({ "z.zip": zipOf(many) });
  const rows = (await it.read("z.zip")).split("\n");
  expect(rows.length).toBe(501);
  expect(rows.slice(-2)).toEqual(["n499 (0B)", "… 1 more"]);
});

test("names that lead out are neither shown nor read", async () => {
  const it = await archiveWorld({
    "z.zip": zipOf({
      ok: "fine\n",
      "../evil": "e",
      "/etc/passwd": "e",
      "C:\\x": "e",
      "a/../../b": "e",
    }),
  });
  expect(await it.read("z.zip")).toBe(
    'ok (5B)\n\n[not shown: 4 members whose names are absolute or hold "..": ../evil, /etc/passwd, C:\\x, a/../../b]',
  );
  for (const name of ["../evil", "a/../../b", "a/../ok", "..\\evil"]) {
    expect(await it.read(`z.zip:${name}`)).toBe(
      "archive.member_path: Archive path cannot contain '..'",
    );
  }
  for (const name of ["/etc/passwd", "C:\\x"]) {
    expect(await it.read(`z.zip:${name}`)).toBe(
      "archive.member_path: Archive path cannot be absolute",
    );
  }
});

test("links of a tar are followed inside it only", async () => {
  const it = await archiveWorld({
    "etc/passwd": "root\n",
    "t.tar": tarOf([
      { name: "a/real.txt", content: "real\n" },
      { name: "a/up", type: "2", link: "../b/there" },
      { name: "b/there", type: "2", link: "../a/real.txt" },
      { name: "out", type: "2", link: "../../etc/passwd" },
      { name: "abs", type: "2", link: "/etc/passwd" },
      { name: "loop1", type: "2", link: "loop2" },
      { name: "loop2", type: "2", link: "loop1" },
      { name: "folder", type: "2", link: "a" },
      { name: "null", type: "3" },
    ]),
  });
  expect(await it.read("t.tar:a/up")).toBe("1:real\n\n[a/up -> ../b/there -> ../a/real.txt]");
  for (const name of ["out", "abs"]) {
    expect(await it.read(`t.tar:${name}`)).toMatch(
      /^archive\.member_not_found: .* leads to no member of the archive\. Links are followed only inside the archive\.$/,
    );
  }
  expect(await it.read("t.tar:loop1")).toMatch(/its links form a loop/);
  expect(await it.read("t.tar:folder")).toBe("real.txt (5B)\nup -> ../b/there\n\n[folder -> a]");
  expect(await it.read("t.tar:null")).toBe(
    "archive.method: Cannot read t.tar:null: it is a character device that has no content.",
  );
  expect(await it.read("t.tar")).toMatch(/^null \(a character device\)$/m);
});

test("a hard link has the content of the member before it", async () => {
  const it = await archiveWorld({
    "t.tar": tarOf([
      { name: "a", content: "old\n" },
      { name: "link", type: "1", link: "a" },
      { name: "a", content: "new\n" },
    ]),
  });
  expect(await it.read("t.tar:link")).toBe("1:old");
});

test("what lies about itself is refused, in bounded memory", async () => {
  const bomb = deflateRawSync(new Uint8Array(1_000_000));
  const it = await archiveWorld({
    "size.zip": zipOf({ a: { content: "hello", size: 6 } }),
    "small.zip": zipOf({ a: { packed: bomb, size: 10, crc: 0 } }),
    "ratio.zip": zipOf({ a: { packed: bomb, size: 60_000_000, crc: 0 } }),
    "huge.zip": zipOf({ a: { packed: bomb, size: 100_000_000, crc: 0 } }),
    "crc.zip": zipOf({ a: { content: "hello", crc: 1 } }),
    "method.zip": zipOf({ a: { content: "hello", method: 9 } }),
    "locked.zip": zipOf({ a: { content: "hello", flags: 1 } }),
    "cut.zip": zipOf({ a: "hello" }).subarray(0, 50),
    "far.zip": zipOf({ a: { content: "hello", offset: 5000 } }),
    "cut.tar": tarOf([{ name: "a", content: "x".repeat(2000) }]).subarray(0, 1024),
    "sum.tar": tarOf([
      { name: "a", content: "x" },
      { name: "b", content: "x", checksum: 1 },
    ]),
    "bomb.gz": new Uint8Array(gzipSync(Buffer.alloc(70 * 1024 * 1024))),
    "sparse.tar": tarOf([{ name: "a", type: "S", content: "x" }]),
    "cut.tar.zst": new Uint8Array(zstdCompressSync(tarOf([{ name: "a", content: "x" }]))).subarray(
      0,
      -5,
    ),
  });
  for (const [target, code, why] of [
    ["size.zip:a", "archive.bounds", "it is stored, yet says 5 bytes and 6"],
    ["small.zip:a", "archive.bounds", "hold more than the 10 that it says"],
    ["ratio.zip:a", "archive.bounds", "packed bytes cannot hold 60000000"],
    ["huge.zip:a", "archive.too_large", "the member is of 95.4MB, and at most 64.0MB are read"],
    [
      "crc.zip:a",
      "archive.checksum",
      "its content has the CRC-32 3610a686, and the archive says 00000001",
    ],
    ["method.zip:a", "archive.method", "the member is packed by method 9, Deflate64"],
    ["locked.zip:a", "archive.encrypted", "the member is encrypted"],
    ["cut.zip:a", "archive.bounds", "cut short or no zip"],
    ["far.zip:a", "archive.bounds", "its place is not in the file"],
    ["cut.tar:a", "archive.bounds", "the member after it has 2.0KB, and 512B are left"],
    ["sum.tar:a", "archive.checksum", "the header at byte 1024 (after 1 members) does not match"],
    ["bomb.gz", "archive.too_large", "it unpacks to more than the 64.0MB that are read"],
    ["sparse.tar:a", "archive.bounds", "stored as a sparse file, and the list of its parts"],
    ["cut.tar.zst:a", "archive.bounds", "bad zstd frame at byte 0"],
  ]) {
    const failure = await it.failure(target!);
    expect([target, failure.code]).toEqual([target!, code! as typeof failure.code]);
    expect(failure.message).toContain(why!);
  }
});

test("B032: an archive in a member never takes the place of one whose directory is damaged", async () => {
  const bytes = zipOf({ "in.zip": zipOf({ "fake.txt": "fake\n" }), "b.txt": "b\n" });
  bytes[new DataView(bytes.buffer).getUint32(bytes.length - 6, true)] = 0;
  const it = await archiveWorld({ "z.zip": bytes });
  expect(await it.read("z.zip")).toBe(
    "archive.bounds: Cannot read z.zip: bad zip bounds: its directory is not where its end says.",
  );
  expect(await it.write("z.zip:fake.txt", "x", { force: true })).toMatch(/^archive\.bounds: /);
});

test("a .tar.zst of several frames is read", async () => {
  const tar = tarOf([{ name: "a.txt", content: "packed\n" }]);
  const frames = [tar.subarray(0, 700), tar.subarray(700)].map((part) => zstdCompressSync(part));
  const it = await archiveWorld({ "t.tar.zst": new Uint8Array(Buffer.concat(frames)) });
  expect(await it.read("t.tar.zst")).toBe("a.txt (7B)");
  expect(await it.read("t.tar.zst:a.txt")).toBe("1:packed");
});

test("what only has the name of an archive is read as what it is", async () => {
  const it = await archiveWorld({
    "notes.zip": "one\ntwo\n",
    "notes.gz": "one\n",
    "notes.tar": "one\n",
    "dir.zip": { kind: "directory" },
  });
  expect(await it.read("notes.zip:2")).toMatch(/^\[notes\.zip#.{4}\]\n2:two$/);
  expect(await it.read("notes.gz")).toMatch(/^\[notes\.gz#.{4}\]\n1:one$/);
  expect(await it.read("notes.tar:1-1:raw")).toBe("one");
  expect(await it.read("dir.zip")).toBe("(folder is empty)");
  expect(await it.read("notes.zip:x")).toBe("file.not_found: File not found: notes.zip:x");
});

test("the longest archive that exists is meant, and a file of the whole name before it", async () => {
  const it = await archiveWorld({
    "a.zip": zipOf({ "b.zip:c": "inner\n", raw: "member\n" }),
    "a.zip:raw": "file\n",
    "x.tar:y.zip": zipOf({ c: "outer\n" }),
  });
  expect(await it.read("a.zip:b.zip:c")).toBe("1:inner");
  expect(await it.read("x.tar:y.zip:c")).toBe("1:outer");
  expect(await it.read("a.zip:raw")).toMatch(/\n1:file$/);
});

test("an archive outside the workspace is refused, also behind a link", async () => {
  const it = await archiveWorld({
    "/out/z.zip": zipOf({ a: "x" }),
    "link.zip": { link: "/out/z.zip" },
    "..z.zip": zipOf({ a: "fine\n" }),
  });
  expect(await it.read("/out/z.zip:a")).toBe(
    "selector.escape: archive leaves the workspace: /out/z.zip",
  );
  expect(await it.read("link.zip:a")).toBe(
    "selector.escape: archive leaves the workspace: link.zip",
  );
  expect(await it.read("..z.zip:a")).toBe("1:fine");
});

test("an archive that is swapped for a link while it is opened is caught", async () => {
  const it = await archiveWorld({
    "/out/z.zip": zipOf({ a: "secret\n" }),
    "z.zip": zipOf({ a: "x" }),
  });
  // The first opening asks what kind of file it is.
  it.host.fs.before("open", "/work/z.zip", () => {
    it.host.fs.drop("/work/z.zip");
    it.host.fs.put("/work/z.zip", { link: "/out/z.zip" });
  });
  expect(await it.read("z.zip:a")).toBe("selector.escape: archive leaves the workspace: z.zip");
});
