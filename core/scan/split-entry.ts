// One argument that may hold several paths: where its delimiters are. Which reading is meant, the disk decides.

/** Whether a comma or semicolon outside braces and quotes separates, which one resolving part is enough to prove. */
export function hasHardDelimiter(entry: string): boolean {
  return split(entry, /[,;]/).length > 1;
}

export function hasDelimiter(entry: string): boolean {
  return /[,;\s]/.test(entry);
}

/** At semicolons and blanks, the empty parts dropped. */
export function splitEntry(entry: string): readonly string[] {
  return split(entry, /[;\s]/).filter((part) => part !== "");
}

export function splitCommas(entry: string): readonly string[] {
  return split(entry, /,/).filter((part) => part !== "");
}

export function splitSemicolons(entry: string): readonly string[] {
  return split(entry, /;/).filter((part) => part.trim() !== "");
}

/** What stands in braces, brackets' groups or a pair of quotes is one piece. */
function split(entry: string, delimiter: RegExp): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < entry.length; i++) {
    const char = entry[i]!;
    if (char === "\\") i++;
    else if (i === from && /["'`]/.test(char) && entry.indexOf(char, i + 1) !== -1) {
      i = entry.indexOf(char, i + 1);
    } else if (char === "{" || char === "(") depth++;
    else if ((char === "}" || char === ")") && depth > 0) depth--;
    else if (depth === 0 && delimiter.test(char)) {
      parts.push(entry.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(entry.slice(from));
  return parts;
}
