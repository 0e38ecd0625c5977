// Builds everything that a release is made of, for every system, into a folder.
//
//   bun scripts/release.ts [--out DIR] [--target NAME]… [--npm-name NAME] [--allow-dirty]
//
// --out          where to; made anew, so it must not hold anything else. Default: dist/release
// --target       only this system, such as linux-x64-musl; may repeat
// --npm-name     name of the npm package. Default: @atomic-cli/atomic
// --allow-dirty  also from a checkout with uncommitted changes, or none
//
// Needs npm, for the runtimes of other systems, which are held to bun.lock. Nothing is published.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

import manifest from "../package.json" with { type: "json" };
import { buildAtomic, checkedOutCommit, type Commit } from "./build.ts";
import { type Member, tarGz, zip } from "./release/archives.ts";
import { type Built, dryPack, writeNpmPackages } from "./release/npm.ts";
import { notices } from "./release/notices.ts";
import { listPackages, shippedPackages } from "./release/packages.ts";
import { fetchRuntime } from "./release/runtimes.ts";
import { sbom } from "./release/sbom.ts";
import { executableName, type Target, targets } from "./release/targets.ts";

const root = resolve(import.meta.dirname, "..");
const bun = manifest.devDependencies.bun;

function main(): void {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: join(root, "dist", "release") },
      target: { type: "string", multiple: true },
      "npm-name": { type: "string", default: "@atomic-cli/atomic" },
      "allow-dirty": { type: "boolean", default: false },
    },
  });
  const chosen = chooseTargets(values.target);
  const commit = releaseCommit(values["allow-dirty"]);
  const out = resolve(values.out);
  const staging = stagingBeside(out);
  try {
    const sums = fillRelease(staging, chosen, commit, values["npm-name"]);
    rmSync(out, { recursive: true, force: true });
    renameSync(staging, out);
    console.log(`\n${sums}\nThe release is in ${relative(process.cwd(), out) || out}`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** @returns the text of SHA256SUMS */
function fillRelease(
  out: string,
  chosen: readonly Target[],
  commit: Commit,
  npmName: string,
): string {
  const { version, description } = manifest;
  const packages = shippedPackages(listPackages(root));
  const licences = readFileSync(
    join(root, "node_modules/bun-types/docs/project/license.mdx"),
    "utf8",
  );
  const thirdParty = notices(packages, { version: bun, licences });
  const lockfile = readFileSync(join(root, "bun.lock"), "utf8");
  const release = { version, commit: commit.name, time: commit.time, bun };
  writeFileSync(join(out, "sbom.cdx.json"), sbom(release, packages, lockfile));
  writeFileSync(join(out, "THIRD-PARTY-NOTICES"), thirdParty);
  cpSync(join(import.meta.dirname, "release", "install.sh"), join(out, "install.sh"));
  chmodSync(join(out, "install.sh"), 0o755);

  const common = commonMembers(thirdParty);
  const built: Built[] = [];
  for (const target of chosen) {
    const path = join(out, "bin", target.id, executableName(target));
    buildAtomic({
      outfile: path,
      target: target.bun,
      runtime: fetchRuntime(target, root, bun),
      commit,
    });
    built.push({ target, path });
    const name = `atomic-${version}-${target.id}`;
    const program = { path: executableName(target), bytes: readFileSync(path), executable: true };
    const members = [program, ...common].map((each) => ({ ...each, path: `${name}/${each.path}` }));
    const [ending, pack] =
      target.os === "win32" ? ([".zip", zip] as const) : ([".tar.gz", tarGz] as const);
    writeFileSync(join(out, name + ending), pack(members, commit.time));
    console.log(`${name}${ending}`);
  }
  const folders = writeNpmPackages(
    join(out, "npm"),
    built,
    { name: npmName, version, description },
    root,
    thirdParty,
  );
  for (const folder of folders) {
    const packed = dryPack(folder);
    console.log(
      `${packed.name}: ${packed.files.length} files, ${(packed.size / 2 ** 20).toFixed(1)} MiB`,
    );
  }
  rmSync(join(out, "bin"), { recursive: true });
  const sums = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
    .map((name) => `${sha256(readFileSync(join(out, name)))}  ${name}\n`)
    .join("");
  writeFileSync(join(out, "SHA256SUMS"), sums);
  return sums;
}

/** What every archive has beside the program. Made by this machine's own build, from the same tables. */
function commonMembers(thirdParty: string): readonly Member[] {
  const folder = mkdtempSync(join(root, ".cache", "release-"));
  try {
    const own = join(folder, "atomic");
    buildAtomic({ outfile: own, commit: releaseCommit(true) });
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      ATOMIC_HOME: join(folder, "state"),
    };
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(own, args, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`atomic ${args.join(" ")} failed:\n${stderr}`);
      return stdout;
    };
    run("man", "man");
    const pages = ["man1", "man7"].flatMap((chapter) =>
      readdirSync(join(folder, "man", chapter)).map((name) => `man/${chapter}/${name}`),
    );
    const text = (path: string, content: string | Uint8Array): Member => ({
      path,
      bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
      executable: false,
    });
    return [
      text("completions/atomic.bash", run("completions", "bash")),
      text("completions/_atomic", run("completions", "zsh")),
      text("completions/atomic.fish", run("completions", "fish")),
      ...pages.map((path) => text(path, readFileSync(join(folder, path)))),
      ...["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"].map((name) =>
        text(name, readFileSync(join(root, name))),
      ),
      text("THIRD-PARTY-NOTICES", thirdParty),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function chooseTargets(names: readonly string[] | undefined): readonly Target[] {
  if (names === undefined) return targets;
  return names.map((name) => {
    const found = targets.find(({ id }) => id === name);
    if (found) return found;
    throw new Error(`There is no target "${name}": ${targets.map(({ id }) => id).join(", ")}.`);
  });
}

function releaseCommit(allowDirty: boolean): Commit {
  const commit = checkedOutCommit();
  if (commit && (allowDirty || !commit.name.endsWith("-dirty"))) return commit;
  if (allowDirty) return { name: "unknown", date: "1980-01-01", time: 315_532_800 };
  throw new Error(
    "A release is made of a commit, but there are changes that are none (or no history). Commit them, or use --allow-dirty.",
  );
}

/** Whatever is in the way is only removed if it is a release. */
function stagingBeside(out: string): string {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, "SHA256SUMS"))) {
    throw new Error(`${out} holds something else than a release; name another folder.`);
  }
  mkdirSync(dirname(out), { recursive: true });
  return mkdtempSync(join(dirname(out), ".release-"));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
