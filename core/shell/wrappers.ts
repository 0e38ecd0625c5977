// Programs that run other programs: where in their arguments the other one stands.

import { UNKNOWN } from "./scope.ts";

export type Inner =
  /** Another program with its arguments. */
  | {
      readonly kind: "words";
      readonly words: readonly string[];
      /** UNKNOWN in them stands for words of its input. */
      readonly takesInput?: true;
    }
  /** Text that a shell reads; `arguments` are its "$1" and on. */
  | { readonly kind: "text"; readonly text: string; readonly arguments?: readonly string[] }
  /** A shell that reads its input. */
  | { readonly kind: "input"; readonly arguments: readonly string[] }
  | { readonly kind: "file"; readonly path: string; readonly arguments: readonly string[] }
  /** Commands on lines of its input, as the pattern's first group. */
  | { readonly kind: "lines"; readonly pattern: RegExp }
  /** A program in some other language. */
  | { readonly kind: "code"; readonly text: string; readonly hasBackticks: boolean }
  | { readonly kind: "code input"; readonly hasBackticks: boolean }
  | { readonly kind: "code file"; readonly path: string; readonly hasBackticks: boolean };

const none: readonly Inner[] = [];

/** @param name of the program, without its folder */
export function innerOf(name: string, args: readonly string[]): readonly Inner[] {
  if (shells.has(name)) return shell(args);
  const interpreter = interpreters.find(({ names }) => names.test(name));
  if (interpreter) return code(interpreter, args);
  const own = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  return own ? own(args) : none;
}

/** All names that mean something here, for a name that holds a glob. */
export function knownPrograms(): readonly string[] {
  return [...shells, ...Object.keys(wrappers), "python3", "perl", "ruby", "node", "php", "awk"];
}

const shells = new Set(
  "sh bash rbash dash ash zsh ksh ksh93 mksh lksh pdksh yash fish csh tcsh posh".split(" "),
);

function shell(args: readonly string[]): readonly Inner[] {
  const own = args.flatMap((arg, at): readonly Inner[] => {
    const path =
      /^--(?:rcfile|init-file)=([\s\S]+)$/.exec(arg)?.[1] ??
      (/^--(?:rcfile|init-file)$/.test(arg) ? args[at + 1] : undefined);
    return path === undefined ? [] : [{ kind: "file", path, arguments: [] }];
  });
  return [...own, ...shellWork(args)];
}

function shellWork(args: readonly string[]): readonly Inner[] {
  let isText = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (/^--?(?:rcfile|init-file|init-command)$/.test(arg)) at++;
    else if (arg.startsWith("--")) {
      const command = /^--(?:command|init-command)(?:=([\s\S]*))?$/.exec(arg);
      if (command) {
        isText = true;
        if (command[1] !== undefined) return [{ kind: "text", text: command[1] }];
      }
    } else if (/^[-+][A-Za-z]/.test(arg)) {
      if (arg.startsWith("-") && /c/i.test(arg)) isText = true;
      if (arg.startsWith("-") && arg.includes("s") && !isText) {
        return [{ kind: "input", arguments: args.slice(at + 1) }];
      }
      if (/[oO]$/.test(arg)) at++;
    } else break;
  }
  const [first, ...others] = args.slice(at);
  if (isText) return [{ kind: "text", text: first ?? "", arguments: others.slice(1) }];
  if (first === undefined) return [{ kind: "input", arguments: [] }];
  return [{ kind: "file", path: first, arguments: others }];
}

interface Interpreter {
  readonly names: RegExp;
  /** An option whose value, or the rest of whose word, is a program. */
  readonly code: RegExp;
  /** Options that take the next word. */
  readonly values: RegExp;
  /** Without an option, the first word is the program and not a file. */
  readonly isCodeFirst?: boolean;
  /** Text in backticks is a command. */
  readonly hasBackticks?: boolean;
}

const interpreters: readonly Interpreter[] = [
  {
    names: /^(?:python|pypy)[\d.]*$/,
    code: /^-[a-zA-Z]*c$/,
    values: /^-[WXQ]$/,
  },
  {
    names: /^(?:perl|ruby)[\d.]*$/,
    code: /^-[a-zA-Z0-9]*[eE]$/,
    values: /^-[IrC]$/,
    hasBackticks: true,
  },
  {
    names: /^(?:node|nodejs|bun|deno|tsx)$/,
    code: /^(?:-[a-z]*[ep]|--eval|--print|eval)$/,
    values: /^(?:-r|--require|--import)$/,
  },
  { names: /^php[\d.]*$/, code: /^-[rBRE]$/, values: /^-[dcz]$/, hasBackticks: true },
  { names: /^(?:lua|luajit)[\d.]*$/, code: /^-e$/, values: /^-l$/ },
  {
    names: /^(?:awk|gawk|mawk|nawk)$/,
    code: /^(?:-e|--source)$/,
    values: /^-[vFfi]$/,
    isCodeFirst: true,
  },
  { names: /^(?:tclsh|expect|osascript|Rscript)[\d.]*$/, code: /^-[ce]$/, values: /^(?!)/ },
];

