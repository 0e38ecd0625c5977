// Open brackets less closing ones, for (), [] and {}, outside comments and strings (hashline.md §12).

export type Balance = readonly [round: number, square: number, curly: number];

const brackets = new Map<string, readonly [index: number, change: number]>([
  ["(", [0, 1]],
  [")", [0, -1]],
  ["[", [1, 1]],
  ["]", [1, -1]],
  ["{", [2, 1]],
  ["}", [2, -1]],
]);

export function balanceOf(lines: readonly string[]): Balance {
  const totals: [number, number, number] = [0, 0, 0];
  let quote = "";
  let comment = false;
  for (const line of lines) {
    if (quote !== "`") quote = "";
    for (let i = 0; i < line.length; i++) {
      const char = line[i]!;
      if (comment) {
        if (char === "*" && line[i + 1] === "/") {
          comment = false;
          i++;
        }
      } else if (quote !== "") {
        if (char === "\\") i++;
        else if (char === quote) quote = "";
      } else if (char === "/" && line[i + 1] === "/") {
        break;
      } else if (char === "/" && line[i + 1] === "*") {
        comment = true;
        i++;
      } else if (char === '"' || char === "'" || char === "`") {
        quote = char;
      } else {
        const bracket = brackets.get(char);
        if (bracket) totals[bracket[0] as 0 | 1 | 2] += bracket[1];
      }
    }
  }
  return totals;
}

export function sum(a: Balance, b: Balance): Balance {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function negate(a: Balance): Balance {
  return [-a[0], -a[1], -a[2]];
}

export function difference(a: Balance, b: Balance): Balance {
  return sum(a, negate(b));
}

export function same(a: Balance, b: Balance): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}

export function isZero(a: Balance): boolean {
  return a[0] === 0 && a[1] === 0 && a[2] === 0;
}

/** Only closing delimiters, with at most one `;` or `,` after them. */
export function isCloserLine(line: string): boolean {
  return /^\s*[)\]}]+\s*[;,]?\s*$/.test(line);
}
