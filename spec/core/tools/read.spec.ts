import { expect, test } from "bun:test";

import { AtomicError } from "../../../core/errors.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import { reading } from "../../helpers/reading.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
const thirty = numbered(30);
const tag30 = tagOf(thirty);
const rows = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => `${first + i}:line ${first + i}`).join("\n");

async function failure(work: Promise<unknown>): Promise<AtomicError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof AtomicError) return thrown;
    throw thrown;
  }
  throw new Error("it did not fail");
}

test("read shows the header, every real line and nothing after the last", async () => {
  const { text } = reading({ "src/a.ts": "const x = 1;\n\nexport {x};\n" });
  expect(await text("src/a.ts")).toBe(
    `[src/a.ts#${tagOf("const x = 1;\n\nexport {x};\n")}]\n1:const x = 1;\n2:\n3:export {x};`,
  );
});

// tools.md §18.1
const ranges: readonly (readonly [string, string])[] = [
  ["a.txt:5-6", `${rows(4, 9)}\n\n[21 lines remain; continue with :10]`],
  ["a.txt:5..6", `${rows(4, 9)}\n\n[21 lines remain; continue with :10]`],
  ["a.txt:L5-L6", `${rows(4, 9)}\n\n[21 lines remain; continue with :10]`],
  ["a.txt:5+2", `${rows(4, 9)}\n\n[21 lines remain; continue with :10]`],
  ["a.txt:1-1", `${rows(1, 4)}\n\n[26 lines remain; continue with :5]`],
  ["a.txt:25-26", `${rows(24, 29)}\n\n[1 line remains; continue with :30]`],
  ["a.txt:28-29", rows(27, 30)],
  ["a.txt:28-99", rows(27, 30)],
  ["a.txt:28", rows(28, 30)],
  ["a.txt:l28-", rows(28, 30)],
  ["a.txt:28..", rows(28, 30)],
  ["a.txt:5-6,9-10", `${rows(4, 13)}\n\n[17 lines remain; continue with :14]`],
  ["a.txt:9-10,5-6,5-6", `${rows(4, 13)}\n\n[17 lines remain; continue with :14]`],
  ["a.txt:10:12", `${rows(9, 15)}\n\n[15 lines remain; continue with :16]`],
  ["a.txt:28:5", rows(28, 30)],
  [
    "a.txt:5-6,20-21",
    `${rows(4, 9)}\n…\n${rows(19, 24)}\n\n[Line 24 is the last one shown; 6 lines remain; continue with :25]`,
  ],
  ["a.txt:5-6, 9-10 ", `${rows(4, 13)}\n\n[17 lines remain; continue with :14]`],
  ["a.txt:5,28", `${rows(4, 8)}\n…\n${rows(27, 30)}`],
  [
    "a.txt:28-29,40,50-60",
    `${rows(27, 30)}\n\n[Beyond EOF, not shown: 40, 50-60; the file has 30 lines]`,
  ],
];

test("read shows ranges with one line before, three after, and where to go on", async () => {
  const { text } = reading({ "a.txt": thirty });
  for (const [target, body] of ranges) {
    expect([target, await text(target)]).toEqual([target, `[a.txt#${tag30}]\n${body}`]);
  }
});

test("read answers a range beyond the end in one line, and records nothing", async () => {
  const it = reading({ "a.txt": thirty, "empty.txt": "", "new\nline": "x" });
  expect(await it.text("a.txt:100")).toBe(
    "Line 100 is beyond EOF: a.txt has 30 lines; the last one is a.txt:30",
  );
  expect(await it.text("a.txt:31-40,50")).toBe(
    "Lines 31, 50 are beyond EOF: a.txt has 30 lines; the last one is a.txt:30",
  );
  expect(await it.text("empty.txt:1-2")).toBe("Line 1 is beyond EOF: empty.txt is empty");
  expect(await it.text("new\nline:2")).toBe(
    'Line 2 is beyond EOF: "new\\nline" has 1 line; the last one is "new\\nline":1',
  );
  expect(it.recorded).toEqual([]);
});

