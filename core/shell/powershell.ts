// A PowerShell command, split into the commands it would run: by its separators and quotes alone. Far less is seen than of a
// POSIX command: no variables, no substitutions, no scripts.

import type { Inspection, Run } from "./runs.ts";
import type { World } from "./scope.ts";

const SINGLE = "'\u2018\u2019\u201a\u201b";
const DOUBLE = '"\u201c\u201d\u201e';

/** Names for the same in the words of a POSIX shell, so that one table of rules serves both. */
const aliases: Readonly<Record<string, string>> = {
  "remove-item": "rm",
  ri: "rm",
  del: "rm",
  erase: "rm",
  rd: "rm",
  rmdir: "rm",
  "stop-computer": "poweroff",
  "restart-computer": "reboot",
  "format-volume": "mkfs",
  "clear-disk": "wipefs",
};

export function inspectPowerShell(text: string, { cwd, home }: World): Inspection {
  const runs: Run[] = [];
  for (const { words, raw } of statementsOf(text)) {
    const [first = "", ...args] = words;
    const name = aliases[first.toLowerCase()] ?? first;
    const isAll = args.some((arg) => /^-r(?:e(?:c\w*)?)?$/i.test(arg));
    const plain = args.map((arg) =>
      arg.replace(/^(?:\$HOME|\$env:(?:HOME|USERPROFILE)|~)(?=$|[\\/])/i, () => home ?? "~"),
    );
    const shared = {
      text: raw,
      redirects: [],
      hasInput: false,
      through: [],
      place: "list",
      source: undefined,
      cwd,
      home,
    } as const;
    runs.push({ ...shared, words });
    if (name !== first) runs.push({ ...shared, words: [name, ...(isAll ? ["-r"] : []), ...plain] });
  }
  return { runs, unreadable: [], isWhole: true };
}

function statementsOf(
  text: string,
): readonly { readonly words: readonly string[]; readonly raw: string }[] {
  const statements: { words: string[]; raw: string }[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let from = 0;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const end = (at: number) => {
    endWord();
    if (words.length > 0) statements.push({ words, raw: text.slice(from, at).trim() });
    words = [];
    from = at + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const quotes = SINGLE.includes(char) ? SINGLE : DOUBLE.includes(char) ? DOUBLE : undefined;
    if (quotes !== undefined) {
      let inner = "";
      for (at++; at < text.length; at++) {
        const next = text[at]!;
        if (quotes === DOUBLE && next === "`") inner += text[++at] ?? "";
        else if (!quotes.includes(next)) inner += next;
        else if (quotes.includes(text[at + 1] ?? "\0")) inner += text[++at]!;
        else break;
      }
      word = (word ?? "") + inner;
    } else if (char === "`") word = (word ?? "") + (text[++at] ?? "");
    else if (char === "#" && word === undefined) {
      const lineEnd = text.indexOf("\n", at);
      end(at);
      at = lineEnd < 0 ? text.length : lineEnd;
      from = at + 1;
    } else if (/[\n;|{}()]/.test(char) || (char === "&" && text[at + 1] === "&")) {
      end(at);
      if (char === "&") at++;
      from = at + 1;
    } else if (/[\s,&]/.test(char)) endWord();
    else word = (word ?? "") + char;
  }
  end(text.length);
  return statements;
}
