import { expect, test } from "bun:test";

import { rank, wordsOf } from "../../../core/text/bm25.ts";

const found = (texts: readonly string[], query: string) =>
  rank(texts, query, (text) => [{ text, weight: 1 }]).map(({ item }) => item);

test("words are split where names have their joints, without case, accents and plurals", () => {
  expect(wordsOf("createIssues_v2 HTTPServer, Café-prices")).toEqual([
    "create",
    "issue",
    "v2",
    "http",
    "server",
    "cafe",
    "price",
  ]);
  expect(wordsOf("boxes queries class status is")).toEqual([
    "box",
    "query",
    "class",
    "status",
    "is",
  ]);
  expect(wordsOf("検索 поиск")).toEqual(["検索", "поиск"]);
});

test("a rare word counts more than a common one, and a short text more than a long one", () => {
  const texts = ["list files", "list issues", "list pull requests of a repository", "delete file"];
  expect(found(texts, "list issue")[0]).toBe("list issues");
  expect(found(texts, "files")).toEqual(["list files", "delete file"]);
  expect(found(["a b c d e f g list", "list"], "list")).toEqual(["list", "a b c d e f g list"]);
});

test("a word of the name counts more than one of the description", () => {
  const tools = [
    { name: "read", text: "search in it" },
    { name: "search", text: "read it" },
  ];
  const order = rank(tools, "search", ({ name, text }) => [
    { text: name, weight: 4 },
    { text, weight: 1 },
  ]);
  expect(order.map(({ item }) => item.name)).toEqual(["search", "read"]);
});

test("what has none of the words is not found, and equal ones keep their order", () => {
  expect(found(["one", "two"], "three")).toEqual([]);
  expect(found(["x one", "x two"], "x")).toEqual(["x one", "x two"]);
  expect(found(["one"], " !? ")).toEqual([]);
  expect(found([], "one")).toEqual([]);
});