const badSelectors: readonly (readonly [string, string])[] = [
  ["0", "lines start at 1"],
  ["0-4", "lines start at 1"],
  ["5-3", "the range 5-3 ends before it starts"],
  ["5-0", "the range 5-0 ends before it starts"],
  ["5+0", "a range has at least one line"],
  ["5+", 'a count must follow "+"'],
  ["5.6", '"5.6" is no line range'],
  ["5-6-7", '"5-6-7" is no line range'],
  ["5-6,", "an element of the list is empty"],
  ["5,,6", "an element of the list is empty"],
  ["9007199254740992", "line numbers end at 9007199254740991"],
  ["1-9007199254740992", "line numbers end at 9007199254740991"],
  ["9007199254740991+2", "line numbers end at 9007199254740991"],
];

test("read refuses bad line selectors, where the file exists", async () => {
  const { text } = reading({ "a.txt": thirty });
  for (const [selector, reason] of badSelectors) {
    const error = await failure(text(`a.txt:${selector}`));
    expect([error.code, error.status, error.message]).toEqual([
      "selector.line",
      2,
      `Bad line selector ":${selector}": ${reason}. Use forms such as :5, :5-9, :5+3 or :5-9,20-25.`,
    ]);
  }
  expect((await failure(text("a.txt:5-6:8-9"))).message).toBe(
    'Bad line selector ":5-6:8-9": it names lines 2 times. Put all ranges into one list, as in :5-9,20-25.',
  );
  expect((await failure(text("a.txt:1:2:3"))).message).toContain("it names lines 3 times");
});

test("read takes what is no selector for part of the name", async () => {
  const { text } = reading({ "a.txt": thirty });
  for (const target of ["a.txt:-5", "a.txt:foo", "a.txt:", "a.txt:,5"]) {
    const error = await failure(text(target));
    expect([error.code, error.status, error.message, error.hint]).toEqual([
      "file.not_found",
      4,
      `File not found: ${target}`,
      "Relative paths start at /w.",
    ]);
  }
});

test("read names the whole target and the peeled path when neither exists", async () => {
  const { text } = reading({ link: { link: "/gone" } });
  expect((await failure(text("x.txt:5-6:raw"))).message).toBe(
    'File not found: x.txt:5-6:raw (there is no file of that name, nor "x.txt:5-6" or "x.txt" for the selector to apply to)',
  );
  expect((await failure(text("link"))).message).toBe(
    "File not found: link. link is a symbolic link to /gone, which does not exist",
  );
  expect((await failure(text("a\0b"))).code).toBe("file.not_found");
});

test("read shows an empty file by its header", async () => {
  const it = reading({ "empty.txt": "", "bom.txt": "\ufeff" });
  expect(await it.text("empty.txt")).toBe("[empty.txt#5D05]\n(file is empty)");
  expect(await it.text("bom.txt")).toBe("[bom.txt#5D05]\n(file is empty)");
});

test("B004 read counts no phantom line", async () => {
  const three = "red\ngreen\nblue\n";
  const it = reading({ "three.txt": three, "blanktail.txt": "red\n\n", "onlynl.txt": "\n" });
  expect(await it.text("three.txt")).toBe(`[three.txt#${tagOf(three)}]\n1:red\n2:green\n3:blue`);
  expect(await it.text("blanktail.txt")).toBe(`[blanktail.txt#${tagOf("red\n\n")}]\n1:red\n2:`);
  expect(await it.text("onlynl.txt")).toBe("[onlynl.txt#D352]\n1:");
  expect(await it.text("three.txt:4")).toBe(
    "Line 4 is beyond EOF: three.txt has 3 lines; the last one is three.txt:3",
  );
});

test("B005 read hides CRLF, lone CR and the BOM, and records the normalised text", async () => {
  const it = reading({ "crlf.c": "\ufeffint a;\r\nint b;\rint c;\r\n" });
  const normal = "int a;\nint b;\nint c;\n";
  expect(await it.text("crlf.c:2-2")).toBe(
    `[crlf.c#${tagOf(normal)}]\n1:int a;\n2:int b;\n3:int c;`,
  );
  expect(new TextDecoder().decode(it.recorded[0]!.content)).toBe(normal);
});