function code(
  { code: option, values, isCodeFirst = false, hasBackticks = false }: Interpreter,
  args: readonly string[],
): readonly Inner[] {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (option.test(arg)) return [{ kind: "code", text: args[at + 1] ?? "", hasBackticks }];
    const joined = /^-[ecr](?=[^a-zA-Z0-9]|.{3})([\s\S]+)$/.exec(arg);
    if (joined && option.test(arg.slice(0, 2)))
      return [{ kind: "code", text: joined[1]!, hasBackticks }];
    if (values.test(arg)) at++;
    else if (arg === "-") return [{ kind: "code input", hasBackticks }];
    else if (!arg.startsWith("-")) {
      if (isCodeFirst) return [{ kind: "code", text: arg, hasBackticks }];
      if (arg === "run") continue;
      return [{ kind: "code file", path: arg, hasBackticks }];
    }
  }
  return [{ kind: "code input", hasBackticks }];
}

type Wrapper = (args: readonly string[]) => readonly Inner[];

/** @param letters of short options that take a value; @param long the same for long ones */
function after(
  letters: string,
  long: readonly string[] = [],
  {
    operands = 0,
    assignments = false,
  }: { readonly operands?: number; readonly assignments?: boolean } = {},
): Wrapper {
  return (args) => {
    let at = pastOptions(args, letters, long);
    while (assignments && /^[A-Za-z_]\w*=/.test(args[at] ?? "")) at++;
    const words = args.slice(at + operands);
    return words.length === 0 ? none : [{ kind: "words", words }];
  };
}

function pastOptions(args: readonly string[], letters: string, long: readonly string[]): number {
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") return at + 1;
    if (!/^-./.test(arg)) return at;
    if (arg.startsWith("--")) {
      if (long.includes(arg.slice(2))) at++;
      continue;
    }
    const value = Array.from(arg.slice(1)).findIndex((letter) => letters.includes(letter));
    if (value >= 0 && value === arg.length - 2) at++;
  }
  return at;
}

/** The value of an option, as its own word or joined to it. */
function option(args: readonly string[], short: string, long: string): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (arg === `--${long}` || (/^-\w+$/.test(arg) && arg.endsWith(short))) return args[at + 1];
    if (arg.startsWith(`--${long}=`)) return arg.slice(long.length + 3);
    if (arg.startsWith(`-${short}`) && arg.length > 2) return arg.slice(2);
    if (arg === "--") return undefined;
  }
  return undefined;
}

/** The words of several as one text. */
function joined(wrapper: Wrapper): Wrapper {
  return (args) =>
    wrapper(args).map((inner) =>
      inner.kind === "words" ? { kind: "text", text: inner.words.join(" ") } : inner,
    );
}

