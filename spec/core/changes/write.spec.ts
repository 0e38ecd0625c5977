// The write tool over a file system in memory: every refusal, every fault, and what is on disk afterwards.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import type { AtomicError } from "../../../core/errors.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool, CallOptions } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { read } from "../../../core/tools/read.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";
import { faultyHost, Killed } from "../../helpers/faults.ts";

interface Place {
  readonly host: MemoryHost;
  read(path: string): Promise<string>;
  write(path: string, content: string, options?: Partial<CallOptions>): Promise<string>;
  edit(input: string): Promise<string>;
  details(path: string, content: string): Promise<Readonly<Record<string, unknown>>>;
}

async function place(
  files: Readonly<Record<string, MemoryEntry>>,
  { host = memoryHost({ files }), id = "one" }: { host?: MemoryHost; id?: string } = {},
): Promise<Place> {
  const session = await openSession(host, { folder: "/home/me/state", id, notice: () => {} });
  const run = (tool: AnyTool, input: unknown, options: Partial<CallOptions> = {}) => {
    const all = { dryRun: false, partial: false, force: false, unlimited: false, ...options };
    const call = callFor({ cwd: "/work", session: async () => session, options: all });
    return callTool(tool, input, host, call, { readOnly: false });
  };
  async function text(...given: Parameters<typeof run>): Promise<string> {
    const outcome = await run(...given);
    if (!outcome.ok) return told(outcome.error);
    const { rendered } = outcome;
    return "text" in rendered ? rendered.text : new TextDecoder().decode(rendered.bytes);
  }
  return {
    host,
    read: (path) => text(read, { path }),
    write: (path, content, options) => text(write, { path, content }, options),
    edit: (input) => text(edit, { input }),
    async details(path, content) {
      const outcome = await run(write, { path, content });
      if (!outcome.ok) throw outcome.error;
      return outcome.details;
    },
  };
}

function told({ code, message }: AtomicError): string {
  return `${code}: ${message}`;
}

const requester = "Requester: session=one pid=4711 user=1000@box";

describe("a new file", () => {
  test("is made with the folders it needs, and its answer is a header to edit by", async () => {
    const it = await place({});
    expect(await it.write("new/deep/f.txt", "one\ntwo\n")).toBe(
      "[new/deep/f.txt#0127]\nSuccessfully wrote to new/deep/f.txt",
    );
    expect(it.host.fs.text("/work/new/deep/f.txt")).toBe("one\ntwo\n");
    expect(await it.edit("[new/deep/f.txt#0127]\nreplace 2..2:\n+TWO\n")).toContain("*2:TWO");
    expect(it.host.fs.calls.some((call) => call.includes(".tmp"))).toBe(true);
    expect(it.host.fs.paths().filter((path) => path.startsWith("/work"))).toEqual([
      "/work/new/deep/f.txt",
    ]);
  });

  test("needs no reading first, and may be written again by who wrote it", async () => {
    const it = await place({});
    await it.write("a", "1");
    expect(await it.write("a", "2")).toStartWith("[a#");
    expect(await it.details("a", "2")).toEqual({
      resolvedPath: "/work/a",
      bytes: 1,
      outcome: "unchanged",
      tag: expect.stringMatching(/^[0-9A-F]{4}$/),
      meta: { source: "file", sourcePath: "/work/a" },
    });
  });

  test("that appears between the check and the creation is not overwritten", async () => {
    const it = await place({});
    const answer = await raced(it);
    expect(answer).toBe(
      `file.conflict: FILE_MUTATION_CONFLICT:target_exists a\nReason: the file did not exist when it was looked for, and does now.\nDo: read a, then retry.\n${requester}`,
    );
    expect(it.host.fs.text("/work/a")).toBe("theirs\n");
  });

  /** The other writer comes when the content is staged already. */
  async function raced(it: Place): Promise<string> {
    const { fs } = it.host;
    const create = fs.create.bind(fs);
    fs.create = async (path, bytes, options) => {
      await create(path, bytes, options);
      if (path.endsWith(".tmp")) fs.put("/work/a", "theirs\n");
    };
    return it.write("a", "mine\n");
  }
});