test("B003 read shows and names bytes that are not UTF-8", async () => {
  const latin1 = Buffer.from("let n = 4;\n// pi\xf1ata\n", "latin1");
  const stray = Uint8Array.from(Buffer.from("int main\n/* \xff\xfe \xc3( \xed\xa0\x80", "latin1"));
  const it = reading({ "latin1.js": new Uint8Array(latin1), "stray.c": stray });
  const first = await it.text("latin1.js");
  expect(first).toBe(
    `[latin1.js#${it.recorded[0]!.tag}]\n(encoding: not valid UTF-8; 1 byte is shown as \\xNN)\n1:let n = 4;\n2:// pi\\xF1ata`,
  );
  expect([...it.recorded[0]!.content]).toEqual([...latin1]);
  expect((await it.text("stray.c")).split("\n").slice(1)).toEqual([
    "(encoding: not valid UTF-8; 6 bytes are shown as \\xNN)",
    "1:int main",
    "2:/* \\xFF\\xFE \\xC3( \\xED\\xA0\\x80",
  ]);
});

test("read decodes UTF-16 and names it", async () => {
  const utf16 = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from("é\r\nb\r\n", "utf16le")]);
  const it = reading({
    "u.txt": new Uint8Array(utf16),
    "odd.txt": Uint8Array.of(0xff, 0xfe, 0x41),
  });
  expect(await it.text("u.txt")).toBe(`[u.txt#${tagOf("é\nb\n")}]\n(encoding: UTF-16LE)\n1:é\n2:b`);
  expect([...(await it.bytes("u.txt:2-2:raw"))]).toEqual([0x62, 0]);
  expect(await it.text("odd.txt")).toBe(
    "[odd.txt: begins like UTF-16 but is not well-formed, 3B; :raw gives its bytes]",
  );
});

test("read :raw gives the exact bytes of the file or of lines", async () => {
  const it = reading({ "a.txt": thirty, "crlf.txt": "\ufeffa\r\nb\rc\nd\r\n", "n.txt": "a\nb" });
  const raw: readonly (readonly [string, string])[] = [
    ["a.txt:raw", thirty],
    ["a.txt:5-6:raw", "line 5\nline 6"],
    ["a.txt:raw:5-6", "line 5\nline 6"],
    ["a.txt:RAW:5-6", "line 5\nline 6"],
    ["a.txt:29:raw", "line 29\nline 30"],
    ["a.txt:1,30,5-6:raw", "line 1\nline 5\nline 6\nline 30"],
    ["n.txt:raw", "a\nb"],
  ];
  for (const [target, right] of raw)
    expect([target, await it.text(target)]).toEqual([target, right]);
  expect(await it.text("a.txt:5-6", { raw: true })).toBe("line 5\nline 6");
  const utf8 = (text: string) => [...new TextEncoder().encode(text)];
  expect([...(await it.bytes("crlf.txt:raw"))]).toEqual(utf8("\ufeffa\r\nb\rc\nd\r\n"));
  expect([...(await it.bytes("crlf.txt:1-2:raw"))]).toEqual(utf8("\ufeffa\r\nb"));
  expect([...(await it.bytes("crlf.txt:2,4:raw"))]).toEqual(utf8("b\rd"));
  expect(it.recorded.length).toBe(11);
});

test("read :raw beyond the end puts no sentence among the bytes", async () => {
  const it = reading({ "a.txt": thirty });
  const sentence = "Line 31 is beyond EOF: a.txt has 30 lines; the last one is a.txt:30";
  expect((await it.bytes("a.txt:31:raw")).length).toBe(0);
  expect(it.notices).toEqual([sentence]);
  expect(await it.text("a.txt:2,31:raw")).toBe("line 2");
  expect(it.notices).toEqual([sentence, sentence]);
  it.options.unlimited = false;
  expect(await it.text("a.txt:31:raw")).toBe(sentence);
});

