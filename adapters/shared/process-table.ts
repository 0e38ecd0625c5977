// The processes of the system: through /proc on Linux, through ps and taskkill elsewhere.

import type { KillSignal, ProcessFacts, Processes } from "../../core/ports/processes.ts";

import { errnoOf } from "./errno.ts";

type Table = Pick<Processes, "list" | "find" | "marked" | "signal">;

const LONGEST_COMMAND = 200;

export function processTable(): Table {
  const { list, find, marked } = process.platform === "linux" ? procTable() : psTable();
  return { list, find, marked, signal };
}

function signal(target: Parameters<Table["signal"]>[0], name: KillSignal): boolean {
  if (process.platform === "win32") return "pid" in target && endOnWindows(target.pid);
  const id = "pid" in target ? target.pid : -target.group;
  // 0, 1 and -1 mean whole sets of processes, or the one that the system lives by.
  if (Math.abs(id) <= 1) return false;
  try {
    return process.kill(id, name);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ESRCH" || code === "EPERM") return false;
    throw thrown;
  }
}

function endOnWindows(pid: number): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const args = ["/PID", String(pid), "/T", "/F"];
  return spawnSync("taskkill", args, { stdio: "ignore", windowsHide: true }).status === 0;
}

function procTable(): Omit<Table, "signal"> {
  const { readFileSync, readdirSync } = process.getBuiltinModule("node:fs");
  let boot: string | undefined;

  function read(path: string): Buffer | undefined {
    try {
      return readFileSync(path);
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
      return undefined;
    }
  }

  function factsOf(pid: number): ProcessFacts | undefined {
    const stat = read(`/proc/${pid}/stat`)?.toString("latin1");
    if (stat === undefined) return undefined;
    // The name in brackets may hold anything.
    const end = stat.lastIndexOf(")");
    const name = stat.slice(stat.indexOf("(") + 1, end);
    const fields = stat.slice(end + 2).split(" ");
    const [state, parent, group] = fields;
    if (state === "Z" || state === "X") return undefined;
    boot ??= read("/proc/sys/kernel/random/boot_id")?.toString().trim() ?? "";
    const words = read(`/proc/${pid}/cmdline`)?.toString("utf8").replace(/\0+$/, "");
    const command = words ? words.replaceAll("\0", " ") : `[${name}]`;
    return {
      pid,
      group: Number(group),
      started: `${boot}:${fields[19]}`,
      command: command.slice(0, LONGEST_COMMAND),
      parent: Number(parent),
    };
  }

  function pids(): readonly number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  }

  return {
    list: async () => pids().flatMap((pid) => factsOf(pid) ?? []),
    find: async (pid) => factsOf(pid),
    async marked(variable, text) {
      return pids().flatMap((pid) => {
        const variables = read(`/proc/${pid}/environ`);
        if (!variables?.includes(text)) return [];
        const isMarked = variables
          .toString("latin1")
          .split("\0")
          .some((each) => each.startsWith(`${variable}=`) && each.includes(text));
        return isMarked ? (factsOf(pid) ?? []) : [];
      });
    },
  };
}

/** Columns of ps: pid, parent, group, state, start (five words), command; with -E the environment follows the command. */
function psTable(): Omit<Table, "signal"> {
  function rows(...options: readonly string[]): readonly ProcessFacts[] {
    if (process.platform === "win32") return [];
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const columns = ["-o", "pid=,ppid=,pgid=,state=,lstart=,command="];
    const { stdout } = spawnSync("ps", [...options, ...columns], {
      encoding: "utf8",
      // Whoever asks must get the same words for the same moment.
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
      maxBuffer: 64 * 1024 * 1024,
    });
    return (stdout ?? "").split("\n").flatMap((line) => {
      const found =
        /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line);
      if (!found || found[4]!.startsWith("Z")) return [];
      const [pid, parent, group] = found.slice(1, 4).map(Number) as [number, number, number];
      return [{ pid, group, started: found[5]!, command: found[6]!, parent }];
    });
  }

  function shortened(facts: ProcessFacts): ProcessFacts {
    return { ...facts, command: facts.command.slice(0, LONGEST_COMMAND) };
  }

  return {
    list: async () => rows("-A", "-ww").map(shortened),
    async find(pid) {
      if (process.platform === "win32") return findOnWindows(pid);
      return rows("-ww", "-p", String(pid)).map(shortened)[0];
    },
    async marked(variable, text) {
      if (process.platform !== "darwin") return [];
      const marks = rows("-A", "-E", "-ww").filter(({ command }) =>
        command.split(" ").some((word) => word.startsWith(`${variable}=`) && word.includes(text)),
      );
      return marks.map(shortened);
    },
  };
}

function findOnWindows(pid: number): ProcessFacts | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const script = `$p = Get-Process -Id ${pid} -ErrorAction Stop; "$($p.StartTime.ToFileTimeUtc())|$($p.ProcessName)"`;
  const { status, stdout } = spawnSync(
    "powershell.exe",
    ["-NoProfile", "-NonInteractive", "-Command", script],
    { encoding: "utf8", windowsHide: true },
  );
  if (status !== 0) return undefined;
  const [started = "", command = ""] = stdout.trim().split("|");
  return { pid, group: pid, started, command };
}
