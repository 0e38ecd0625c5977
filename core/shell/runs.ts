// Every program that a command would run, as far as its text and the scripts it names tell: also what is quoted, wrapped,
// substituted, decoded or fed to another shell. A judge of words, not of deeds: what is known only when it runs, is said to be
// unreadable, and what a program does by itself is not seen at all.

import { resolvePath, showName } from "../paths.ts";
import { callsIn } from "./code.ts";
import { expandText, expandWord, expandWords, inputOf, outputOf } from "./expand.ts";
import { globMatches } from "./glob-name.ts";
import {
  type Assignment,
  type CompoundCommand,
  parseScript,
  type Pipeline,
  type Redirect,
  type Script,
  type ShellCommand,
  type SimpleCommand,
  type Word,
} from "./parse.ts";
import { outputOfProgram } from "./producers.ts";
import { Scope, UNKNOWN, type World } from "./scope.ts";
import { type Inner, innerOf, knownPrograms } from "./wrappers.ts";

export interface Run {
  /** The program and its arguments, without quotes; UNKNOWN in them for what only the run decides. */
  readonly words: readonly string[];
  /** As written. */
  readonly text: string;
  readonly redirects: readonly { readonly operator: string; readonly target: string }[];
  /** It reads what another writes, or a here-document. */
  readonly hasInput: boolean;
  /** Names of the programs that run it, outermost first. */
  readonly through: readonly string[];
  /** "list": of the command itself, and not in a substitution or a function. "code": in a program of another language. */
  readonly place: "list" | "inner" | "code";
  /** The script's path; undefined for the command itself. */
  readonly source: string | undefined;
  /** Absolute; undefined where it cannot be told. */
  readonly cwd: string | undefined;
  readonly home: string | undefined;
  /** A function that only multiplies itself. */
  readonly isBomb?: true;
}

export interface Unreadable {
  /** What cannot be read, as a message says it. */
  readonly what: string;
  readonly text: string;
  readonly source: string | undefined;
}

export interface Inspection {
  readonly runs: readonly Run[];
  readonly unreadable: readonly Unreadable[];
  /** Everything was looked at; false: there was too much, or it lay too deep. */
  readonly isWhole: boolean;
}

/** @param path absolute. Undefined: there is none, or it is no text. "unreadable": it may be one, but cannot be looked at */
export type ReadScript = (path: string) => Promise<string | undefined | "unreadable">;

const MOST_RUNS = 20_000;
const DEEPEST = 24;
/** Values of a loop's variable that are tried. */
const MOST_VALUES = 16;

/** @param names of programs that matter, for a name that is given as a pattern */
export async function inspectCommand(
  text: string,
  world: World,
  {
    readScript = async () => undefined,
    names = [],
  }: { readonly readScript?: ReadScript; readonly names?: readonly string[] } = {},
): Promise<Inspection> {
  const inspector = new Inspector(readScript, [...names, ...knownPrograms()]);
  const scope = new Scope(world);
  await inspector.script(parseScript(text), scope, {
    place: "list",
    source: undefined,
    through: [],
    depth: 0,
    text: undefined,
  });
  return inspector;
}

/** Where in it all something stands. */
interface Context {
  readonly place: Run["place"];
  readonly source: string | undefined;
  readonly through: readonly string[];
  readonly depth: number;
  /** The body of a function that nobody has called yet. */
  readonly isDefinition?: boolean;
  /** The text to quote for what is inside of a wrapper. */
  readonly text: string | undefined;
}

/** What a command reads: known text, something unknown, or nothing at all. */
type Flow = { readonly known: string | undefined } | undefined;

class Inspector implements Inspection {
  readonly runs: Run[] = [];
  readonly unreadable: Unreadable[] = [];
  isWhole = true;
  readonly #readScript: ReadScript;
  readonly #names: readonly string[];
  readonly #seen = new Set<string>();

  constructor(readScript: ReadScript, names: readonly string[]) {
    this.#readScript = readScript;
    this.#names = names;
  }

  async script(script: Script, scope: Scope, context: Context): Promise<void> {
    if (!script.isWhole && context.depth > DEEPEST) this.isWhole = false;
    for (const pipeline of script.pipelines) await this.#pipeline(pipeline, scope, context);
  }