function sudo(args: readonly string[]): readonly Inner[] {
  const inner = after(
    "ugUhpCcrtTDR",
    ["user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "close-from"],
    { assignments: true },
  )(args);
  if (inner.length > 0) return inner;
  return args.some((arg) => /^-[a-zA-Z]*[si]|^--(?:shell|login)/.test(arg))
    ? [{ kind: "input", arguments: [] }]
    : none;
}

function env(args: readonly string[]): readonly Inner[] {
  const at = args.findIndex((arg) => /^-[a-zA-Z]*S|^--split-string/.test(arg));
  if (at >= 0) {
    const inline = args[at]!.replace(/^(?:-[a-zA-Z]*?S|--split-string)=?/, "");
    const rest = inline === "" ? args.slice(at + 1) : [inline, ...args.slice(at + 1)];
    // It splits the first as a shell would; assignments before a command are ones there too.
    return [{ kind: "text", text: rest.join(" ") }];
  }
  return after("uC", ["unset", "chdir"], { assignments: true })(args);
}

function su(args: readonly string[]): readonly Inner[] {
  const text = option(args, "c", "command") ?? option(args, "c", "session-command");
  if (text !== undefined) return [{ kind: "text", text }];
  return [{ kind: "input", arguments: [] }];
}

function xargs(args: readonly string[]): readonly Inner[] {
  const long = [
    "arg-file",
    "delimiter",
    "max-lines",
    "max-args",
    "max-procs",
    "max-chars",
    "replace",
  ];
  const inner = after("aEeIiLlnPsd", long)(args);
  const replaced =
    option(args, "I", "replace") ?? (args.some((arg) => arg === "-i") ? "{}" : undefined);
  return inner.map((one) => {
    if (one.kind !== "words") return one;
    const words =
      replaced === undefined || replaced === ""
        ? [...one.words, UNKNOWN]
        : one.words.map((word) => word.replaceAll(replaced, UNKNOWN));
    return { kind: "words", words, takesInput: true };
  });
}

function find(args: readonly string[]): readonly Inner[] {
  const found: Inner[] = [];
  // Without a test, where it starts is the first that it finds.
  const start = args[0] !== undefined && !/^[-(!]/.test(args[0]) ? args[0] : ".";
  const isAll = args.every(
    (arg) =>
      !/^(?:-(?!exec|ok|delete|print|depth|mount|xdev|maxdepth|mindepth|type)|!|\()/.test(arg) ||
      /^-[HLPr]/.test(arg) ||
      args.indexOf(arg) > args.findIndex((word) => /^-(?:exec|ok)/.test(word)),
  );
  for (const [at, arg] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) continue;
    const end = args.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    const words = args.slice(at + 1, end < 0 ? undefined : end);
    found.push({
      kind: "words",
      words: words.map((word) => word.replaceAll("{}", isAll ? start : UNKNOWN)),
    });
  }
  return found;
}

function flock(args: readonly string[]): readonly Inner[] {
  const at = pastOptions(args, "wE", ["wait", "timeout", "conflict-exit-code"]);
  const rest = args.slice(at + 1);
  const text = /^(?:-c|--command)$/.test(rest[0] ?? "") ? rest[1] : undefined;
  if (text !== undefined) return [{ kind: "text", text }];
  return rest.length === 0 ? none : [{ kind: "words", words: rest }];
}

function script(args: readonly string[]): readonly Inner[] {
  const text = option(args, "c", "command");
  if (text !== undefined) return [{ kind: "text", text }];
  const words = args.slice(pastOptions(args, "IOBTEoLm", []) + 1);
  return words.length === 0 ? [{ kind: "input", arguments: [] }] : [{ kind: "words", words }];
}

/** Settings that are commands, and aliases for some. */
function git(args: readonly string[]): readonly Inner[] {
  const found: Inner[] = [];
  for (const [at, arg] of args.entries()) {
    const setting = arg === "-c" ? args[at + 1] : undefined;
    const value = setting?.slice(setting.indexOf("=") + 1);
    if (value?.startsWith("!")) found.push({ kind: "text", text: value.slice(1) });
    else if (
      value &&
      /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass)|pager\.|sequence\.editor|diff\.external|credential\.helper)/i.test(
        setting!,
      )
    ) {
      found.push({ kind: "text", text: value });
    }
    if (
      /^(?:-x|--exec|--tree-filter|--index-filter|--msg-filter|--env-filter|--commit-filter|--upload-pack|--receive-pack)$/.test(
        arg,
      )
    ) {
      found.push({ kind: "text", text: args[at + 1] ?? "" });
    }
    const joint = /^--(?:exec|upload-pack|receive-pack|open-files-in-pager)=([\s\S]+)$/.exec(
      arg,
    )?.[1];
    if (joint) found.push({ kind: "text", text: joint });
  }
  const [first, second, ...others] = args.filter((arg) => !arg.startsWith("-"));
  if (first === "bisect" && second === "run") found.push({ kind: "words", words: others });
  const at = args.indexOf("foreach");
  if (first === "submodule" && at >= 0) {
    found.push({
      kind: "text",
      text: args
        .slice(at + 1)
        .filter((arg) => arg !== "--recursive")
        .join(" "),
    });
  }
  return found;
}

function tar(args: readonly string[]): readonly Inner[] {
  return args.flatMap((arg, at): readonly Inner[] => {
    const text =
      /^--(?:to-command|use-compress-program|rsh-command|info-script|new-volume-script)=([\s\S]+)$/.exec(
        arg,
      )?.[1] ??
      /^--checkpoint-action=exec=([\s\S]+)$/.exec(arg)?.[1] ??
      (/^(?:-I|-F|--to-command|--use-compress-program)$/.test(arg) ? args[at + 1] : undefined);
    return text === undefined ? [] : [{ kind: "text", text }];
  });
}

function ssh(args: readonly string[]): readonly Inner[] {
  const found: Inner[] = args.flatMap((arg, at): readonly Inner[] => {
    const setting = arg === "-o" ? args[at + 1] : arg.startsWith("-o") ? arg.slice(2) : undefined;
    const text = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]([\s\S]+)$/i.exec(
      setting ?? "",
    )?.[1];
    return text === undefined ? [] : [{ kind: "text", text }];
  });
  const words = args.slice(pastOptions(args, "BbcDEeFIiJLlmOopQRSWw", []) + 1);
  if (words.length > 0) found.push({ kind: "text", text: words.join(" ") });
  return found;
}