describe("an existing file", () => {
  test("that was never observed is refused; a read of a part of it is enough", async () => {
    const it = await place({ "a.txt": "old\nmore\n" });
    expect(await it.write("a.txt", "new\n")).toBe(
      `file.conflict: FILE_MUTATION_CONFLICT:no_prior_observation a.txt
Reason: the file exists and this session has not read, written or edited it.
Do: read a.txt, then retry.
Now: 2 lines, first line "old", tag #${tagOf("old\nmore\n")} (for comparison only).
${requester}`,
    );
    expect(it.host.fs.text("/work/a.txt")).toBe("old\nmore\n");
    await it.read("a.txt:2-2");
    expect(await it.write("./a.txt", "new\n")).toContain("Successfully wrote to ./a.txt");
  });

  test("that changed since is refused with the first line that differs and both sides", async () => {
    const it = await place({ "notes.md": "a\nx\nb\n" });
    await it.read("notes.md");
    it.host.fs.put("/work/notes.md", "a\nx\nB\nc\n");
    expect(await it.write("notes.md", "mine\n")).toMatch(
      /^file\.conflict: FILE_MUTATION_CONFLICT:changed_since_observation notes\.md\nReason: the file is not what this session last saw\.\nDo: read notes\.md again, then retry\.\nFirst difference: line 3, expected "b", found "B" \(1 line became 2\)\.\nNow: 4 lines, first line "a", tag #[0-9A-F]{4} \(for comparison only\)\.\nRequester: session=one pid=4711 user=1000@box$/,
    );
    expect(it.host.fs.text("/work/notes.md")).toBe("a\nx\nB\nc\n");
  });

  test("whose line endings alone changed is refused as well: bytes count", async () => {
    const it = await place({ a: "1\n2\n" });
    await it.read("a");
    it.host.fs.put("/work/a", "1\r\n2\r\n");
    expect(await it.write("a", "3\n")).toContain(
      "First difference: none in the lines; line endings, a byte order mark or the encoding changed.",
    );
  });

  test("another session's reading gives no leave", async () => {
    const first = await place({ a: "1\n" });
    await first.read("a");
    const second = await place({}, { host: first.host, id: "two" });
    expect(await second.write("a", "2\n")).toContain("no_prior_observation");
  });

  test("an edit of this session counts as an observation", async () => {
    const it = await place({ a: "1\n" });
    const header = (await it.read("a")).split("\n")[0]!;
    await it.edit(`${header}\nreplace 1..1:\n+2\n`);
    expect(await it.write("a", "3\n")).toContain("Successfully wrote to a");
  });

  test("keeps its mode and its links; #! makes it executable for all", async () => {
    const it = await place({
      "real.sh": { content: "x\n", mode: 0o640 },
      link: { link: "real.sh" },
    });
    await it.read("link");
    const details = await it.details("link", "#!/bin/sh\n");
    expect(details).toMatchObject({
      madeExecutable: true,
      resolvedPath: "/work/real.sh",
      bytes: 10,
    });
    expect((await it.host.fs.lstat("/work/link"))?.kind).toBe("symlink");
    expect((await it.host.fs.stat("/work/real.sh"))?.mode).toBe(0o751);
    expect(await it.details("link", "#!/bin/sh\necho\n")).not.toHaveProperty("madeExecutable");
  });

  test("its line endings and its byte order mark are not kept, and that is said", async () => {
    const it = await place({ a: "\ufeff1\r\n2\r\n" });
    await it.read("a");
    expect((await it.write("a", "1\n2\n")).split("\n").slice(1)).toEqual([
      "Successfully wrote to a",
      "Note: the byte order mark is gone.",
      "Note: the line endings changed from CRLF to LF.",
    ]);
    expect(it.host.fs.text("/work/a")).toBe("1\n2\n");
  });
});

