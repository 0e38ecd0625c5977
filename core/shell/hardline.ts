// Commands that end the machine, the home folder or every process: never run, whatever the configuration (seed 004,
// "Commands"). Few, and such that no honest work needs them.

import { resolvePath } from "../paths.ts";
import { globMatches } from "./glob-name.ts";
import type { Run } from "./runs.ts";
import { UNKNOWN } from "./scope.ts";

export interface HardlineRule {
  readonly name: string;
  /** Programs that it is about; a name given as a pattern is held against them. */
  readonly programs: readonly string[];
  /** What is wrong, as the end of "it would …"; undefined where nothing is. */
  problem(run: HardRun): string | undefined;
}

interface HardRun extends Run {
  /** Of the program, without its folder, in lower case. */
  readonly program: string;
  readonly args: readonly string[];
}

/** @returns the name of the rule that forbids it, and what it would do */
export function hardlineOf(
  run: Run,
): { readonly rule: string; readonly problem: string } | undefined {
  const [first = "", ...args] = run.words;
  const program = first.slice(first.lastIndexOf("/") + 1).toLowerCase();
  const hard: HardRun = { ...run, program, args };
  for (const { name, problem } of rules) {
    const found = problem(hard);
    if (found !== undefined) return { rule: name, problem: found };
  }
  return undefined;
}

const SYSTEM =
  "/ /Applications /Library /System /Users /bin /boot /dev /etc /home /lib /lib32 /lib64 /proc /root /run /sbin /sys /usr /usr/bin /usr/lib /usr/local /usr/sbin /var /var/lib".split(
    " ",
  );

/** The system folder, or the home folder, that a word means, itself or all in it. */
function precious(word: string, { cwd, home }: Run, isHomeToo = true): string | undefined {
  if (word === "" || word.startsWith("-")) return undefined;
  // "x/*" and "x/.*" are all that is in x.
  const folder = /^(?:\.|\.?\*+)$/.test(word)
    ? "."
    : word.replace(/(?:\/+(?:\.?\*+|\.\[!?[^\]]*\]\*|\.))+\/*$/, "/");
  const isAbsolute = folder.startsWith("/");
  if (folder.includes(UNKNOWN) || (!isAbsolute && cwd === undefined)) return undefined;
  const path = resolvePath(folder, cwd ?? "/");
  const places = home === undefined || !isHomeToo ? SYSTEM : [...SYSTEM, home];
  if (/[*?[]/.test(path)) return places.find((place) => globMatches(path, place));
  if (places.includes(path)) return path;
  return isHomeToo && /^\/(?:home|Users)\/[^/]+$/.test(path) ? path : undefined;
}

const DISK =
  /^\/dev\/(?:r?disk\d|[shvx]v?d[a-z]+\d*$|nvme\d|mmcblk\d|disk\/|mapper\/(?!control)|dm-\d|md\d|vg\w*\/|mem$|kmem$)/;

const diskIn = (words: readonly string[]) => words.find((word) => DISK.test(word));

/** `-r`, `-R`, `-fr`, `--recursive` and what it may be cut to. */
function isRecursive(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg) || /^--r(?:e(?:c\w*)?)?$/.test(arg));
}