test("read :raw is limited only where the call says so, and the cut stands in the details", async () => {
  const long = numbered(5000);
  const it = reading({
    "a.txt": long,
    "one.txt": "é".repeat(40_000),
    "b.bin": new Uint8Array(60_000),
  });
  expect((await it.text("a.txt:raw")).length).toBe(long.length);
  it.options.unlimited = false;
  expect(await it.text("a.txt:raw")).toBe(numbered(3000).trimEnd());
  const details = await it.details("a.txt:raw");
  expect(details["truncation"]).toEqual({
    truncated: true,
    truncatedBy: "lines",
    totalLines: 5000,
    totalBytes: long.length - 1,
    outputLines: 3000,
    outputBytes: numbered(3000).length - 1,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines: 3000,
    maxBytes: 51_200,
  });
  expect((await it.bytes("one.txt:raw")).length).toBe(51_200);
  expect((await it.details("one.txt:raw"))["truncation"]).toMatchObject({
    firstLineExceedsLimit: true,
    lastLinePartial: true,
    outputBytes: 51_200,
  });
  expect((await it.bytes("b.bin:raw")).length).toBe(51_200);
  it.options.unlimited = true;
  expect((await it.bytes("b.bin:raw")).length).toBe(60_000);
});

test("read cuts long files after 3,000 lines or 50 KiB and says how to go on", async () => {
  const long = numbered(5000);
  const wide = `${"x".repeat(99)}\n`.repeat(1000);
  const it = reading({ "long.txt": long, "wide.txt": wide, "exact.txt": numbered(3000) });
  const text = await it.text("long.txt");
  expect(text.split("\n").slice(-3)).toEqual([
    "3000:line 3000",
    "",
    "[Showing lines 1-3000 of 5,000; continue with :3001]",
  ]);
  const rest = await it.text("long.txt:3001");
  expect(rest).toBe(`[long.txt#${tagOf(long)}]\n${rows(3001, 5000)}`);
  expect((await it.text("wide.txt")).split("\n").slice(-2)).toEqual([
    "",
    "[Showing lines 1-512 of 1,000 (50 KiB limit); continue with :513]",
  ]);
  expect((await it.text("exact.txt")).endsWith("\n3000:line 3000")).toBe(true);
  const details = await it.details("wide.txt");
  expect(details).toMatchObject({
    meta: { source: "file", sourcePath: "/w/wide.txt", truncation: { truncatedBy: "bytes" } },
    tag: tagOf(wide),
    encoding: "utf-8",
    totalLines: 1000,
    lines: [{ first: 1, last: 512 }],
    truncation: { truncated: true, outputLines: 512, outputBytes: 51_199, totalBytes: 99_999 },
  });
});

test("read explains one line that is too long, with a command that slices it", async () => {
  const it = reading({
    "it's.js": `short\r\n${"x".repeat(60_000)}\r\nlast\r\n`,
    "-w.txt": "y".repeat(51_201),
    "a.txt": `${"x".repeat(51_000)}\n${"y".repeat(1000)}\nz\n`,
  });
  expect(await it.text("it's.js:2")).toBe(
    [
      "Line 2 of it's.js alone has 58.6KB, more than the 50 KiB that are shown at once. Slice its bytes with the shell:",
      "tail -c +8 'it'\\''s.js' | head -c 51200",
      "It fills the bytes 8 to 60007; add 51200 to the first number to go on.",
      "The next line is it's.js:3",
    ].join("\n"),
  );
  expect((await it.text("-w.txt")).split("\n")[1]).toBe("tail -c +1 ./-w.txt | head -c 51200");
  expect(it.recorded).toEqual([]);
  // The line before does not fit beside the one that was asked for, so it is left out.
  expect((await it.text("a.txt:2-2")).split("\n").slice(1)).toEqual([
    `2:${"y".repeat(1000)}`,
    "3:z",
  ]);
  expect((await it.text("it's.js")).split("\n").slice(1)).toEqual([
    "1:short",
    "",
    "[Showing lines 1-1 of 3 (50 KiB limit); continue with :2]",
  ]);
});

