import { expect, test } from "bun:test";
import { Language, Parser } from "web-tree-sitter";

import { languages, type ParsedLanguage } from "../../../core/syntax/languages.ts";
import type { Rules } from "../../../core/syntax/rules.ts";

import { grammars } from "./fixtures.ts";

test("every node and field that the rules name exists in a grammar that they serve", async () => {
  await Parser.init({ wasmBinary: await grammars.runtime() });
  const unknown = new Map<string, boolean>();
  for (const language of languages) {
    if (language.scan !== undefined) continue;
    const grammar = await Language.load((await grammars.load(language.grammar))!);
    const words = new Set([...grammar.types, ...grammar.fields].filter((word) => word !== null));
    for (const word of wordsOf(language.rules)) {
      const key = `${family(language)}: ${word}`;
      unknown.set(key, (unknown.get(key) ?? true) && !words.has(word));
    }
  }
  expect([...unknown].filter(([, isUnknown]) => isUnknown).map(([key]) => key)).toEqual([]);
});

/** Languages that share their rules, or most of them, answer for them together. */
function family({ name }: ParsedLanguage): string {
  if (/Script|TSX/.test(name)) return "scripts";
  if (/^C(\+\+)?$/.test(name)) return "C and C++";
  return /HTML|Vue|Svelte/.test(name) ? "markup" : name;
}

function wordsOf(rules: Rules): string[] {
  const places = [...rules.lists, ...(rules.bodies ?? []), ...(rules.keys ?? [])];
  const named = [
    rules.wrappers,
    rules.clauses,
    rules.never,
    rules.folds,
    rules.halves,
    rules.comments,
    rules.openEnded,
    rules.detached,
    rules.leaders,
    Object.entries(rules.joins ?? {}).flat(2),
    rules.pairs?.node,
    rules.sections && [
      ...rules.sections.within,
      ...rules.sections.headings,
      ...Object.keys(rules.sections.ranks),
    ],
    rules.forgives?.within,
    Object.values(rules.heredoc ?? {}),
    rules.embeds?.flatMap(({ node, text }) => [node, text]),
  ].flatMap((list) => list ?? []);
  return [...places.flatMap((place) => place.split(/[.!]/)), ...named].filter(
    (word) => word !== "*",
  );
}
