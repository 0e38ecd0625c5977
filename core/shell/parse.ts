// A command as a POSIX shell reads it, near enough to judge what it would run (tools.md §11.5). Never fails: what does not
// parse for a shell gives the commands up to there, since a shell runs those before it complains.

export type WordPart =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | {
      readonly kind: "variable";
      readonly name: string;
      readonly quoted: boolean;
      /** What follows the name within `${…}`, such as ":-word", and the same as the shell expands it. */
      readonly rest: string;
      readonly inner: Word | undefined;
    }
  /** `$(…)`, and `<(…)` or `>(…)` where it is a file. */
  | {
      readonly kind: "commands";
      readonly script: Script;
      readonly quoted: boolean;
      readonly isFile: boolean;
    }
  /** Arithmetic, and what else only the shell can tell; commands in it run all the same. */
  | { readonly kind: "unknown"; readonly quoted: boolean; readonly inner: Word };

export interface Word {
  readonly raw: string;
  readonly parts: readonly WordPart[];
}

export interface Assignment {
  readonly name: string;
  /** Undefined where it is no plain text: a list, an element, something appended. */
  readonly value: Word | undefined;
  /** All words in it. */
  readonly words: readonly Word[];
}

export interface Redirect {
  /** "<", "<<", "<<<", ">", ">>", ">|", "&>", "&>>", "<>", "<&", ">&". */
  readonly operator: string;
  /** The descriptor before it; "" where there is none. */
  readonly descriptor: string;
  readonly target: Word;
  /** The body of a here-document. */
  readonly body?: Word;
}

