import { expect, test } from "bun:test";

import { type Manner, present, presentAll, presentError } from "../../cmd/output.ts";
import { showControls } from "../../core/text/controls.ts";
import type { Outcome } from "../../core/call.ts";
import { aborted, AtomicError } from "../../core/errors.ts";

const manner: Manner = {
  settings: { json: false, debug: false, color: { out: false, err: false } },
  outTerminal: false,
  errTerminal: false,
  writes: false,
  isLive: false,
  stopStatus: undefined,
};
const json: Manner = { ...manner, settings: { ...manner.settings, json: true } };
const ESC = "\u001b";

const text = (value: string, details = {}): Outcome => ({
  ok: true,
  rendered: { text: value },
  details,
});
const bytes = (...values: number[]): Outcome => ({
  ok: true,
  rendered: { bytes: Uint8Array.from(values) },
  details: {},
});
const failed = (error: AtomicError): Outcome => ({ ok: false, error });
const missing = new AtomicError("file.not_found", "File not found: a", {
  data: { path: "/w/a" },
  hint: "Look again.",
});

test("text ends with exactly one newline where it does not already end with any", () => {
  expect(present(text("a"), manner)).toEqual({ out: "a\n", err: "", status: 0 });
  expect(present(text("a\n"), manner).out).toBe("a\n");
  expect(present(text("a\n\n"), manner).out).toBe("a\n\n");
  expect(present(text(""), manner).out).toBe("");
});

test("a blank line stands between two texts only", () => {
  expect(present(text("b"), manner, text("a")).out).toBe("\nb\n");
  expect(present(text("b"), manner, bytes(1)).out).toBe("b\n");
  expect(present(text("b"), manner, failed(missing)).out).toBe("b\n");
  expect(present(bytes(98), manner, text("a")).out).toEqual(Uint8Array.of(98));
});

test("bytes are not touched on their way into a pipe", () => {
  expect(present(bytes(0, 255, 27, 13), manner).out).toEqual(Uint8Array.of(0, 255, 27, 13));
});

test("a terminal is shown control characters as escapes", () => {
  const terminal = { ...manner, outTerminal: true };
  expect(present(text(`1:a\tb${ESC}[2Jc\r`), terminal).out).toBe("1:a\tb\\x1b[2Jc\\x0d\n");
  expect(present(bytes(97, 27, 255, 10), terminal).out).toBe("a\\x1b\\xFF\n");
});

const shown: readonly (readonly [string, string])[] = [
  ["plain é 😀 \t\n", "plain é 😀 \t\n"],
  ["\u0000\u0007\u007f", "\\x00\\x07\\x7f"],
  ["\u0085\u009b", "\\x85\\x9b"],
  ["a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  ["\udcff", "\\xFF"],
  ["a\r\nb", "a\\x0d\nb"],
];
test.each(shown)("showControls(%j)", (value, result) => {
  expect(showControls(value)).toBe(result);
});

test("--json is one object and a newline", () => {
  expect(present(text("a\n", { tag: "0A3B" }), json)).toEqual({
    out: '{"text":"a\\n","details":{"tag":"0A3B"},"isError":false}\n',
    err: "",
    status: 0,
  });
});

test("--json carries bytes that are UTF-8 as text, a BOM too, and others as base64", () => {
  expect(JSON.parse(String(present(bytes(0xef, 0xbb, 0xbf, 97), json).out))).toEqual({
    text: "\ufeffa",
    details: {},
    isError: false,
  });
  const all = Uint8Array.from({ length: 30_000 }, (_, i) => i % 256);
  const printed = JSON.parse(String(present(bytes(...all), json).out));
  expect(printed.details).toEqual({ textEncoding: "base64" });
  expect(new Uint8Array(Buffer.from(printed.text, "base64"))).toEqual(all);
});

test("--json prints an error on standard output, with its status", () => {
  expect(present(failed(missing), json)).toEqual({
    out: '{"text":"File not found: a","details":{"path":"/w/a","code":"file.not_found","status":4,"hint":"Look again."},"isError":true}\n',
    err: "",
    status: 4,
  });
});

test("several results are one object; the status is the first failure's", () => {
  const stale = new AtomicError("edit.stale", "It changed");
  const printed = presentAll([text("a"), failed(missing), failed(stale)], json);
  expect(printed.status).toBe(4);
  expect(JSON.parse(String(printed.out))).toEqual({
    text: "a\n\nFile not found: a\n\nIt changed",
    details: {
      results: [
        { text: "a", details: {}, isError: false },
        {
          text: "File not found: a",
          details: { path: "/w/a", code: "file.not_found", status: 4, hint: "Look again." },
          isError: true,
        },
        { text: "It changed", details: { code: "edit.stale", status: 3 }, isError: true },
      ],
    },
    isError: true,
  });
});

test("an error is its message as it stands, then its hint", () => {
  expect(presentError(missing, manner)).toEqual({
    out: "",
    err: "File not found: a\nLook again.\n",
    status: 4,
  });
});

test("the hint alone is coloured", () => {
  const color = { ...manner, settings: { ...manner.settings, color: { out: false, err: true } } };
  expect(presentError(missing, color).err).toBe(
    `File not found: a\n${ESC}[2mLook again.${ESC}[22m\n`,
  );
});

test("an error on a terminal cannot drive it", () => {
  const error = new AtomicError("file.not_found", `File not found: ${ESC}[2J`);
  expect(presentError(error, { ...manner, errTerminal: true }).err).toBe(
    "File not found: \\x1b[2J\n",
  );
});

const spared: readonly (readonly [AtomicError, boolean])[] = [
  [new AtomicError("edit.stale", "Edit rejected for a: file changed between read and edit."), true],
  [new AtomicError("edit.script", "line 1: payload line has no preceding hunk header."), true],
  [new AtomicError("usage.input", 'Field "input" is missing.'), true],
  [aborted(), true],
  [new AtomicError("file.write", "Failed to write a: EIO Sections not written: b."), true],
  [new AtomicError("file.write", "Failed to write b: EIO Sections already written: a."), false],
  [new AtomicError("file.write", "Failed to write b: EIO Files already written: a."), false],
  [new AtomicError("lock.timeout", "The lock was held."), false],
  [new AtomicError("policy.read_only", "Read-only mode. Nothing was written."), false],
  [new AtomicError("internal", "Internal error: x"), false],
];
test.each(spared)("a failed edit says that nothing was written where it can: %s", (error, says) => {
  const { err } = presentError(error, { ...manner, writes: true });
  expect(err.includes("\nNothing was written.\n")).toBe(says);
  expect(presentError(error, manner).err).not.toContain("\nNothing was written.\n");
});

test("a stack is shown in debugging only, with its causes", () => {
  const error = new AtomicError("internal", "Internal error: x", { cause: new TypeError("deep") });
  expect(presentError(error, manner).err).not.toContain("at ");
  const debug = { ...manner, settings: { ...manner.settings, debug: true } };
  expect(presentError(error, debug).err).toMatch(/\n +at [\s\S]*Caused by: TypeError: deep/);
});

test("a cancelled call has the status of its signal", () => {
  expect(presentError(aborted(), manner).status).toBe(130);
  expect(presentError(aborted(), { ...manner, stopStatus: 143 })).toEqual({
    out: "",
    err: "Operation aborted\n",
    status: 143,
  });
  const printed = present(failed(aborted()), { ...json, stopStatus: 143 });
  expect(JSON.parse(String(printed.out)).details.status).toBe(143);
});