test("read puts a notice in the place of binary files and images", async () => {
  const png = Uint8Array.from(
    Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0", "latin1"),
  );
  const it = reading({
    "data.bin": Uint8Array.of(1, 0, 2),
    "pic.txt": png,
    "late.txt": Uint8Array.from([...Buffer.from("x".repeat(8192)), 0]),
    "gif.txt": "GIF89a is an image format\n",
    "bm.txt": "BMW\n",
  });
  expect(await it.text("data.bin")).toBe("[data.bin: a binary file, 3B; :raw gives its bytes]");
  expect(await it.text("pic.txt")).toBe(
    "[pic.txt: image/png, 640x480 pixels, 29B; :raw gives its bytes]",
  );
  expect(await it.details("pic.txt")).toEqual({
    meta: { source: "file", sourcePath: "/w/pic.txt" },
    mimeType: "image/png",
    width: 640,
    height: 480,
    bytes: 29,
  });
  expect(it.recorded).toEqual([]);
  expect((await it.text("late.txt")).startsWith("[late.txt#")).toBe(true);
  expect((await it.text("gif.txt")).endsWith("\n1:GIF89a is an image format")).toBe(true);
  expect((await it.text("bm.txt")).endsWith("\n1:BMW")).toBe(true);
});

test("B024 read refuses FIFOs, sockets and devices before opening them", async () => {
  const it = reading({
    pipe: { kind: "fifo" },
    sock: { kind: "socket" },
    "/dev/zero": { kind: "character device" },
    zero: { link: "/dev/zero" },
    disk: { kind: "block device" },
  });
  const messages: Readonly<Record<string, string>> = {
    pipe: 'Cannot read "pipe": not a regular file, it is a FIFO (named pipe). Nothing was opened.',
    sock: 'Cannot read "sock": not a regular file, it is a socket. Nothing was opened.',
    zero: 'Cannot read "zero": not a regular file, it is a character device. Nothing was opened.',
    disk: 'Cannot read "disk": not a regular file, it is a block device. Nothing was opened.',
  };
  for (const [target, message] of Object.entries(messages)) {
    const error = await failure(it.text(target));
    expect([error.code, error.message]).toEqual(["file.not_regular", message]);
    expect((await failure(it.text(`${target}:raw`))).message).toBe(message);
  }
  expect(it.opened).toEqual([]);
});

test("read says what the operating system refused", async () => {
  const it = reading({
    "secret.txt": { fails: "EACCES", on: "read" },
    "dir/x.txt": { fails: "EACCES" },
    a: { link: "/w/b" },
    b: { link: "/w/a" },
    mem: { fails: "EIO", on: "read" },
    "huge.txt": { fails: "EFBIG", on: "read" },
    "swapped.txt": { fails: "ENOTREG", on: "read" },
  });
  const messages: readonly (readonly [string, string, string])[] = [
    ["secret.txt", "file.unreadable", 'Cannot read "secret.txt": permission denied (EACCES).'],
    ["dir/x.txt", "file.unreadable", 'Cannot read "dir/x.txt": permission denied (EACCES).'],
    ["a", "file.unreadable", 'Cannot read "a": its symbolic links form a loop (ELOOP).'],
    ["mem", "file.unreadable", 'Cannot read "mem": the operating system refused it (EIO).'],
    [
      "huge.txt",
      "file.too_large",
      'Cannot read "huge.txt": it is larger than 1024.0MB, the most that is read at once. Slice it with the shell: head -c 51200 /w/huge.txt',
    ],
    [
      "swapped.txt",
      "file.not_regular",
      'Cannot read "swapped.txt": not a regular file, it is of an unknown kind. Nothing was opened.',
    ],
  ];
  for (const [target, code, message] of messages) {
    const error = await failure(it.text(target));
    expect([error.code, error.message]).toEqual([code, message]);
  }
});