describe("generated files", () => {
  const filler = (length: number) => "x".repeat(length);
  const table: readonly (readonly [string, string, boolean])[] = [
    ["a marker at the top", "// @generated\n", true],
    ["capitals do not matter", "# Do Not Edit\n", true],
    ["auto-generated", "/* This file is auto-generated. */", true],
    ["the marker of Go", "// Code GENERATED -- do not edit", true],
    ["within 1,024 bytes", `${filler(1_000)} @generated`, true],
    ["after them", `${filler(1_020)} @generated`, false],
    ["line 40", `${"\n".repeat(39)}@generated`, true],
    ["line 41", `${"\n".repeat(40)}@generated`, false],
    ["part of a word", "me@generated.example regenerated autogenerated", false],
  ];
  for (const [what, content, isRefused] of table) {
    test(`${what}: ${isRefused ? "refused" : "written"}`, async () => {
      const it = await place({ a: content });
      await it.read("a");
      const answer = await it.write("a", "new\n");
      if (isRefused)
        expect(answer).toStartWith("write.generated: Cannot write a: it is a generated file");
      else expect(answer).toContain("Successfully wrote to a");
      expect(it.host.fs.text("/work/a")).toBe(isRefused ? content : "new\n");
    });
  }

  test("a name says nothing, and a new file may say what it likes", async () => {
    const it = await place({ "x.generated.ts": "1\n" });
    await it.read("x.generated.ts");
    expect(await it.write("x.generated.ts", "2\n")).toContain("Successfully");
    expect(await it.write("new", "// @generated\n")).toContain("Successfully");
  });

  test("--force overrules the guards, says which, and logs it", async () => {
    const it = await place({ a: "// @generated\n" });
    expect(await it.write("a", "new\n", { force: true })).toEndWith(
      "Successfully wrote to a\nNote: --force overruled 2 guards: generated, no_prior_observation.",
    );
    expect(it.host.fs.text("/work/a")).toBe("new\n");
  });
});

describe("targets that cannot be written", () => {
  const files: Readonly<Record<string, MemoryEntry>> = {
    "d/x": "x",
    "shut/x": { content: "x", mode: 0o000 },
    "ro.txt": { content: "x", mode: 0o444 },
    loop: { link: "loop2" },
    loop2: { link: "loop" },
    fifo: { kind: "fifo" },
    far: { link: "nowhere/x" },
  };
  const table: readonly (readonly [string, RegExp])[] = [
    [
      "d",
      /^file\.conflict: FILE_MUTATION_CONFLICT:target_unreadable d\nReason: it is a folder, not a file \(error code EISDIR\)\.\nDo: Name a file in it\.\nRequester: /,
    ],
    ["d/", /^file\.not_regular: Cannot write "d\/": it names a folder\. Name a file in it\.$/],
    [".", /^file\.not_regular: /],
    ["~", /^file\.not_regular: /],
    ["", /^usage\.input: /],
    ["-", /^usage\.input: Cannot write to -: the target must be a file\.$/],
    ["a\0b", /^usage\.input: Cannot write "a\\u0000b": no file can have such a name/],
    [
      "d/x/y",
      /^file\.not_regular: Cannot write "d\/x\/y": "d\/x" is a file, so nothing can be in it\.$/,
    ],
    [
      "shut/x",
      /^file\.conflict: FILE_MUTATION_CONFLICT:target_unreadable shut\/x\nReason: the file that is there may not be read \(error code EACCES\)\./,
    ],
    ["loop", /^file\.write: Cannot write "loop": its symbolic links form a loop \(ELOOP\)\.$/],
    [
      "fifo",
      /^file\.conflict: FILE_MUTATION_CONFLICT:target_unreadable fifo\nReason: it is a pipe, socket or device, not a regular file \(error code ENOTREG\)\./,
    ],
    [
      "far",
      /^file\.write: Cannot write "far": "far" is a symbolic link to "nowhere\/x", which is in a folder that does not exist\.$/,
    ],
    [
      "https://example.test/a",
      /^write\.no_handler: Cannot write https:\/\/example\.test\/a: it is a URL, and only files, local:\/\/, skill:\/\/ and conflict:\/\/ can be written\.$/,
    ],
    ["artifact://1", /^write\.no_handler: /],
    ["vault://a", /^write\.no_handler: /],
    ["local://../a", /^selector\.escape: local:\/\/ leaves the workspace: \.\.\/a$/],
    ["\ud800", /^usage\.input: /],
    ["new\ufffd", /^usage\.input: Cannot create "new\ufffd": its name holds U\+FFFD/],
  ];
  for (const [path, answer] of table) {
    test(`${JSON.stringify(path)} changes nothing`, async () => {
      const it = await place(files);
      const before = it.host.fs.paths();
      expect(await it.write(path, "new\n")).toMatch(answer);
      expect(it.host.fs.paths()).toEqual(before);
    });
  }

  test("a read-only file is refused although its folder would let it be replaced", async () => {
    const it = await place(files);
    await it.read("ro.txt");
    expect(await it.write("ro.txt", "new\n")).toBe(
      "file.write: Cannot write ro.txt: the file is read-only for this user (mode 444, error code EACCES). Nothing was written.",
    );
    expect(it.host.fs.text("/work/ro.txt")).toBe("x");
    expect((await it.host.fs.stat("/work/ro.txt"))?.mode).toBe(0o444);
  });

  test("a new file in a folder that may not be written says so", async () => {
    const it = await place({ shut: { kind: "directory", mode: 0o555 } });
    expect(await it.write("shut/new", "x")).toBe(
      "file.write: Failed to write shut/new: Error code: EACCES.",
    );
    expect(await it.write("shut/deep/new", "x")).toBe(
      "file.write: Failed to write shut/deep/new: Error code: EACCES.",
    );
    expect(it.host.fs.paths().filter((path) => path.startsWith("/work"))).toEqual([]);
  });

  test("a new file under the name of a selector says so", async () => {
    const it = await place({ "a.ts": "1\n" });
    expect(await it.write("a.ts:5-9", "x")).toContain(
      "Note: this is a new file of that very name; write takes no line selectors. a.ts was not touched.",
    );
  });
});

