// Brace expansion, which a shell does on the text of a word before anything else: "{rm,-rf,/}" are three words.

const MOST = 512;

/** @param raw a word as written */
export function expandBraces(raw: string): readonly string[] {
  if (!raw.includes("{")) return [raw];
  const words: string[] = [];
  const waiting = [raw];
  while (waiting.length > 0 && words.length + waiting.length < MOST) {
    const word = waiting.pop()!;
    const alternatives = firstBraces(word);
    if (alternatives === undefined) words.push(word);
    else waiting.push(...alternatives.toReversed());
  }
  return [...words, ...waiting];
}

/** The words with the first braces replaced by what they list; undefined where none list anything. */
function firstBraces(word: string): readonly string[] | undefined {
  for (let at = 0; at < word.length; at = next(word, at)) {
    if (word[at] !== "{") continue;
    const inner = alternativesAt(word, at);
    if (!inner) continue;
    const before = word.slice(0, at);
    const after = word.slice(inner.end + 1);
    return inner.list.map((each) => before + each + after);
  }
  return undefined;
}

function alternativesAt(
  word: string,
  open: number,
): { readonly list: readonly string[]; readonly end: number } | undefined {
  const list: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open + 1; at < word.length; at = next(word, at)) {
    const char = word[at];
    if (char === "{") depth++;
    else if (char === "}" && depth > 0) depth--;
    else if (char === "," && depth === 0) {
      list.push(word.slice(from, at));
      from = at + 1;
    } else if (char === "}") {
      const last = word.slice(from, at);
      if (list.length > 0) return { list: [...list, last], end: at };
      const range = rangeOf(last);
      return range && { list: range, end: at };
    }
  }
  return undefined;
}

function rangeOf(text: string): readonly string[] | undefined {
  const found = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.-?\d{1,9})?$/.exec(text);
  if (!found) return undefined;
  const [, from = "", to = ""] = found;
  const isNumber = /\d/.test(from);
  if (isNumber !== /\d/.test(to)) return undefined;
  const [first, last] = isNumber
    ? [Number(from), Number(to)]
    : [from.charCodeAt(0), to.charCodeAt(0)];
  const count = Math.min(MOST, Math.abs(last - first) + 1);
  const step = first <= last ? 1 : -1;
  return Array.from({ length: count }, (_, index) => {
    const value = first + index * step;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}

/** Past this character, or past what is quoted or substituted there. */
function next(word: string, at: number): number {
  const char = word[at]!;
  if (char === "\\") return at + 2;
  if (char === "'" || char === '"' || char === "`") return closing(word, at + 1, char) + 1;
  if (char === "$" && word[at + 1] === "{") return closing(word, at + 2, "}") + 1;
  if (char === "$" && word[at + 1] === "(") return bracketEnd(word, at + 2);
  return at + 1;
}

function closing(word: string, from: number, close: string): number {
  for (let at = from; at < word.length; at++) {
    if (word[at] === "\\" && close !== "'") at++;
    else if (word[at] === close) return at;
  }
  return word.length;
}

function bracketEnd(word: string, from: number): number {
  let depth = 1;
  for (let at = from; at < word.length; at++) {
    if (word[at] === "(") depth++;
    else if (word[at] === ")" && --depth === 0) return at + 1;
  }
  return word.length;
}