function busybox(args: readonly string[]): readonly Inner[] {
  return args.length === 0 ? none : [{ kind: "words", words: args }];
}

/** This program. */
function atomic(args: readonly string[]): readonly Inner[] {
  const at = args.findIndex((arg) => /^(?:bash|run|exec|shell|powershell|call)$/.test(arg));
  if (at < 0) return none;
  if (args[at] !== "call") {
    const found = args.slice(at + 1).filter((arg) => /[^-]/.test(arg) && !arg.startsWith("--"));
    return found.map((text) => ({ kind: "text", text }));
  }
  const command = /"command"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(args.slice(at + 1).join(" "))?.[1];
  return command === undefined ? none : [{ kind: "text", text: JSON.parse(command) as string }];
}

/** `e` runs what follows it; the pattern space by `s///e` is not seen. */
function sed(args: readonly string[]): readonly Inner[] {
  return args.flatMap((arg) =>
    [...arg.matchAll(/(?:^|[;{}\n\d$/])[ \t]*e[ \t]*([^\s;}=][^\n]*)/g)].map((found) => ({
      kind: "text" as const,
      text: found[1]!,
    })),
  );
}

/** Commands of an editor or debugger, in options or on its input. */
function escapes(pattern: RegExp): Wrapper {
  return (args) => [
    ...args.flatMap((arg): readonly Inner[] => {
      const text = pattern.exec(arg)?.[1];
      return text === undefined ? [] : [{ kind: "text", text }];
    }),
    { kind: "lines", pattern },
  ];
}

const vi = escapes(/^\+?:*(?:sil\w* )?(?:[\d,.$%]*!|!!|ter\w* |sh\w* )([\s\S]+)$/);

const plain = after("");

const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo,
  doas: after("uCa"),
  pkexec: after("", ["user"]),
  su,
  runuser: (args) => {
    const user = option(args, "u", "user");
    return user === undefined ? su(args) : after("ugG", ["user", "group"])(args);
  },
  env,
  nohup: plain,
  setsid: plain,
  command: plain,
  builtin: plain,
  exec: after("a"),
  nice: after("n", ["adjustment"]),
  ionice: after("cnpPu", ["class", "classdata"]),
  chrt: after("TPD", [], { operands: 1 }),
  taskset: after("p", [], { operands: 1 }),
  time: after("fo", ["format", "output"]),
  timeout: after("sk", ["signal", "kill-after"], { operands: 1 }),
  gtimeout: after("sk", ["signal", "kill-after"], { operands: 1 }),
  stdbuf: after("ioe", ["input", "output", "error"]),
  unbuffer: plain,
  xargs,
  parallel: joined(after("jNIPSa", ["jobs", "arg-file", "max-args", "max-procs", "results"])),
  find,
  gfind: find,
  fd: (args) => execOption(args),
  fdfind: (args) => execOption(args),
  busybox,
  toybox: busybox,
  chroot: after("", ["userspec", "groups"], { operands: 1 }),
  unshare: after("SGRw", ["root", "wd", "setuid", "setgid", "map-user", "map-group"]),
  nsenter: after("tSGrw", ["target", "setuid", "setgid"]),
  setpriv: after("", ["reuid", "regid", "groups", "securebits", "bounding-set", "inh-caps"]),
  setarch: after(""),
  linux64: plain,
  linux32: plain,
  flock,
  strace: after("oepPsuESaXI", ["output", "trace", "attach", "string-limit", "user", "env"]),
  ltrace: after("oenpusaxF"),
  gdb: escapes(/^(?:!|sh\w* |pi\w* )([\s\S]+)$/),
  vi,
  vim: vi,
  nvim: vi,
  view: vi,
  ex: vi,
  ed: escapes(/^[\d,.$]*(?:[er] )?!([\s\S]+)$/),
  sed,
  valgrind: plain,
  watch: joined(after("n", ["interval"])),
  entr: plain,
  script,
  "systemd-run": after("pMHEtu", ["unit", "property", "uid", "gid", "slice", "setenv"]),
  "dbus-run-session": plain,
  "xvfb-run": after("enfps", ["server-args", "server-num"]),
  fakeroot: after("lsibi"),
  firejail: plain,
  proot: after("rbRSwkqv0"),
  bwrap: () => none,
  nix: () => none,
  git,
  tar,
  gtar: tar,
  bsdtar: tar,
  ssh,
  atomic,
  at: () => [{ kind: "input", arguments: [] }],
  batch: () => [{ kind: "input", arguments: [] }],
  trap: ([first = ""]) => (first.startsWith("-") ? none : [{ kind: "text", text: first }]),
};

function execOption(args: readonly string[]): readonly Inner[] {
  const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg));
  return at < 0 ? none : [{ kind: "words", words: args.slice(at + 1) }];
}