const rules: readonly HardlineRule[] = [
  {
    name: "remove-system",
    programs: ["rm", "mv", "find", "rsync"],
    problem(run) {
      const { program, args } = run;
      const isUnknown = program.includes(UNKNOWN);
      if (program === "rm" || isUnknown) {
        if (!isRecursive(args) || (isUnknown && !args.some((arg) => /^-[a-zA-Z]*f/.test(arg)))) {
          return undefined;
        }
        const place = first(args, (arg) => precious(arg, run));
        return place && `remove ${place} with all that is in it`;
      }
      if (program === "mv") {
        const place = first(args.slice(0, -1), (arg) => precious(arg, run));
        return place && `move ${place} away`;
      }
      if (program === "rsync" && args.some((arg) => arg.startsWith("--del"))) {
        const place = precious(args.at(-1) ?? "", run);
        return place && `remove what is in ${place}`;
      }
      if (/^g?find$/.test(program) && args.includes("-delete")) {
        const end = args.findIndex((arg) => /^[-(!]/.test(arg));
        const tests = args.slice(end).filter((arg) => arg.startsWith("-"));
        const isAll = tests.every((arg) =>
          /^-(?:delete|depth|d|mount|xdev|mindepth|maxdepth)$/.test(arg),
        );
        const place = isAll ? first(args.slice(0, end), (arg) => precious(arg, run)) : undefined;
        return place && `remove what is in ${place}`;
      }
      return undefined;
    },
  },
  {
    name: "overwrite-disk",
    programs: ["dd", "mkfs", "wipefs", "shred", "blkdiscard", "tee", "cp", "diskutil"],
    problem({ program, args, redirects }) {
      const written = redirects.find(
        ({ operator, target }) => operator.includes(">") && DISK.test(target),
      );
      if (written) return `write over the disk ${written.target}`;
      const disk = diskIn(args);
      if (program === "dd") {
        const of = args.find((arg) => arg.startsWith("of=") && DISK.test(arg.slice(3)));
        return of && `write over the disk ${of.slice(3)}`;
      }
      if (
        /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|blkdiscard|shred|zap|tee|nwipe|scrub)$/.test(
          program,
        )
      ) {
        if (
          program === "wipefs" &&
          !args.some((arg) => /^-[a-z]*[ao]|^--(?:all|offset)/.test(arg))
        ) {
          return undefined;
        }
        return disk && `write over the disk ${disk}`;
      }
      if (/^(?:cp|mv)$/.test(program) && DISK.test(args.at(-1) ?? "")) {
        return `write over the disk ${args.at(-1)!}`;
      }
      if (
        program === "sgdisk" &&
        disk &&
        args.some((arg) => /^-[a-z]*[zZo]|^--(?:zap|clear)/.test(arg))
      ) {
        return `clear the disk ${disk}`;
      }
      if (program === "hdparm" && args.some((arg) => arg.startsWith("--security-erase"))) {
        return "erase a disk";
      }
      if (program === "nvme" && /^(?:format|sanitize)$/.test(args[0] ?? "")) return "erase a disk";
      if (program === "diskutil" && /^(?:erase|zero|secureerase|reformat)/i.test(args[0] ?? "")) {
        return "erase a disk";
      }
      return undefined;
    },
  },
  {
    name: "fork-bomb",
    programs: [],
    problem: ({ isBomb, words }) =>
      isBomb ? `start copies of the function "${words[0] ?? ""}" without end` : undefined,
  },
  {
    name: "power-off",
    programs: ["shutdown", "poweroff", "halt", "reboot", "init", "telinit", "systemctl"],
    problem({ program, args, place }) {
      if (args.some((arg) => /^(?:--help|--version|-h\b.*help|--no-wall-test)$/.test(arg)))
        return undefined;
      const isOnly = place === "code" && args.length === 0;
      if (/^(?:poweroff|halt|reboot)$/.test(program) && !isOnly) return "stop the machine";
      if (program === "shutdown" && !isOnly && !args.some((arg) => /^-[a-z]*c|^--show/.test(arg))) {
        return "stop the machine";
      }
      if (/^(?:init|telinit)$/.test(program) && /^[06]$/.test(args[0] ?? ""))
        return "stop the machine";
      const verbs = args.filter((arg) => !arg.startsWith("-"));
      if (
        program === "systemctl" &&
        /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|emergency|rescue)$/.test(
          verbs[0] ?? "",
        )
      ) {
        return "stop the machine";
      }
      return undefined;
    },
  },
  {
    name: "kill-all",
    programs: ["kill", "killall5"],
    problem({ program, args }) {
      if (program === "killall5") return "end every process";
      if (program !== "kill") return undefined;
      const isSignal = /^-(?:\d+|[A-Za-z]\w*)$/.test(args[0] ?? "");
      const targets = args.slice(isSignal ? (/^-[ns]$/.test(args[0]!) ? 2 : 1) : 0);
      return targets.includes("-1") ? "end every process" : undefined;
    },
  },
  {
    name: "open-system",
    programs: ["chmod", "chown", "chgrp", "setfacl", "chattr"],
    problem(run) {
      const { program, args } = run;
      if (!/^(?:chmod|chown|chgrp|setfacl|chattr)$/.test(program) || !isRecursive(args))
        return undefined;
      const place = first(args, (arg) => precious(arg, run, false));
      return place && `change owners or permissions of all that is in ${place}`;
    },
  },
];

/** What a name that is given as a pattern may mean. */
export const hardPrograms: readonly string[] = rules.flatMap(({ programs }) => programs);

function first<T>(items: readonly string[], found: (item: string) => T | undefined): T | undefined {
  for (const item of items) {
    const result = found(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
