// Commands in a program of another language: the texts that stand where something is started.

export interface CodeCall {
  readonly text: string;
  /** Several: a program and its arguments. One: text for a shell. */
  readonly words: readonly string[];
}

const MOST_CODE = 1024 * 1024;

const starts =
  /(?:\b(?:os\.)?(?:system|popen\d?|exec[a-z]*|spawn[a-z]*|posix_spawn\w*|run|call|check_call|check_output|getoutput|getstatusoutput|shell_exec|passthru|proc_open|Popen|IO\.popen|Command|command|cmd|sh)(?:Sync|File|FileSync)?\s*[({[\s]*|\bqx\s*|%x|\$\s*|[!|]\s*)(?:r|b|f|rb|br)?$/i;

/** Only what stands there in so many letters; a text that is put together is not seen. */
export function callsIn(text: string, hasBackticks: boolean): readonly CodeCall[] {
  const code = text.slice(0, MOST_CODE);
  const calls: CodeCall[] = [];
  let open: { words: string[]; from: number; end: number } | undefined;
  const flush = () => {
    if (open) calls.push({ text: code.slice(open.from, open.end), words: open.words });
    open = undefined;
  };
  for (const found of code.matchAll(
    /"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'|`((?:[^`\\]|\\[\s\S])*)`|%x[{(]([^})]*)[})]|qx[{(/]([^})/]*)[})/]/g,
  )) {
    const at = found.index;
    const isCommand = found[4] !== undefined || found[5] !== undefined;
    const literal = plain(found.slice(1).find((group) => group !== undefined) ?? "");
    const between = open ? code.slice(open.end, at) : "";
    if (open && /^[\s,]*$/.test(between) && between.includes(",")) {
      open.words.push(literal);
      open.end = at + found[0].length;
      continue;
    }
    // Where a text has been begun with another, as in "rm" + " -rf /".
    if (open && open.words.length === 1 && /^\s*(?:\+|\.|\.\.)?\s*$/.test(between)) {
      open.words[0] += literal;
      open.end = at + found[0].length;
      continue;
    }
    flush();
    const before = code.slice(Math.max(0, at - 60), at);
    const after = code.slice(at + found[0].length, at + found[0].length + 20);
    const isRun =
      isCommand || /^\s*\|&?\s*getline/.test(after) || (hasBackticks && found[3] !== undefined);
    if (!isRun && !starts.test(before)) continue;
    open = { words: [literal], from: at, end: at + found[0].length };
  }
  flush();
  return calls;
}

function plain(literal: string): string {
  return literal.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[\s\S])/g, (_, code: string) => {
    if (code.length > 1) return String.fromCharCode(parseInt(code.slice(1), 16));
    return { n: "\n", t: "\t", r: "\r" }[code] ?? code;
  });
}
