// Where the parts of a JSON text stand, so that one of them can be replaced and every other byte stays. The text must
// already have passed JSON.parse. Nothing here recurses, so depth costs no stack.

export interface Span {
  /** Offset of the first code unit. */
  readonly start: number;
  /** Offset behind the last one. */
  readonly end: number;
}

export interface Member extends Span {
  readonly key: string;
  readonly value: Span;
}

/** Members of the object that begins at an offset, in order, duplicates included. */
export function membersAt(text: string, start: number): readonly Member[] {
  const members: Member[] = [];
  let at = skipBlank(text, start + 1);
  while (text[at] !== "}") {
    const keyEnd = valueEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({ key, start: at, end, value: { start: valueStart, end } });
    at = nextItem(text, end);
  }
  return members;
}

/** The value that JSON.parse would give a key: that of its last occurrence. */
export function memberOf(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

/** Items of the array that begins at an offset. */
export function itemsAt(text: string, start: number): readonly Span[] {
  const items: Span[] = [];
  let at = skipBlank(text, start + 1);
  while (text[at] !== "]") {
    const end = valueEnd(text, at);
    items.push({ start: at, end });
    at = nextItem(text, end);
  }
  return items;
}

/** The offset of the next code unit that is no JSON white space. */
export function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
  return at;
}

function nextItem(text: string, end: number): number {
  const at = skipBlank(text, end);
  return text[at] === "," ? skipBlank(text, at + 1) : at;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ;) {
    const unit = text[at];
    if (unit === '"') at = stringEnd(text, at);
    else if (unit === "{" || unit === "[") {
      depth++;
      at++;
    } else if (unit === "}" || unit === "]") {
      depth--;
      at++;
    } else if (depth === 0) {
      // A number or a word: it lasts to the next delimiter.
      while (at < text.length && !" \t\n\r,]}".includes(text[at]!)) at++;
      return at;
    } else {
      at++;
      continue;
    }
    if (depth === 0) return at;
  }
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
}
