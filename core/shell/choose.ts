// Which shell runs a command.

import { AtomicError } from "../errors.ts";
import { isAbsolutePath, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import type { StartProcess } from "../ports/processes.ts";

/** How its literals are quoted; follows the shell, not the system. */
export type ShellDialect = "posix" | "powershell";

export interface Shell {
  readonly dialect: ShellDialect;
  /** As details name it. */
  readonly name: string;
  start(command: string): Pick<StartProcess, "program" | "args" | "env">;
}

type Ports = Pick<Host, "fs" | "env" | "processes">;

/**
 * The configured one, else bash, else sh; on Windows PowerShell; on a system without any, the one that the runtime brings.
 * @param configured the path in `shellPath`
 * @throws AtomicError `bash.spawn`
 */
export async function chooseShell(configured: string | undefined, ports: Ports): Promise<Shell> {
  if (configured !== undefined) {
    if (await isProgram(configured, ports)) return shellAt(configured);
    throw new AtomicError(
      "bash.spawn",
      `The configured shell ${showName(configured)} does not exist, or is no program.`,
      {
        hint: 'Set "shellPath" in the configuration to a shell\'s absolute path, or leave it out.',
      },
    );
  }
  const names = ports.env.platform === "windows" ? ["pwsh", "powershell"] : ["bash", "sh"];
  const fixed = ports.env.platform === "windows" ? [] : ["/bin/bash"];
  for (const path of fixed) if (await isProgram(path, ports)) return shellAt(path);
  for (const name of names) {
    const path = await findProgram(name, ports);
    if (path !== undefined) return shellAt(path);
  }
  if (await isProgram("/bin/sh", ports)) return shellAt("/bin/sh");
  const own = ports.processes.ownShell;
  if (own) {
    const start = (command: string) => ({ ...own, args: [...own.args, command] });
    return { dialect: "posix", name: "Bun's own shell", start };
  }
  throw new AtomicError(
    "bash.spawn",
    "There is no shell on this machine: neither bash nor sh is on PATH.",
  );
}

export async function hasPowerShell(ports: Pick<Host, "fs" | "env">): Promise<boolean> {
  for (const name of ["pwsh", "powershell"]) {
    if ((await findProgram(name, ports)) !== undefined) return true;
  }
  return false;
}

/** PowerShell, where there is one. @throws AtomicError `bash.spawn` */
export async function choosePowerShell(ports: Ports): Promise<Shell> {
  for (const name of ["pwsh", "powershell"]) {
    const path = await findProgram(name, ports);
    if (path !== undefined) return shellAt(path);
  }
  throw new AtomicError(
    "bash.spawn",
    "There is no PowerShell on this machine: neither pwsh nor powershell is on PATH.",
    {
      hint: "Install PowerShell, or use bash.",
    },
  );
}

/** A program's absolute path by the rules of PATH. */
export async function findProgram(
  name: string,
  ports: Pick<Host, "fs" | "env">,
): Promise<string | undefined> {
  const windows = ports.env.platform === "windows";
  for (const folder of (ports.env.get("PATH") ?? "").split(windows ? ";" : ":")) {
    if (!isAbsolutePath(folder, ports.env.platform)) continue;
    const path = `${folder.replace(/[\\/]+$/, "")}/${name}${windows ? ".exe" : ""}`;
    if (await isProgram(path, ports)) return path;
  }
  return undefined;
}

async function isProgram(path: string, { fs, env }: Pick<Host, "fs" | "env">): Promise<boolean> {
  const stat = await fs.stat(path).catch(() => undefined);
  return stat?.kind === "file" && (env.platform === "windows" || (stat.mode & 0o111) !== 0);
}

function shellAt(path: string): Shell {
  const name = path.replace(/^.*[\\/]/, "").replace(/\.exe$/i, "");
  if (/^(?:pwsh|powershell)$/i.test(name)) {
    const args = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"];
    return {
      dialect: "powershell",
      name: path,
      start: (command) => ({ program: path, args: [...args, command] }),
    };
  }
  return {
    dialect: "posix",
    name: path,
    start: (command) => ({ program: path, args: ["-c", command] }),
  };
}
