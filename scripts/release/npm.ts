// The npm packages: one for each system with its executable, and one that starts the right of them.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { executableName, type Target } from "./targets.ts";

export interface NpmFacts {
  /** The wrapper's name; those of the systems begin with it. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** npm refuses to install a package where these do not fit. */
export function platformManifest(target: Target, { name, version, description }: NpmFacts) {
  return {
    name: `${name}-${target.id}`,
    version,
    description: `${description} (executable for ${target.id})`,
    license: "MIT",
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc && { libc: [target.libc] }),
    files: ["bin", "LICENSE", "THIRD-PARTY-NOTICES"],
    preferUnplugged: true,
  };
}

export function wrapperManifest(
  targets: readonly Target[],
  { name, version, description }: NpmFacts,
) {
  return {
    name,
    version,
    description,
    license: "MIT",
    bin: { atomic: "bin/atomic.js" },
    files: ["bin", "README.md", "LICENSE"],
    engines: { node: ">=18" },
    // The exact version: an executable of another release would answer in its place.
    optionalDependencies: Object.fromEntries(targets.map(({ id }) => [`${name}-${id}`, version])),
  };
}

export interface Built {
  readonly target: Target;
  /** The executable. */
  readonly path: string;
}

/** @returns the folders of the packages, the wrapper's last: published in this order, it never names what is not there */
export function writeNpmPackages(
  out: string,
  built: readonly Built[],
  facts: NpmFacts,
  root: string,
  notices: string,
): readonly string[] {
  const folders = built.map(({ target, path }) => {
    const folder = join(out, target.id);
    mkdirSync(join(folder, "bin"), { recursive: true });
    cpSync(path, join(folder, "bin", executableName(target)));
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "THIRD-PARTY-NOTICES"), notices);
    writeManifest(folder, platformManifest(target, facts));
    return folder;
  });
  const wrapper = join(out, "atomic");
  mkdirSync(join(wrapper, "bin"), { recursive: true });
  const script = readFileSync(join(import.meta.dirname, "npm-wrapper.cjs"));
  writeFileSync(join(wrapper, "bin", "atomic.js"), script, { mode: 0o755 });
  for (const name of ["README.md", "LICENSE"]) cpSync(join(root, name), join(wrapper, name));
  writeManifest(
    wrapper,
    wrapperManifest(
      built.map(({ target }) => target),
      facts,
    ),
  );
  return [...folders, wrapper];
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

export interface Packed {
  readonly name: string;
  readonly size: number;
  readonly files: readonly string[];
}

/** What npm would publish; nothing is sent. */
export function dryPack(folder: string): Packed {
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`npm would not pack ${folder}:\n${stderr}`);
  const [{ name, size, files }] = JSON.parse(stdout) as [
    { name: string; size: number; files: readonly { readonly path: string }[] },
  ];
  return { name, size, files: files.map(({ path }) => path) };
}
