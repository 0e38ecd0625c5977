import { variables } from "../core/docs/env.ts";
import { asAtomicError, exitStatus } from "../core/errors.ts";
import { showName } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import { locateSession, locateState } from "../core/session/locate.ts";
import { columns } from "../core/text/layout.ts";
import { formatCount, formatSize } from "../core/text/size.ts";
import { command, type Program } from "./command.ts";
import type { Finding } from "./doctor-machine.ts";
import type { checkServers } from "./doctor-servers.ts";
import { noticesTo, printAnswer } from "./output.ts";
import { policyOf } from "./policy.ts";
import { withState } from "./session-access.ts";
import type { Settings } from "./settings.ts";
import { commit, version } from "./version.ts";

export const doctor = command({
  name: "doctor",
  summary: "Check the state folder, the session and this program itself",
  description:
    "Opens the state folder as any command would, making it where it is missing, and says what is in order and what is not. The status is 1 where something is wrong.",
  operands: [],
  flags: [],
  examples: [{ title: "As an object", line: "atomic doctor --json" }],
  topics: ["env"],
  async run({ program, settings }) {
    const { stdio } = program;
    const host = await program.host();
    const findings = [
      checkProgram(program),
      await checkPath(program, host),
      await checkState(host, noticesTo(stdio)),
      checkSession(host, settings),
      await checkPolicy(host, settings),
      await listLanguages(),
      ...(await checkMachine(program, host, settings)),
      ...(await checkConfig(host, settings, noticesTo(stdio))),
      ...(await checkMcp(host, settings, noticesTo(stdio))),
      ...checkEnvironment(host),
    ];
    const isWell = findings.every(({ result }) => result !== "wrong");
    const text = columns(
      findings.map((finding) => [finding.check, sentence(finding)] as const),
      "",
    );
    const status = isWell ? exitStatus.success : exitStatus.failed;
    return printAnswer(text, { findings }, { stdio, settings }, status);
  },
});

function sentence({ result, found, hint }: Finding): string {
  const mark = result === "wrong" ? "WRONG: " : "";
  return `${mark}${found}${hint === undefined ? "" : ` ${hint}`}`;
}

function checkProgram({ runtime }: Program): Finding {
  const built = commit === undefined ? "from source" : `built from ${commit}`;
  const where = runtime.executable === undefined ? "" : `, ${showName(runtime.executable)}`;
  return {
    check: "program",
    result: "ok",
    found: `atomic ${version}, ${built}, ${runtime.name} ${runtime.version}, ${runtime.target}${where}`,
  };
}

/** Whether the shell's `atomic` is this one: other programs have that name. */
async function checkPath({ runtime }: Program, { fs, env }: Host): Promise<Finding> {
  const check = "PATH";
  const windows = env.platform === "windows";
  const name = windows ? "atomic.exe" : "atomic";
  const found: string[] = [];
  for (const folder of (env.get("PATH") ?? "").split(windows ? ";" : ":")) {
    if (folder === "") continue;
    const file = `${folder.replace(/[\\/]$/, "")}/${name}`;
    const stat = await fs.stat(file).catch(() => undefined);
    if (stat?.kind === "file" && (windows || (stat.mode & 0o111) !== 0)) found.push(file);
  }
  const [first, ...shadowed] = found;
  if (first === undefined) return { check, result: "note", found: "no atomic is on it" };
  const others = shadowed.length === 0 ? "" : `; behind it: ${shadowed.map(showName).join(", ")}`;
  const own = runtime.executable === undefined ? undefined : await realPath(runtime.executable, fs);
  if (own !== undefined && (await realPath(first, fs)) === own) {
    return {
      check,
      result: shadowed.length === 0 ? "ok" : "note",
      found: showName(first) + others,
    };
  }
  return {
    check,
    result: "note",
    found: `atomic is ${showName(first)}, which is not this program${others}.`,
    hint: "Call this one by its path, or put its folder first.",
  };
}

function realPath(path: string, fs: Host["fs"]): Promise<string | undefined> {
  return fs.realPath(path).catch(() => undefined);
}

async function checkState(host: Host, notice: (text: string) => void): Promise<Finding> {
  const check = "state";
  try {
    const { folder, from } = locateState(host.env);
    const { inspectState } = await import("../core/session/manage.ts");
    const state = await withState(host, notice, inspectState);
    const kept = [
      formatCount(state.sessions, "session", "sessions"),
      formatCount(state.contents, "content", "contents"),
      formatSize(state.bytes),
      `format ${state.format}`,
    ];
    const place = `${showName(folder)} (${from}), private and open: ${kept.join(", ")}`;
    if (state.unsettled.length === 0) return { check, result: "ok", found: place };
    return {
      check,
      result: "note",
      found: `${place}. Writes that were cut short: ${state.unsettled.map(showName).join(", ")}.`,
      hint: "The next edit of such a file puts it in order.",
    };
  } catch (thrown) {
    const { message, hint } = asAtomicError(thrown);
    return { check, result: "wrong", found: message, ...(hint !== undefined && { hint }) };
  }
}