test("what read and search print is turned back into the text; anything else stays as it is", async () => {
  const rows = fc.array(
    fc.string({ unit: fc.constantFrom("a", " ", "\t", ":", "1", "[", "é", "#") }),
    {
      maxLength: 6,
    },
  );
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), fc.nat(), async (lines, ends, pick) => {
      const content = lines.join("\n") + (ends ? "\n" : "");
      const it = await place({ "s.txt": content });
      const shown = await it.read("s.txt");
      if (!shown.includes("\n1:")) return;
      await it.write("copy", shown);
      expect(it.host.fs.text("/work/copy")).toBe(content);
      // One row that is not the snapshot's, and nothing is taken for a copy.
      const changed = shown.split("\n");
      const at = 1 + (pick % (changed.length - 1));
      changed[at] = `${changed[at]}!`;
      if (!/^\d+:/.test(changed[at]!)) return;
      await it.write("other", changed.join("\n"));
      expect(it.host.fs.text("/work/other")).toBe(changed.join("\n"));
    }),
    { numRuns: 150 },
  );
});

describe("faults", () => {
  const old = "old\n".repeat(50);
  const wanted = "new\n".repeat(70);
  const kinds: Readonly<Record<string, Readonly<Record<string, MemoryEntry>>>> = {
    "over a file": { "d/f": old },
    "over a file that must be written in place": {
      d: { kind: "directory", mode: 0o555 },
      "d/f": { content: old, uid: 2000, mode: 0o666 },
    },
    "a new file in new folders": {},
  };
  for (const [what, files] of Object.entries(kinds)) {
    for (const fault of ["EIO", "ENOSPC", "EACCES", "EINTR", "EROFS", "kill"]) {
      test(`${what}, ${fault} at any call: the old content or the new, and never else`, async () => {
        const hits = new Set<string>();
        for (let at = 1; ; at++) {
          const plain = await place(files);
          if (Object.keys(files).length > 0) await plain.read("d/f");
          const faulty = faultyHost(plain.host, fault, at);
          const it = await place({}, { host: faulty.host });
          let answer = "killed";
          try {
            answer = await it.write("d/f", wanted);
          } catch (thrown) {
            if (!(thrown instanceof Killed)) throw thrown;
          }
          const { fs } = plain.host;
          const found = fs.text("/work/d/f");
          if (fault === "kill") {
            // What landed is this session's own, whoever lived to record it.
            if (found === wanted) {
              const again = await place({}, { host: plain.host });
              expect(await again.write("d/f", wanted)).toContain("Successfully wrote to d/f");
            }
            // The next process mends what was torn, and sees a whole file.
            const next = await place({}, { host: plain.host });
            const shown =
              fs.text("/work/d/f") === undefined ? undefined : await next.read("d/f:raw");
            expect([undefined, old, wanted]).toContain(shown);
            if (shown === undefined) expect(Object.keys(files)).toEqual([]);
          } else {
            const isDone = answer.includes("Successfully wrote to d/f");
            expect([at, faulty.hit(), answer, found]).toEqual([
              at,
              faulty.hit(),
              answer,
              isDone ? wanted : Object.keys(files).length > 0 ? old : undefined,
            ]);
            const stray = fs.paths().filter((path) => path.endsWith(".tmp"));
            // What cannot be removed stays, and the next write in the folder sweeps it.
            if (faulty.hit() !== "remove") expect(stray).toEqual([]);
          }
          const hit = faulty.hit();
          if (hit === undefined) break;
          hits.add(hit);
        }
        expect(hits.size).toBeGreaterThan(3);
      });
    }
  }
});