// What B026/setup.sh builds, with the decoys.
const oddNames = [
  ..."app/[slug]/page.tsx|app/[[...opt-in]]/page.tsx|app/(auth)/login.tsx|app/@modal/x.tsx".split(
    "|",
  ),
  ..."app/{a,b}/y.tsx|q?.txt|st*r.txt|a;b.txt|a,b.txt|sp ace.txt|-dash.txt|#hash.txt|!bang.txt".split(
    "|",
  ),
  ..."p#1A2B].txt|~tilde.txt|back\\slash.txt|quo'te.txt|dq\".txt|per%20cent.txt|caret^.txt".split(
    "|",
  ),
  ..."@at.txt| lead.txt|'quoted'|*** Update File: x|tab\tname".split("|"),
];

test("B026 read takes an existing name as it stands", async () => {
  const files = Object.fromEntries(oddNames.map((name) => [name, `me: ${name}\n`]));
  const decoys = {
    "app/s/page.tsx": "decoy",
    "at.txt": "decoy",
    quoted: "decoy",
    x: "decoy",
    "lead.txt": "decoy",
  };
  const it = reading({ ...decoys, ...files, "new\nline.txt": "nl\n" });
  for (const name of oddNames) {
    const shown = name === "tab\tname" ? '"tab\\tname"' : name;
    expect(await it.text(name)).toBe(`[${shown}#${tagOf(`me: ${name}\n`)}]\n1:me: ${name}`);
  }
  expect(await it.text("new\nline.txt")).toBe(`["new\\nline.txt"#${tagOf("nl\n")}]\n1:nl`);
});

test("read undoes decorations only where the authored name does not exist", async () => {
  const it = reading({
    "a b.txt": thirty,
    "/home/me/notes": "n",
    "new\nline.txt": "nl",
    "Shot 3.04\u202fPM.png": "mac",
    "it\u2019s.txt": "curly",
    "cafe\u0301.txt": "nfd",
  });
  const right: Readonly<Record<string, string>> = {
    '"a b.txt"': "a b.txt",
    " a b.txt ": "a b.txt",
    "@a b.txt": "a b.txt",
    "a\u00a0b.txt": "a b.txt",
    "./x/../a b.txt": "a b.txt",
    "Update File: a b.txt": "a b.txt",
    "*** a b.txt": "a b.txt",
    "/w/a b.txt": "a b.txt",
    "file:///w/a%20b.txt": "a b.txt",
    "~/notes": "/home/me/notes",
    '"~/notes"': "/home/me/notes",
    '"new\\nline.txt"': '"new\\nline.txt"',
    "Shot 3.04 PM.png": "Shot 3.04\u202fPM.png",
    "it's.txt": "it\u2019s.txt",
    "caf\u00e9.txt": "cafe\u0301.txt",
  };
  for (const [target, shown] of Object.entries(right)) {
    const header = (await it.text(target)).split("\n")[0]!;
    expect([target, header.slice(0, -6)]).toEqual([target, `[${shown}`]);
  }
  for (const target of ['"a b.txt":29', '"a b.txt:29"', "@a b.txt:29", "file:///w/a%20b.txt:29"]) {
    expect(await it.text(target)).toBe(`[a b.txt#${tag30}]\n${rows(29, 30)}`);
  }
  expect(it.notices).toEqual([]);
});

test("B028 read takes the literal name, and says how to get the other", async () => {
  const it = reading({
    "a.txt": "L1\nL2\nL3\n",
    "a.txt:1": "literal one\n",
    "part:1-2": "part\n",
    "run-2031-04-05T06:07:08Z.log": "z\n",
    "x:raw": "r\n",
    "foo:bar/file": "in\n",
    "C:\\dir\\f.txt": "c\n",
    "x:5": "x5\n",
    "we:ird:5.txt": "w\n",
    "x.txt:conflicts": "k\n",
  });
  const alone: Readonly<Record<string, string>> = {
    "part:1-2": "part",
    "run-2031-04-05T06:07:08Z.log": "z",
    "x:raw": "r",
    "foo:bar/file": "in",
    "C:\\dir\\f.txt": "c",
    "x:5": "x5",
    "we:ird:5.txt": "w",
    "x.txt:conflicts": "k",
  };
  for (const [name, line] of Object.entries(alone)) {
    expect(await it.text(name)).toBe(`[${name}#${tagOf(`${line}\n`)}]\n1:${line}`);
  }
  expect(it.notices).toEqual([]);
  expect((await it.text("a.txt:1")).endsWith("\n1:literal one")).toBe(true);
  expect(it.notices).toEqual([
    'a.txt:1 exists under that very name and was read as such. For the lines of a.txt, read "a.txt:L1".',
  ]);
  expect((await it.text("a.txt:L1")).split("\n").slice(1)).toEqual(["1:L1", "2:L2", "3:L3"]);
  expect(await it.text("a.txt:1:raw")).toBe("literal one\n");
  expect(await it.text("C:\\dir\\f.txt:1-1:raw")).toBe("c");
  expect(await it.text("part:1-2:1-1:raw")).toBe("part");
});

