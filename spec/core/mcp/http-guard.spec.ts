import { expect, test } from "bun:test";

import fc from "fast-check";

import { isSame, refusalOf } from "../../../core/mcp/http-guard.ts";

test("texts are the same only where they are equal", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (given, secret) => {
      expect(isSame(given, secret)).toBe(given === secret);
      expect(isSame(secret, secret)).toBe(true);
    }),
  );
});

test("the name that it was told to listen on is known, in any case, and no other", () => {
  const token = "0123456789abcdef";
  const status = (host: string, origin?: string) =>
    refusalOf(
      new Headers({
        Host: host,
        Authorization: `bearer  ${token}`,
        ...(origin !== undefined && { Origin: origin }),
      }),
      { host: "Dev.Example", token },
    )?.status;
  expect(status("dev.example:8931")).toBeUndefined();
  expect(status("DEV.example", "http://dev.example")).toBeUndefined();
  expect(status("10.0.0.5:1", "http://10.0.0.5:1")).toBeUndefined();
  expect(status("10.0.0.5:1", "http://10.0.0.6:1")).toBe(403);
  expect(status("other.example")).toBe(403);
  expect(status("dev.example.evil")).toBe(403);
  expect(status("")).toBe(403);
  expect(status("dev.example/x")).toBe(403);
  // Numbers that a browser reads as an address cannot be pointed elsewhere.
  expect(status("2130706433")).toBeUndefined();
});