  /** Whether there may be more of it. */
  #mayGoOn({ depth }: Context): boolean {
    const may = this.runs.length < MOST_RUNS && depth < DEEPEST;
    if (!may) this.isWhole = false;
    return may;
  }

  async #pipeline({ commands }: Pipeline, scope: Scope, context: Context): Promise<void> {
    let flow: Flow;
    for (const command of commands) {
      if (!this.#mayGoOn(context)) return;
      // Each member of a pipeline is a shell of its own.
      const own = commands.length > 1 ? scope.inner() : scope;
      const known = outputOf(command, own, flow?.known);
      await this.#command(command, own, context, flow);
      flow = { known };
    }
  }

  async #command(command: ShellCommand, scope: Scope, context: Context, flow: Flow): Promise<void> {
    if (command.kind === "simple") return this.#simple(command, scope, context, flow);
    return this.#compound(command, scope, context, flow);
  }

  async #compound(
    command: CompoundCommand,
    scope: Scope,
    context: Context,
    flow: Flow,
  ): Promise<void> {
    const { keyword, body, name, words = [], redirects, text } = command;
    for (const word of words) await this.#inWord(word, scope, context);
    await this.#inRedirects(redirects, scope, context);
    const targets = targetsOf(redirects, scope);
    if (targets.length > 0) this.#emit([], { ...context, text }, scope, flow, targets);
    const given = inputFrom(command, scope, flow);
    if (keyword === "function") {
      for (const { commands } of body.pipelines) scope.functions.set(name ?? "", commands[0]!);
      const inner = scope.inner();
      inner.arguments = undefined;
      if (isBomb(name ?? "", body)) {
        this.#emit([name ?? ""], { ...context, text }, scope, undefined, [], true);
      }
      const defined = { ...context, place: "inner", isDefinition: true } as const;
      return this.script(body, inner, { ...defined, depth: context.depth + 1 });
    }
    const inner = keyword === "(" ? scope.inner() : scope;
    const deeper = { ...context, depth: context.depth + 1 };
    if (name === undefined || words.length === 0) {
      if (name !== undefined) inner.set(name, UNKNOWN);
      return this.#body(body, inner, deeper, given);
    }
    const values = expandWords(words, scope);
    const tried = values.length > MOST_VALUES || values.length === 0 ? [UNKNOWN] : values;
    for (const value of tried) {
      inner.set(name, value);
      await this.#body(body, inner, deeper, given);
    }
  }

  /** Its first command reads what the whole is given. */
  async #body(body: Script, scope: Scope, context: Context, given: Flow): Promise<void> {
    for (const pipeline of body.pipelines) {
      const [first, ...others] = pipeline.commands;
      if (!first || !given || !this.#mayGoOn(context)) {
        await this.#pipeline(pipeline, scope, context);
        continue;
      }
      const own = others.length > 0 ? scope.inner() : scope;
      await this.#command(first, own, context, given);
      if (others.length > 0)
        await this.#pipeline({ ...pipeline, commands: others }, scope, context);
    }
  }

  async #simple(command: SimpleCommand, scope: Scope, outer: Context, flow: Flow): Promise<void> {
    const { assignments, words, redirects, text } = command;
    const context = { ...outer, text: outer.text ?? text };
    for (const { words: each } of assignments) {
      for (const word of each) await this.#inWord(word, scope, context);
    }
    for (const word of words) await this.#inWord(word, scope, context);
    await this.#inRedirects(redirects, scope, context);
    const fields = expandWords(words, scope);
    const values = assignments.map((each) => [each.name, valueOf(each, scope)] as const);
    const own = fields.length === 0 ? scope : scope.inner();
    for (const [name, value] of values) await this.#assign(name, value, own, context);
    const targets = targetsOf(redirects, scope);
    if (fields.length === 0 && targets.length === 0) return;
    const given = inputFrom(command, scope, flow);
    this.#keepOutput(command, fields, scope, given);
    if (fields.length === 1 && fields[0] === "exec" && given !== flow) scope.input = given;
    // What a builtin changes stays; what was set for it alone, does not.
    await this.#program(fields, fields.length === 0 || values.length > 0 ? own : scope, context, {
      flow: given,
      redirects: targets,
      lasting: scope,
    });
  }

  /** What it writes into a file may be run later. */
  #keepOutput(command: SimpleCommand, fields: readonly string[], scope: Scope, given: Flow): void {
    const targets = command.redirects
      .filter(({ operator, descriptor }) => /^(?:&?>>?|>\|)$/.test(operator) && descriptor !== "2")
      .map(({ operator, target }) => ({ operator, path: expandText(target, scope) }));
    if (/^(?:.*\/)?tee$/.test(fields[0] ?? "")) {
      const operator = fields.some((word) => /^-[a-z]*a|^--append/.test(word)) ? ">>" : ">";
      for (const path of fields.slice(1))
        if (!path.startsWith("-")) targets.push({ operator, path });
    }
    for (const { operator, path } of targets) {
      if (path.includes(UNKNOWN) || scope.cwd === undefined) continue;
      const file = resolvePath(path, scope.cwd);
      if (file.startsWith("/dev/") || scope.files.size > 1_000) continue;
      const output = outputOf(command, scope, given?.known, true);
      const before = operator.endsWith(">>") && operator !== ">" ? scope.files.get(file) : "";
      const isAppended = operator.endsWith(">>") && !scope.files.has(file);
      if (isAppended) continue;
      scope.files.set(
        file,
        output === undefined || before === undefined ? undefined : before + output,
      );
    }
  }

  /** Variables that hold a command for others to run. */
  async #assign(name: string, value: string, scope: Scope, context: Context): Promise<void> {
    scope.set(name, value);
    if (value.includes(UNKNOWN) || value === "") return;
    if (name === "BASH_ENV" || name === "ENV") {
      await this.#inner({ kind: "file", path: value, arguments: [] }, scope, context, undefined);
    } else if (name === "PS4") {
      await this.#inner({ kind: "text", text: `: "${value}"` }, scope, context, undefined);
    } else if (
      /^(?:GIT_(?:SSH_COMMAND|SSH|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|LESSOPEN|PROMPT_COMMAND|SSH_ASKPASS|SUDO_ASKPASS)$/.test(
        name,
      )
    ) {
      await this.#inner({ kind: "text", text: value }, scope, context, undefined);
    }
  }

  #emit(
    words: readonly string[],
    context: Context,
    scope: Scope,
    flow: Flow,
    redirects: Run["redirects"],
    isForkBomb = false,
  ): void {
    const { place, source, through, text } = context;
    this.runs.push({
      words,
      text: text ?? words.join(" "),
      redirects,
      hasInput: flow !== undefined,
      through,
      place,
      source,
      cwd: scope.cwd,
      home: scope.home,
      ...(isForkBomb && { isBomb: true }),
    });
  }

  #cannotRead(what: string, { text, source, isDefinition = false }: Context): void {
    if (isDefinition) return;
    this.unreadable.push({ what, text: text ?? "", source });
  }

  /** @param lasting where what a builtin changes stays */
  async #program(
    fields: readonly string[],
    scope: Scope,
    context: Context,
    {
      flow,
      redirects = [],
      lasting = scope,
    }: { readonly flow: Flow; readonly redirects?: Run["redirects"]; readonly lasting?: Scope },
  ): Promise<void> {
    if (!this.#mayGoOn(context)) return;
    const [program = "", ...args] = fields;
    this.#emit(fields, context, scope, flow, redirects);
    if (fields.length === 0) return;
    const name = program.slice(program.lastIndexOf("/") + 1);
    if (name.includes(UNKNOWN)) {
      this.#cannotRead("which program it runs", context);
      // It may be one that runs what follows.
      const rest = args.findIndex((word) => !word.startsWith("-"));
      if (rest >= 0) {
        await this.#program(args.slice(rest), scope, deeper(context, program), { flow });
      }
      return;
    }
    if (/[*?[]/.test(name) && name !== "[" && name !== "[[") {
      const meant = this.#names.filter((known) => globMatches(name, known));
      for (const known of meant) {
        await this.#program([known, ...args], scope, deeper(context, program), { flow });
      }
      this.#cannotRead("which program it runs", context);
      return;
    }
    const called = scope.functions.get(program);
    if (called) {
      // A function that calls itself has been looked at.
      if (context.through.includes(`${program}()`)) return;
      const inner = scope.inner();
      inner.arguments = args;
      const place = context.place === "code" ? "code" : "inner";
      const inside = { ...deeper(context, `${program}()`), place, isDefinition: false } as const;
      return this.#command(called, inner, inside, flow);
    }
    if (await this.#builtin(name, args, lasting, context, flow)) return;
    const inners = innerOf(name, args);
    for (const inner of inners) await this.#inner(inner, scope, deeper(context, name), flow);
    if (inners.length === 0 && program.includes("/"))
      await this.#byPath(program, args, scope, context);
  }

  /** @returns whether it is one that needs nothing else */
  async #builtin(
    name: string,
    args: readonly string[],
    scope: Scope,
    context: Context,
    flow: Flow,
  ): Promise<boolean> {
    switch (name) {
      case "cd":
      case "pushd": {
        const to = args.findLast((word) => word !== "--" && !/^-[LPe@]+$/.test(word));
        const path = to ?? scope.home ?? UNKNOWN;
        const isKnown = !path.includes(UNKNOWN) && path !== "-" && scope.cwd !== undefined;
        scope.cwd = isKnown ? resolvePath(path, scope.cwd!) : undefined;
        if (path.startsWith("/") && !path.includes(UNKNOWN)) scope.cwd = resolvePath(path, "/");
        return true;
      }
      case "popd":
        scope.cwd = undefined;
        return true;
      case "export":
      case "declare":
      case "typeset":
      case "local":
      case "readonly":
        for (const word of args) {
          const found = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(word);
          if (found) await this.#assign(found[1]!, found[2]!, scope, context);
        }
        return true;
      case "hash": {
        const at = args.indexOf("-p");
        const words = args.slice(at + 1, at + 2);
        if (at >= 0) {
          await this.#inner({ kind: "words", words }, scope, deeper(context, name), flow);
        }
        return true;
      }
      case "cp":
      case "mv":
      case "ln":
      case "install":
        await this.#copy(args, scope);
        return false;
      case "alias":
        for (const word of args) {
          const text = /^[^=]+=([\s\S]+)$/.exec(word)?.[1];
          if (text !== undefined) {
            await this.#inner({ kind: "text", text }, scope, deeper(context, name), flow);
          }
        }
        return true;
      case "read":
      case "mapfile":
      case "readarray":
      case "getopts":
      case "printf":
      case "let":
      case "unset":
        for (const word of args) {
          const variable = /^[A-Za-z_]\w*/.exec(word)?.[0];
          if (variable === undefined || (name === "printf" && args[0] !== "-v")) continue;
          scope.set(variable, name === "unset" ? "" : UNKNOWN);
          if (name === "printf") {
            const output = outputOfProgram("printf", args.slice(2), undefined);
            scope.set(variable, output ?? UNKNOWN);
            break;
          }
        }
        return true;
      case "set": {
        const at = args.indexOf("--");
        if (at >= 0) scope.arguments = args.slice(at + 1);
        return true;
      }
      case "shift":
        scope.arguments = scope.arguments?.slice(Number(args[0] ?? 1) || 1);
        return true;
      case "eval":
        await this.#inner(
          { kind: "text", text: args.join(" ") },
          scope,
          deeper(context, name),
          flow,
          true,
        );
        return true;
      case "source":
      case ".": {
        const [path = "", ...others] = args;
        const rest = others.length > 0 ? others : (scope.arguments ?? []);
        const file = { kind: "file", path, arguments: rest } as const;
        await this.#inner(file, scope, deeper(context, name), flow, true);
        return true;
      }
      default:
        return false;
    }
  }

  /** @param isHere it runs in this very shell */
  async #inner(
    inner: Inner,
    scope: Scope,
    context: Context,
    flow: Flow,
    isHere = false,
  ): Promise<void> {
    if (!this.#mayGoOn(context)) return;
    const own = isHere ? scope : scope.inner();
    switch (inner.kind) {
      case "words": {
        // What a program is given as its input, by the words of it.
        const given = inner.takesInput
          ? flow?.known?.split(/[\s'"]+/).filter((word) => word !== "")
          : undefined;
        const words = given
          ? inner.words.flatMap((word) =>
              word === UNKNOWN ? given : [word.replaceAll(UNKNOWN, given[0] ?? "")],
            )
          : inner.words;
        return this.#program(words, own, context, { flow });
      }
      case "text":
        if (inner.text.includes(UNKNOWN)) this.#cannotRead("what text a shell is given", context);
        if (inner.arguments) own.arguments = inner.arguments;
        if (inner.text.includes(UNKNOWN)) own.isOpen = true;
        return this.#text(inner.text, own, context, flow);
      case "input":
        if (inner.arguments.length > 0) own.arguments = inner.arguments;
        flow ??= scope.input;
        if (flow === undefined) return;
        if (flow.known === undefined) {
          return this.#cannotRead("what is piped into a shell", context);
        }
        return this.#text(flow.known, own, context, undefined);
      case "lines": {
        if (flow?.known === undefined) return;
        for (const line of flow.known.split("\n")) {
          const text = inner.pattern.exec(line)?.[1];
          if (text !== undefined) await this.#text(text, own.inner(), context, undefined);
        }
        return;
      }
      case "file":
        if (/^(?:\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0|-)$/.test(inner.path)) {
          return this.#inner(
            { kind: "input", arguments: inner.arguments },
            scope,
            context,
            flow,
            isHere,
          );
        }
        own.arguments = inner.arguments;
        return this.#file(inner.path, own, context, isHere ? "shell text" : "shell script");
      case "code":
        return this.#code(inner.text, own, context, inner.hasBackticks);
      case "code input":
        if (flow?.known !== undefined)
          return this.#code(flow.known, own, context, inner.hasBackticks);
        if (flow) this.#cannotRead("what is piped into an interpreter", context);
        return;
      case "code file":
        return this.#file(inner.path, own, context, "code", inner.hasBackticks);
    }
  }

  async #text(text: string, scope: Scope, context: Context, flow: Flow): Promise<void> {
    const place = context.source === undefined && context.place === "list" ? "list" : context.place;
    const script = parseScript(text);
    const inside = { ...context, place, text: undefined, depth: context.depth + 1 };
    if (!script.isWhole && script.pipelines.length === 0 && text.length > 1_000)
      this.isWhole = false;
    await this.#body(script, scope, inside, flow);
  }

  #textOf(file: string, scope: Scope): ReturnType<ReadScript> {
    if (!scope.files.has(file)) return this.#readScript(file);
    return Promise.resolve(scope.files.get(file) ?? "unreadable");
  }

  /** A script under another name is the same script. */
  async #copy(args: readonly string[], scope: Scope): Promise<void> {
    const [from, to, ...others] = args.filter((word) => !word.startsWith("-"));
    if (from === undefined || to === undefined || others.length > 0) return;
    if (scope.cwd === undefined || from.includes(UNKNOWN) || to.includes(UNKNOWN)) return;
    const text = await this.#textOf(resolvePath(from, scope.cwd), scope);
    if (text === undefined) return;
    const target = resolvePath(to, scope.cwd);
    const name = from.slice(from.lastIndexOf("/") + 1);
    const content = text === "unreadable" ? undefined : text;
    // It may be a folder.
    for (const path of [target, `${target}/${name}`]) scope.files.set(path, content);
  }

  async #byPath(
    program: string,
    args: readonly string[],
    scope: Scope,
    context: Context,
  ): Promise<void> {
    const own = scope.inner();
    own.arguments = args;
    await this.#file(program, own, context, "program");
  }

  /** @param how "program": only where it says of itself that it is a script, or is text */
  async #file(
    path: string,
    scope: Scope,
    context: Context,
    how: "program" | "shell script" | "shell text" | "code",
    hasBackticks = false,
  ): Promise<void> {
    if (path.includes(UNKNOWN)) return this.#cannotRead("which script it runs", context);
    if (!path.startsWith("/") && scope.cwd === undefined) {
      return this.#cannotRead("where its script lies", context);
    }
    const file = resolvePath(path, scope.cwd ?? "/");
    const key = `${file}\0${scope.arguments?.join("\0") ?? ""}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const text = await this.#textOf(file, scope);
    if (text === undefined) {
      // A shell's script that is not there yet; a program may as well be none.
      if (how === "shell script")
        this.#cannotRead(`what the script ${showName(path)} holds`, context);
      return;
    }
    if (text === "unreadable")
      return this.#cannotRead(`what the script ${showName(path)} holds`, context);
    const inside: Context = {
      ...context,
      source: file,
      place: "inner",
      text: undefined,
      depth: context.depth + 1,
    };
    const line = /^#!\s*(\S+)[ \t]*(.*)/.exec(text);
    const words = line ? [line[1]!, ...line[2]!.split(/\s+/).filter((word) => word !== "")] : [];
    const isShell =
      how === "shell script" ||
      how === "shell text" ||
      (how === "program" && (words.length === 0 || isShellLine(words)));
    if (isShell) return this.script(parseScript(text), scope, inside);
    await this.#code(text, scope, inside, hasBackticks || /perl|ruby|php/.test(words.join(" ")));
  }

  /** Calls in it that run a command; each line is shown to whoever looks for words. */
  async #code(text: string, scope: Scope, context: Context, hasBackticks: boolean): Promise<void> {
    const inside: Context = {
      ...context,
      place: "code",
      text: undefined,
      depth: context.depth + 1,
    };
    for (const call of callsIn(text, hasBackticks)) {
      if (!this.#mayGoOn(inside)) return;
      const at = { ...inside, text: call.text };
      if (call.words.length > 1)
        await this.#program(call.words, scope.inner(), at, { flow: undefined });
      else
        await this.script(parseScript(call.words[0]!), scope.inner(), { ...at, text: undefined });
    }
    for (const line of text.split("\n")) {
      if (this.runs.length >= MOST_RUNS) return void (this.isWhole = false);
      if (line.trim() !== "")
        this.#emit([line.trim()], { ...inside, text: line.trim() }, scope, undefined, []);
    }
  }

  /** Substitutions run before the command does. */
  async #inWord(word: Word, scope: Scope, context: Context): Promise<void> {
    for (const part of word.parts) {
      if (part.kind === "commands") {
        const inside = {
          ...context,
          place: context.place === "list" ? ("inner" as const) : context.place,
        };
        await this.script(part.script, scope.inner(), {
          ...inside,
          text: undefined,
          depth: context.depth + 1,
        });
      } else if (part.kind === "unknown" || (part.kind === "variable" && part.inner)) {
        if (context.depth < DEEPEST) {
          await this.#inWord(part.inner!, scope, { ...context, depth: context.depth + 1 });
        } else this.isWhole = false;
      }
    }
  }

  async #inRedirects(
    redirects: readonly Redirect[],
    scope: Scope,
    context: Context,
  ): Promise<void> {
    for (const { target, body } of redirects) {
      await this.#inWord(target, scope, context);
      if (body) await this.#inWord(body, scope, context);
    }
  }
}

/** It calls itself more than once, and some of it without waiting. */
function isBomb(name: string, body: Script): boolean {
  let calls = 0;
  let isBackground = false;
  const look = ({ pipelines }: Script) => {
    for (const pipeline of pipelines) {
      isBackground ||= pipeline.isBackground;
      for (const command of pipeline.commands) {
        if (command.kind === "compound") look(command.body);
        else if (command.words[0]?.raw === name) calls++;
      }
    }
  };
  look(body);
  return calls > 1 && isBackground;
}

function deeper(context: Context, name: string): Context {
  return { ...context, through: [...context.through, name], depth: context.depth + 1 };
}

function isShellLine([program = "", ...args]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  const inner = innerOf(name, args);
  if (name === "env") {
    return inner.some(({ kind, ...rest }) => {
      const words = "words" in rest ? rest.words : "text" in rest ? rest.text.split(/\s+/) : [];
      return kind !== "code" && isShellLine(words);
    });
  }
  return inner.some(({ kind }) => kind === "input" || kind === "file" || kind === "text");
}

function valueOf({ value }: Assignment, scope: Scope): string {
  return value === undefined ? UNKNOWN : expandText(value, scope);
}

function targetsOf(redirects: readonly Redirect[], scope: Scope): Run["redirects"] {
  return redirects
    .filter(({ operator }) => !operator.startsWith("<<"))
    .map(({ operator, target }) => ({ operator, target: expandWord(target, scope).join(" ") }));
}

function inputFrom(command: Pick<ShellCommand, "redirects">, scope: Scope, flow: Flow): Flow {
  const own = inputOf(command, scope);
  if (own !== undefined) return { known: own.includes(UNKNOWN) ? undefined : own };
  if (command.redirects.some(({ operator }) => operator === "<" || operator === "<>")) {
    return { known: undefined };
  }
  return flow?.known?.includes(UNKNOWN) ? { known: undefined } : flow;
}