test("read tells how to reach raw bytes behind a literal name", async () => {
  const it = reading({ "x:raw": "r\n", x: "bytes\n" });
  expect((await it.text("x:raw")).endsWith("\n1:r")).toBe(true);
  expect(it.notices).toEqual([
    "x:raw exists under that very name and was read as such. For the raw bytes of x, read x with --raw (raw: true).",
  ]);
  expect(await it.text("x", { raw: true })).toBe("bytes\n");
});

test("read has no handler for URLs and foreign schemes, and names those it knows", async () => {
  const { text } = reading({});
  const right: Readonly<Record<string, string>> = {
    "https://example.test/page:5-8": "URLs",
    "http:/example.test": "URLs",
    "vault://name": "vault:// resources",
  };
  for (const [target, what] of Object.entries(right)) {
    const error = await failure(text(target));
    expect([error.code, error.status, error.message]).toEqual([
      "read.no_handler",
      7,
      `Cannot read ${target}: there is no handler for ${what}. Known are files and local://, skill://, artifact://, conflict://.`,
    ]);
  }
});

test("read records the whole file under its real path, whatever it shows", async () => {
  const it = reading({ "real.txt": thirty, link: { link: "/w/real.txt" } });
  expect((await it.text("link:5-6")).startsWith(`[link#${tag30}]\n`)).toBe(true);
  expect(await it.text("link", { plain: true })).toBe(rows(1, 30));
  await it.text("real.txt:raw");
  const seen = {
    path: "/w/real.txt",
    tag: tag30,
    content: new TextEncoder().encode(thirty),
    bytesHash: new Bun.CryptoHasher("sha256").update(thirty).digest("hex"),
  };
  expect(it.recorded).toEqual([seen, seen, seen]);
});

test("read shows rows without a header when the session cannot record them", async () => {
  const it = reading({ "a.txt": "one\n", "empty.txt": "" });
  it.sessionFailure = new AtomicError("session.unavailable", "The state folder is full");
  expect(await it.text("a.txt")).toBe("1:one");
  expect(await it.text("empty.txt")).toBe("(file is empty)");
  expect(await it.text("a.txt:raw")).toBe("one\n");
  expect(it.notices).toEqual(
    Array(3).fill(
      "This read was not recorded, so it shows no tag and gives no leave to edit: The state folder is full",
    ),
  );
  expect((await it.details("a.txt"))["tag"]).toBeUndefined();
});

test("read shows what is too large to edit without a tag, and says so", async () => {
  const big = new Uint8Array(64 * 1024 * 1024 + 1).fill(0x78);
  for (let i = 63; i < big.length; i += 64) big[i] = 0x0a;
  const it = reading({ "big.log": big });
  const text = await it.text("big.log:5-5");
  expect(text.split("\n").slice(-4)).toEqual([
    `8:${"x".repeat(63)}`,
    "",
    "[1,048,569 lines remain; continue with :9]",
    "[Larger than 64.0MB: shown without a tag, so it cannot be edited]",
  ]);
  expect(text.startsWith("4:xxx")).toBe(true);
  expect(it.recorded).toEqual([]);
});

test("read passes control characters and odd separators through as they are", async () => {
  const text = "a\u001b[31mred\u0007\u2028b\u0085c\vd\n";
  const it = reading({ "c.txt": text });
  expect(await it.text("c.txt")).toBe(`[c.txt#${tagOf(text)}]\n1:${text.trimEnd()}`);
});
