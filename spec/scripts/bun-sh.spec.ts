// scripts/bun.sh with programs of ours in place of uname, npm and Bun, in a folder whose name has a space.

import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { runPiped } from "../cmd/program.ts";

const root = resolve(import.meta.dirname, "../..");
const ordinary = "basename cat chmod cksum dirname env grep mkdir mktemp mv rm sed sh".split(" ");

interface Setting {
  readonly project: string;
  readonly log: () => string;
  add(name: string, script: string): void;
  run(
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ReturnType<typeof runPiped>;
}

async function inSetting(work: (setting: Setting) => Promise<void>): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "atomic bun-")));
  const project = join(base, "the project");
  const path = join(base, "bin");
  const log = join(base, "log");
  const elsewhere = join(base, "else where");
  mkdirSync(join(project, "scripts"), { recursive: true });
  mkdirSync(path);
  mkdirSync(elsewhere);
  copyFileSync(join(root, "scripts/bun.sh"), join(project, "scripts/bun.sh"));
  writeFileSync(
    join(project, "package.json"),
    '{\n  "devDependencies": {\n    "bun": "9.8.7"\n  }\n}\n',
  );
  writeFileSync(join(project, "bun.lock"), "{}\n");
  for (const name of ordinary) symlinkSync(Bun.which(name)!, join(path, name));
  function add(name: string, script: string): void {
    const file = resolve(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  add("uname", "case $1 in -s) echo Darwin ;; -m) echo arm64 ;; esac");
  try {
    await work({
      project,
      log: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
      add,
      run: (args = [], env = {}) =>
        runPiped(["/bin/sh", join(project, "scripts/bun.sh"), ...args], elsewhere, {
          PATH: path,
          LOG: log,
          CI: "true",
          ...env,
        }),
    });
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** Says a version, notes all else that it is asked to do and where, and makes the folder of the packages. */
function fakeBun(version: string): string {
  return `
if [ "$1" = --version ]; then echo ${version}; exit; fi
if [ "$1" = install ]; then mkdir -p node_modules; fi
echo "bun $* in $(basename "$PWD")\${BUN_OPTIONS-}" >>"$LOG"`;
}

/** npm that installs a Bun of this version under the name it is asked for. */
function fakeNpm(version: string): string {
  return `
echo "npm $*" | sed 's/--prefix .*bun\\.[^ ]*/--prefix STAGING/' >>"$LOG"
while [ "$1" != --prefix ]; do shift; done
folder="$2/node_modules/\${3%@*}/bin"
mkdir -p "$folder"
cat >"$folder/bun" <<'END'
#!/bin/sh
${fakeBun(version)}
END
chmod +x "$folder/bun"`;
}

const npmCall =
  "npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error --prefix STAGING";
const installCall = "bun install --frozen-lockfile --ignore-scripts --no-progress in the project\n";

test("the pinned Bun from PATH is used; packages are installed once for each lockfile", async () => {
  await inSetting(async ({ project, log, add, run }) => {
    add("bun", fakeBun("9.8.7"));
    const first = await run();
    expect(first).toMatchObject({ status: 0, stderr: "Installing the packages of bun.lock\n" });
    expect(first.stdout).toEndWith("/bin/bun\n");
    expect(log()).toBe(installCall);
    expect(await run()).toEqual({ ...first, stderr: "" });
    expect(log()).toBe(installCall);
    writeFileSync(join(project, "bun.lock"), "{ }\n");
    expect(await run()).toEqual(first);
    expect(log()).toBe(installCall.repeat(2));
    rmSync(join(project, "node_modules"), { recursive: true });
    expect(await run()).toEqual(first);
    expect(log()).toBe(installCall.repeat(3));
  });
});

test("arguments are run where it was called from, without the caller's settings of Bun", async () => {
  await inSetting(async ({ log, add, run }) => {
    add("bun", fakeBun("9.8.7"));
    await run(["a b", "c"], { BUN_OPTIONS: "--preload=x" });
    expect(log()).toBe(`${installCall}bun a b c in else where\n`);
  });
});

test.each([
  ["Darwin", "arm64", "@oven/bun-darwin-aarch64@9.8.7"],
  ["Linux", "aarch64", "@oven/bun-linux-aarch64@9.8.7"],
])("on %s %s npm brings %s where no such Bun is there", async (system, machine, name) => {
  await inSetting(async ({ project, log, add, run }) => {
    add("uname", `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`);
    add("getconf", "echo glibc 2.36");
    add("bun", fakeBun("9.8.6"));
    add("npm", fakeNpm("9.8.7"));
    const { status, stdout, stderr } = await run();
    expect([status, stderr]).toEqual([
      0,
      `Installing Bun 9.8.7 for ${name.slice(10, -6)} with npm\nInstalling the packages of bun.lock\n`,
    ]);
    expect(stdout.trim()).toBe(
      join(
        project,
        `.cache/bun-9.8.7-${name.slice(10, -6)}/node_modules/${name.slice(0, -6)}/bin/bun`,
      ),
    );
    expect(log()).toBe(`${npmCall} ${name}\n${installCall}`);
    expect(await run()).toEqual({ status, stdout, stderr: "" });
  });
});

test("neither npm nor the pinned Bun: says what to install", async () => {
  await inSetting(async ({ add, run }) => {
    const message =
      "Bun 9.8.7 builds and tests atomic, but neither npm nor Bun 9.8.7 was found.\n" +
      "Install Node.js (it brings npm) or Bun 9.8.7, then run this again.\n";
    expect(await run()).toEqual({ status: 1, stdout: "", stderr: message });
    // What npm leaves as `bun` when install scripts are off.
    add("bun", 'echo "Error: Bun\'s postinstall script was not run." >&2; exit 1');
    expect(await run()).toEqual({ status: 1, stdout: "", stderr: message });
  });
});

test("a failed installation ends with status 1 and leaves nothing that counts as done", async () => {
  await inSetting(async ({ project, add, run }) => {
    add("npm", "echo no network >&2; exit 1");
    expect(await run()).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "Installing Bun 9.8.7 for darwin-aarch64 with npm\nno network\n" +
        "npm could not install @oven/bun-darwin-aarch64@9.8.7; its message is above.\n",
    });
    add("npm", fakeNpm("9.8.5"));
    expect((await run()).stderr).toEndWith("was installed, but does not run on this machine.\n");
    add("bun", `[ "$1" = --version ] && echo 9.8.7 || { echo no such package; exit 1; }`);
    const failed = {
      status: 1,
      stdout: "",
      stderr:
        "Installing the packages of bun.lock\nno such package\n" +
        "The packages could not be installed; Bun's message is above.\n",
    };
    expect(await run()).toEqual(failed);
    expect(await run()).toEqual(failed);
    expect(existsSync(join(project, "node_modules/.installed"))).toBe(false);
  });
});

test("a system without a Bun is named", async () => {
  await inSetting(async ({ add, run }) => {
    add("uname", "echo Plan9");
    expect(await run()).toEqual({
      status: 1,
      stdout: "",
      stderr: 'Cannot set up Bun on "Plan9": these scripts know Linux and macOS.\n',
    });
    add("uname", "case $1 in -s) echo Linux ;; -m) echo riscv64 ;; esac");
    expect(await run()).toEqual({
      status: 1,
      stdout: "",
      stderr: 'Cannot set up Bun on a "riscv64" processor: there are builds for x64 and arm64.\n',
    });
  });
});