async function checkMachine(
  { runtime }: Program,
  host: Host,
  { workspace }: Settings,
): Promise<readonly Finding[]> {
  const [{ checkShell, checkTerminal, checkBrowser }, { loadConfig }] = await Promise.all([
    import("./doctor-machine.ts"),
    import("../core/config/load.ts"),
  ]);
  // What is wrong with the configuration is a finding of its own.
  const config = await loadConfig({ cwd: host.env.cwd, workspace }, host, () => {}).catch(() => ({
    workspace: host.env.cwd,
    layers: [],
  }));
  return [await checkShell(config, host), checkTerminal(runtime, host), await checkBrowser(host)];
}

/** The configuration, and whether the programs that it names are there. */
async function checkConfig(
  host: Host,
  { workspace }: Settings,
  notice: (text: string) => void,
): Promise<readonly Finding[]> {
  const check = "configuration";
  try {
    const { loadConfig } = await import("../core/config/load.ts");
    const { layers } = await loadConfig({ cwd: host.env.cwd, workspace }, host, notice);
    if (layers.length === 0) return [{ check, result: "ok", found: "none" }];
    const { helpersOf } = await import("../core/config/helpers.ts");
    const files = layers.map(({ file }) => showName(file)).join(", ");
    const programs: Finding[] = [];
    for (const { key, name, program, folder } of helpersOf(layers)) {
      const place = await findProgram(program, folder, host);
      const what = `${key} ${name}: ${showName(program)}`;
      programs.push(
        place === undefined
          ? {
              check,
              result: "wrong",
              found: `${what} was not found.`,
              hint: "Install it, or give its path.",
            }
          : { check, result: "ok", found: `${what} is ${showName(place)}` },
      );
    }
    return [{ check, result: "ok", found: files }, ...programs];
  } catch (thrown) {
    const { message, hint } = asAtomicError(thrown);
    return [{ check, result: "wrong", found: message, ...(hint !== undefined && { hint }) }];
  }
}

/** As it is found when it is started. */
async function findProgram(
  program: string,
  folder: string,
  { fs, env }: Host,
): Promise<string | undefined> {
  const windows = env.platform === "windows";
  const folders = program.includes("/")
    ? [program.startsWith("/") ? "" : `${folder}/`]
    : (env.get("PATH") ?? "").split(windows ? ";" : ":").map((place) => `${place}/`);
  for (const place of folders) {
    for (const end of windows ? ["", ".exe", ".cmd"] : [""]) {
      const path = `${place}${program}${end}`;
      const stat = await fs.stat(path).catch(() => undefined);
      if (stat?.kind === "file" && (windows || (stat.mode & 0o111) !== 0)) return path;
    }
  }
  return undefined;
}

async function checkMcp(...about: Parameters<typeof checkServers>): Promise<readonly Finding[]> {
  const { checkServers } = await import("./doctor-servers.ts");
  return checkServers(...about);
}

function checkSession(host: Host, settings: Settings): Finding {
  try {
    const { id, from } = locateSession(settings.session, host);
    return { check: "session", result: "ok", found: `${id} (${from})` };
  } catch (thrown) {
    return { check: "session", result: "wrong", found: asAtomicError(thrown).message };
  }
}

async function checkPolicy({ fs, env }: Host, settings: Settings): Promise<Finding> {
  const check = "policy";
  try {
    const { readOnly, plan, from } = policyOf(settings, env);
    if (readOnly) {
      const found = `read-only (${from}): what writes files or runs commands is refused`;
      return { check, result: "ok", found };
    }
    if (!plan) return { check, result: "ok", found: "none: every file may be written" };
    const paths: string[] = [];
    for (const path of plan) {
      const isThere = await fs.lstat(path).catch(() => undefined);
      paths.push(showName(path) + (isThere ? "" : " (not there)"));
    }
    const found = `plan (${from}): only these are written: ${paths.join(", ")}`;
    return { check, result: "ok", found };
  } catch (thrown) {
    return { check, result: "wrong", found: asAtomicError(thrown).message };
  }
}

/** Those whose blocks `edit` resolves by syntax. */
async function listLanguages(): Promise<Finding> {
  const { languages } = await import("../core/syntax/languages.ts");
  const names = languages.map(({ name }) => name).join(", ");
  return { check: "blocks", result: "ok", found: `${languages.length} languages: ${names}` };
}

/** The variables that are set, since they explain much. */
function checkEnvironment({ env }: Host): readonly Finding[] {
  return variables.flatMap(({ name }) => {
    const value = env.get(name);
    return value ? [{ check: name, result: "ok" as const, found: showName(value) }] : [];
  });
}