export interface SimpleCommand {
  readonly kind: "simple";
  /** As written. */
  readonly text: string;
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** A group, a subshell, a loop, a condition, a function: for what runs, all the lists in it, one after the other. */
export interface CompoundCommand {
  readonly kind: "compound";
  readonly keyword: string;
  readonly text: string;
  readonly body: Script;
  readonly redirects: readonly Redirect[];
  /** What `for` and `select` give the variable, and its name; the name of a function. */
  readonly name?: string;
  readonly words?: readonly Word[];
}

export type ShellCommand = SimpleCommand | CompoundCommand;

export interface Pipeline {
  readonly commands: readonly ShellCommand[];
  readonly isBackground: boolean;
}

export interface Script {
  readonly pipelines: readonly Pipeline[];
  /** False where something does not parse, or lies too deep to be looked at. */
  readonly isWhole: boolean;
}

/** How deep lists, substitutions and groups may lie in each other. */
const DEEPEST = 60;

export function parseScript(text: string): Script {
  return parseAt(text, 0);
}

function parseAt(text: string, depth: number): Script {
  if (depth > DEEPEST) return { pipelines: [], isWhole: false };
  return new Parser(text, depth).parse();
}

/** What follows the operator of a `${…}`. */
function innerWord(rest: string, depth: number): Word | undefined {
  if (rest === "") return undefined;
  const text = rest.slice(DEFAULT.exec(rest)?.[0].length ?? 0);
  return depth > DEEPEST ? { raw: text, parts: [] } : new Parser(text, depth).oneWord(true);
}

/** Of a `${…}` whose word may stand in for the value. */
export const DEFAULT = /^:?[-=+?]/;

/** Text in which only what begins with "$" or a backtick means something. */
function quotedAt(text: string, depth: number): Word {
  return depth > DEEPEST ? { raw: text, parts: [] } : new Parser(text, depth).quotedText();
}

/** Some text as one word, blanks and all. */
export function literalWord(text: string): Word {
  return { raw: text, parts: [{ kind: "text", text, quoted: true }] };
}

const OPENING = ["if", "while", "until", "for", "select", "case", "{", "function"];
/** What stands before a command and is none. */
const LEADING = ["!", "then", "else", "elif", "do", "time", "coproc"];
const CLOSING = ["}", "fi", "done", "esac"];
const endOf: Readonly<Record<string, string>> = {
  if: "fi",
  while: "done",
  until: "done",
  for: "done",
  select: "done",
  "{": "}",
};

interface PendingBody {
  readonly end: string;
  readonly isQuoted: boolean;
  readonly isIndented: boolean;
  readonly redirect: { body?: Word };
}

class Parser {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #isWhole = true;
  #pending: PendingBody[] = [];

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  parse(): Script {
    const pipelines: Pipeline[] = [];
    while (this.#at < this.#text.length) {
      pipelines.push(...this.#list([]));
      // A closing word that closes nothing: a shell stops here. What follows is looked at all the same.
      if (this.#at < this.#text.length) {
        this.#isWhole = false;
        this.#skipOne();
      }
    }
    this.#bodies();
    return { pipelines, isWhole: this.#isWhole };
  }

  /** @param isAll blanks and operators are characters of it like any other */
  oneWord(isAll = false): Word {
    return this.#word(isAll) ?? literalWord("");
  }

  quotedText(): Word {
    const parts: WordPart[] = [];
    this.#doubleQuoted(parts, undefined);
    return { raw: this.#text, parts };
  }

  /** @param ends words at a command's place, or characters, that end the list; they are not consumed */
  #list(ends: readonly string[]): Pipeline[] {
    const pipelines: Pipeline[] = [];
    if (this.#depth + this.#nesting > DEEPEST) {
      this.#isWhole = false;
      this.#at = this.#text.length;
      return pipelines;
    }
    this.#nesting++;
    for (;;) {
      this.#blanks(true);
      if (this.#at >= this.#text.length) break;
      if (this.#startsWith(";") && !(ends.includes(";;") && this.#isCaseEnd())) {
        this.#at++;
        continue;
      }
      if (this.#isAtEnd(ends)) break;
      const before = this.#at;
      const commands = this.#pipeline(ends);
      let isBackground = false;
      this.#blanks(false);
      if (this.#startsWith("&&") || this.#startsWith("||")) this.#at += 2;
      else if (this.#startsWith("&") && !this.#startsWith("&>")) {
        isBackground = true;
        this.#at++;
      }
      if (commands.length > 0) pipelines.push({ commands, isBackground });
      if (this.#at === before) {
        if (ends.length === 0 || this.#isForeignEnd()) break;
        this.#isWhole = false;
        this.#skipOne();
      }
    }
    this.#nesting--;
    return pipelines;
  }

  #nesting = 0;

  #skipOne(): void {
    this.#at++;
  }

  /** Something that ends an outer list. */
  #isForeignEnd(): boolean {
    return this.#startsWith(")") || CLOSING.includes(this.#bareWord());
  }

  #isCaseEnd(): boolean {
    return this.#startsWith(";;") || this.#startsWith(";&");
  }

  #isAtEnd(ends: readonly string[]): boolean {
    if (ends.includes(")") && this.#startsWith(")")) return true;
    if (ends.includes(";;") && (this.#isCaseEnd() || this.#bareWord() === "esac")) return true;
    if (ends.length === 0 && this.#startsWith(")")) return true;
    return ends.includes(this.#bareWord());
  }

  #pipeline(ends: readonly string[]): ShellCommand[] {
    const commands: ShellCommand[] = [];
    for (;;) {
      this.#blanks(commands.length > 0);
      const command = this.#command(ends);
      if (command) commands.push(command);
      this.#blanks(false);
      if (this.#startsWith("||")) return commands;
      if (!this.#startsWith("|")) return commands;
      this.#at += this.#startsWith("|&") ? 2 : 1;
    }
  }

  #command(ends: readonly string[]): ShellCommand | undefined {
    if (this.#inner > DEEPEST) {
      this.#isWhole = false;
      this.#at = this.#text.length;
      return undefined;
    }
    this.#nesting++;
    const command = this.#commandHere(ends);
    this.#nesting--;
    return command;
  }

  #commandHere(ends: readonly string[]): ShellCommand | undefined {
    for (;;) {
      this.#blanks(false);
      const word = this.#bareWord();
      if (!LEADING.includes(word) || ends.includes(word)) break;
      if (word === "time" && this.#matches(/time[ \t]+-(?!p[\s])/y)) break;
      this.#at += word.length;
      if (word === "coproc")
        this.#at += this.#matches(/[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(])/y)?.[0].length ?? 0;
      if (word === "time") this.#at += this.#matches(/[ \t]+-p(?=\s)/y)?.[0].length ?? 0;
      this.#blanks(true);
    }
    if (this.#isAtEnd(ends)) return undefined;
    const start = this.#at;
    if (this.#startsWith("((")) {
      const end = this.#arithmeticEnd(this.#at + 2);
      if (end !== undefined) {
        const inner = quotedAt(this.#text.slice(start + 2, end - 2), this.#inner);
        this.#at = end;
        return this.#compound("((", start, [], undefined, [inner]);
      }
    }
    if (this.#startsWith("(")) {
      this.#at++;
      const body = this.#list([")"]);
      this.#expect(")");
      return this.#compound("(", start, body);
    }
    const word = this.#bareWord();
    if (OPENING.includes(word)) return this.#opened(word, start);
    return this.#simple(start);
  }

  #opened(word: string, start: number): ShellCommand {
    this.#at += word.length;
    if (word === "case") return this.#case(start);
    if (word === "function") {
      this.#blanks(false);
      const name = this.#word()?.raw ?? "";
      this.#blanks(false);
      if (this.#startsWith("(")) {
        this.#at++;
        this.#blanks(false);
        this.#expect(")");
      }
      return this.#function(name, start);
    }
    let name: string | undefined;
    let words: Word[] | undefined;
    if (word === "for" || word === "select") {
      this.#blanks(false);
      if (this.#startsWith("((")) {
        const from = this.#at + 2;
        this.#at = this.#arithmeticEnd(from) ?? from;
        words = [quotedAt(this.#text.slice(from, Math.max(from, this.#at - 2)), this.#inner)];
      } else {
        name = this.#word()?.raw ?? "";
        this.#blanks(true);
        if (this.#bareWord() === "in") {
          this.#at += 2;
          words = [];
          for (;;) {
            this.#blanks(false);
            const next = this.#word();
            if (!next) break;
            words.push(next);
          }
        }
      }
      this.#blanks(true);
      if (this.#startsWith(";")) this.#at++;
      this.#blanks(true);
      // Bash takes braces instead of "do" and "done".
      if (this.#bareWord() === "{") {
        this.#at++;
        const body = this.#list(["}"]);
        this.#expect("}");
        return this.#compound(word, start, body, name, words);
      }
    }
    const end = endOf[word] ?? "}";
    const body = this.#list([end]);
    this.#expect(end);
    return this.#compound(word, start, body, name, words);
  }

  #case(start: number): ShellCommand {
    this.#blanks(false);
    const subject = this.#word();
    this.#blanks(true);
    if (this.#bareWord() === "in") this.#at += 2;
    const body: Pipeline[] = [];
    for (;;) {
      this.#blanks(true);
      if (this.#at >= this.#text.length) {
        this.#isWhole = false;
        break;
      }
      if (this.#bareWord() === "esac") {
        this.#at += 4;
        break;
      }
      if (this.#startsWith("(")) this.#at++;
      // Patterns up to their bracket.
      for (;;) {
        this.#blanks(true);
        if (this.#startsWith("|")) this.#at++;
        else if (!this.#word()) break;
      }
      if (this.#startsWith(")")) this.#at++;
      else if (this.#bareWord() !== "esac") {
        this.#isWhole = false;
        this.#skipOne();
        continue;
      }
      body.push(...this.#list([";;", "esac"]));
      if (this.#startsWith(";;&")) this.#at += 3;
      else if (this.#isCaseEnd()) this.#at += 2;
    }
    return this.#compound("case", start, body, undefined, subject ? [subject] : []);
  }

  #function(name: string, start: number): ShellCommand {
    this.#blanks(true);
    const body = this.#command([]);
    const script = body ? [{ commands: [body], isBackground: false }] : [];
    return this.#compound("function", start, script, name);
  }

  #compound(
    keyword: string,
    start: number,
    pipelines: readonly Pipeline[],
    name?: string,
    words?: readonly Word[],
  ): CompoundCommand {
    const redirects: Redirect[] = [];
    for (;;) {
      this.#blanks(false);
      const redirect = this.#redirect();
      if (!redirect) break;
      redirects.push(redirect);
    }
    return {
      kind: "compound",
      keyword,
      text: this.#text.slice(start, this.#at),
      body: { pipelines, isWhole: this.#isWhole },
      redirects,
      ...(name !== undefined && { name }),
      ...(words !== undefined && { words }),
    };
  }

  #simple(start: number): ShellCommand | undefined {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    let end = start;
    for (;;) {
      this.#blanks(false);
      const redirect = this.#redirect();
      if (redirect) {
        redirects.push(redirect);
        end = this.#at;
        continue;
      }
      if (words.length === 0) {
        const assignment = this.#assignment();
        if (assignment) {
          assignments.push(assignment);
          end = this.#at;
          continue;
        }
      }
      const word = this.#word();
      if (!word) break;
      words.push(word);
      end = this.#at;
      if (words.length === 1 && word.raw === "[[") {
        words.push(...this.#condition());
        end = this.#at;
        break;
      }
      const after = this.#at;
      if (words.length === 1 && assignments.length === 0 && /^[^\s$`'"\\()]+$/.test(word.raw)) {
        this.#blanks(false);
        const brackets = this.#matches(/\([ \t]*\)/y);
        if (brackets) {
          this.#at += brackets[0].length;
          return this.#function(word.raw, start);
        }
        this.#at = after;
      }
    }
    if (assignments.length + words.length + redirects.length === 0) return undefined;
    const text = this.#text.slice(start, end);
    return { kind: "simple", text, assignments, words, redirects };
  }

  /** What is between `[[` and `]]`: no redirection, no list. */
  #condition(): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.#blanks(true);
      if (this.#at >= this.#text.length) {
        this.#isWhole = false;
        return words;
      }
      const word = this.#word();
      if (!word) this.#at++;
      else {
        words.push(word);
        if (word.raw === "]]") return words;
      }
    }
  }

  #assignment(): Assignment | undefined {
    const found = this.#matches(/([A-Za-z_][A-Za-z0-9_]*)(\[[^\]\n]*\])?(\+?)=/y);
    if (!found) return undefined;
    const [all, name = "", index, plus] = found;
    this.#at += all.length;
    const words: Word[] = index === undefined ? [] : [quotedAt(index, this.#inner)];
    if (this.#startsWith("(")) {
      this.#at++;
      for (;;) {
        this.#blanks(true);
        const word = this.#word();
        if (!word) break;
        words.push(word);
      }
      this.#expect(")");
      return { name, value: undefined, words };
    }
    const value = this.#word() ?? literalWord("");
    words.push(value);
    const isPlain = index === undefined && plus === "";
    return { name, value: isPlain ? value : undefined, words };
  }

  #redirect(): Redirect | undefined {
    const found = this.#matches(
      /(\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|>&|>>|>\||&>>|&>|<(?!\()|>(?!\())/y,
    );
    if (!found) return undefined;
    const [all, descriptor = "", operator] = found;
    this.#at += all.length;
    this.#blanks(false);
    const target = this.#word() ?? literalWord("");
    if (operator !== "<<" && operator !== "<<-") {
      return { operator: operator!, descriptor, target };
    }
    const redirect: { -readonly [Key in keyof Redirect]: Redirect[Key] } = {
      operator: "<<",
      descriptor,
      target,
    };
    this.#pending.push({
      end: target.parts.map((part) => (part.kind === "text" ? part.text : "")).join(""),
      isQuoted: /['"\\]/.test(target.raw),
      isIndented: operator === "<<-",
      redirect,
    });
    return redirect;
  }

  /** Blanks, comments and line continuations; with `lines`, ends of lines as well. */
  #blanks(lines: boolean): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === " " || char === "\t" || char === "\r") this.#at++;
      else if (this.#startsWith("\\\n")) this.#at += 2;
      else if (char === "#" && this.#isWordStart()) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (char === "\n" && lines) {
        this.#at++;
        this.#bodies();
      } else return;
    }
  }

  #isWordStart(): boolean {
    return this.#at === 0 || /[\s;&|()<>]/.test(this.#text[this.#at - 1]!);
  }

  /** Here-documents begin after the end of the line that names them. */
  #bodies(): void {
    for (const { end, isQuoted, isIndented, redirect } of this.#pending) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const lineEnd = this.#text.indexOf("\n", this.#at);
        const stop = lineEnd < 0 ? this.#text.length : lineEnd;
        const line = this.#text.slice(this.#at, stop).replace(isIndented ? /^\t+/ : /^(?!)/, "");
        this.#at = lineEnd < 0 ? stop : stop + 1;
        if (line === end) break;
        lines.push(`${line}\n`);
      }
      const body = lines.join("");
      redirect.body = isQuoted ? literalWord(body) : quotedAt(body, this.#inner);
    }
    this.#pending = [];
  }

  get #inner(): number {
    return this.#depth + this.#nesting + 1;
  }

  /** The word here, where it has no quotes and nothing to expand; "" otherwise. */
  #bareWord(): string {
    return this.#matches(/(?:[{}!]|[a-z]{1,12})(?=[\s;&|()<>]|$)/y)?.[0] ?? "";
  }

  /** @param pattern sticky */
  #matches(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #expect(text: string): void {
    this.#blanks(true);
    if (this.#startsWith(text)) this.#at += text.length;
    else this.#isWhole = false;
  }

  #word(isAll = false): Word | undefined {
    const parts: WordPart[] = [];
    const start = this.#at;
    let plain = "";
    const text = (quoted: string | undefined = undefined) => {
      if (plain !== "") parts.push({ kind: "text", text: plain, quoted: false });
      plain = "";
      if (quoted !== undefined) parts.push({ kind: "text", text: quoted, quoted: true });
    };
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if ((char === "<" || char === ">") && this.#text[this.#at + 1] === "(") {
        text();
        this.#at += 2;
        parts.push(this.#substitution(false, true));
      } else if (!isAll && /[\s;&|()<>]/.test(char)) break;
      else if (char === "\\") {
        const next = this.#text[this.#at + 1];
        this.#at += 2;
        // At the very end it is only itself.
        if (next !== "\n") text(next ?? "\\");
      } else if (char === "'") {
        const end = this.#text.indexOf("'", this.#at + 1);
        if (end < 0) this.#isWhole = false;
        const stop = end < 0 ? this.#text.length : end;
        text(this.#text.slice(this.#at + 1, stop));
        this.#at = stop + 1;
      } else if (char === '"') {
        text("");
        this.#at++;
        this.#doubleQuoted(parts, '"');
      } else if (char === "$" && this.#text[this.#at + 1] === "'") {
        text(this.#ansiQuoted());
      } else if (char === "$" && this.#text[this.#at + 1] === '"') {
        this.#at++;
      } else if (char === "$" || char === "`") {
        const part = this.#dollar(false);
        if (part) {
          text();
          parts.push(part);
        } else {
          plain += char;
          this.#at++;
        }
      } else {
        const run = this.#matches(/[^\s;&|()<>\\'"$`]+/y)?.[0] ?? char;
        plain += run;
        this.#at += run.length;
      }
    }
    text();
    this.#at = Math.min(this.#at, this.#text.length);
    return this.#at === start ? undefined : { raw: this.#text.slice(start, this.#at), parts };
  }

  /** @param close undefined: up to the end of the text, in which double quotes are text */
  #doubleQuoted(parts: WordPart[], close: '"' | undefined): void {
    let plain = "";
    const flush = () => {
      if (plain !== "") parts.push({ kind: "text", text: plain, quoted: true });
      plain = "";
    };
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === close) {
        this.#at++;
        return flush();
      }
      if (char === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (next === "\n") plain += "";
        else plain += /[$`"\\]/.test(next) ? next : `\\${next}`;
        this.#at += 2;
      } else if (char === "$" || char === "`") {
        const part = this.#dollar(true);
        if (part) {
          flush();
          parts.push(part);
        } else {
          plain += char;
          this.#at++;
        }
      } else {
        plain += char;
        this.#at++;
      }
    }
    if (close !== undefined) this.#isWhole = false;
    flush();
  }

  /** An expansion; undefined where the character is only itself. */
  #dollar(quoted: boolean): WordPart | undefined {
    if (this.#startsWith("`")) return this.#backticks(quoted);
    if (this.#startsWith("$((")) {
      const from = this.#at + 3;
      const end = this.#arithmeticEnd(from);
      if (end !== undefined) {
        this.#at = end;
        return this.#unknown(this.#text.slice(from, end - 2), quoted);
      }
    }
    if (this.#startsWith("$(")) {
      this.#at += 2;
      return this.#substitution(quoted, false);
    }
    if (this.#startsWith("$[")) {
      const from = this.#at + 2;
      const end = this.#text.indexOf("]", from);
      this.#at = end < 0 ? this.#text.length : end + 1;
      return this.#unknown(this.#text.slice(from, this.#at), quoted);
    }
    if (this.#startsWith("${")) {
      const end = this.#braceEnd(this.#at + 2, quoted);
      const inner = this.#text.slice(this.#at + 2, end);
      this.#at = Math.min(this.#text.length, end + 1);
      const found = /^([A-Za-z_]\w*|\d+|[@*#?$!-])([\s\S]*)$/.exec(inner);
      if (!found) return this.#unknown(inner, quoted);
      const [, name = "", rest = ""] = found;
      return { kind: "variable", name, rest, inner: innerWord(rest, this.#inner), quoted };
    }
    const name = this.#matches(/\$([A-Za-z_]\w*|[\d@*#?$!-])/y);
    if (!name) return undefined;
    this.#at += name[0].length;
    return { kind: "variable", name: name[1]!, rest: "", inner: undefined, quoted };
  }

  #unknown(text: string, quoted: boolean): WordPart {
    return { kind: "unknown", quoted, inner: quotedAt(text, this.#inner) };
  }

  #substitution(quoted: boolean, isFile: boolean): WordPart {
    const pending = this.#pending;
    this.#pending = [];
    const isWhole = this.#isWhole;
    const pipelines = this.#list([")"]);
    if (this.#startsWith(")")) this.#at++;
    else this.#isWhole = false;
    this.#pending.push(...pending);
    const script = { pipelines, isWhole: this.#isWhole };
    this.#isWhole &&= isWhole;
    return { kind: "commands", script, quoted, isFile };
  }

  #backticks(quoted: boolean): WordPart {
    let inner = "";
    let at = this.#at + 1;
    for (; at < this.#text.length && this.#text[at] !== "`"; at++) {
      if (this.#text[at] === "\\" && /[`$\\]/.test(this.#text[at + 1] ?? "")) at++;
      inner += this.#text[at] ?? "";
    }
    if (at >= this.#text.length) this.#isWhole = false;
    this.#at = Math.min(this.#text.length, at + 1);
    const script = parseAt(inner, this.#inner);
    this.#isWhole &&= script.isWhole;
    return { kind: "commands", script, quoted, isFile: false };
  }

  #ansiQuoted(): string {
    const found = this.#matches(/\$'((?:[^'\\]|\\[\s\S])*)'?/y)!;
    this.#at += found[0].length;
    if (this.#text[this.#at - 1] !== "'" || found[0].length < 3) this.#isWhole = false;
    return found[1]!.replace(
      /\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|[0-7]{1,3}|c[\s\S]|[\s\S])/g,
      (_, code: string) => {
        const letter = code[0]!;
        if (letter === "c" && code.length > 1)
          return String.fromCharCode(code.charCodeAt(1) & 0x1f);
        if (code.length > 1 || /[0-7]/.test(letter)) {
          const number = /[0-7]/.test(letter) ? parseInt(code, 8) : parseInt(code.slice(1), 16);
          return number <= 0x10ffff ? String.fromCodePoint(number) : "";
        }
        return escapes[letter] ?? (/['"\\?]/.test(letter) ? letter : `\\${letter}`);
      },
    );
  }

  /** Just after `))`; undefined where it closes otherwise, so that it was a subshell within another. */
  #arithmeticEnd(from: number): number | undefined {
    let depth = 0;
    const most = Math.min(this.#text.length, from + 4096);
    for (let at = from; at < most; at++) {
      const char = this.#text[at];
      if (char === "(") depth++;
      else if (char === ")") {
        if (depth > 0) depth--;
        else return this.#text[at + 1] === ")" ? at + 2 : undefined;
      }
    }
    return undefined;
  }

  /** Of the closing brace. @param quoted within double quotes, where a single one is only itself */
  #braceEnd(from: number, quoted: boolean): number {
    const open = ["}"];
    for (let at = from; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      const top = open.at(-1)!;
      if (char === "\\" && top !== "'") at++;
      else if (char === top) {
        open.pop();
        if (open.length === 0) return at;
      } else if (top === "'") continue;
      else if (char === "$" && this.#text[at + 1] === "(") {
        open.push(")");
        at++;
      } else if (char === "$" && this.#text[at + 1] === "{") {
        open.push("}");
        at++;
      } else if (char === "`") open.push("`");
      else if (top === '"') continue;
      else if (char === '"') open.push('"');
      else if (char === "'" && !(quoted && open.length === 1)) open.push("'");
      else if (char === "(" && top === ")") open.push(")");
    }
    this.#isWhole = false;
    return this.#text.length;
  }
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** One word, as it would stand among others; what follows it is left out. */
export function parseWord(raw: string): Word {
  return new Parser(raw, 0).oneWord();
}
