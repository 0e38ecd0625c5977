// What is inside the executable beside our own code: its packages, with their licences.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly licence: string;
  readonly homepage?: string;
  /** Its licence's full text, where the package has one. */
  readonly text?: string;
}

/** A package under any other licence stops the release. */
export const allowedLicences: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib",
];

/** Installed with the others, but no part of the executable: they build native modules, or are a runtime for tests. */
const notShipped = /^(?:nan|node-addon-api|node-gyp-build|node-linux-(?:x64|arm64))$/;

interface Listed {
  readonly name: string;
  readonly versions: readonly string[];
  readonly paths: readonly string[];
  readonly homepage?: string;
}

/** @param listing what `bun pm licenses --json --prod` prints */
export function shippedPackages(
  listing: Readonly<Record<string, readonly Listed[]>>,
  licenceText: (folder: string) => string | undefined = licenceTextIn,
): readonly ShippedPackage[] {
  const found = Object.entries(listing).flatMap(([licence, listed]) =>
    listed
      .filter(({ name }) => !notShipped.test(name))
      .flatMap(({ name, versions, paths, homepage }) =>
        versions.map((version, at) => {
          const text = licenceText(paths[at] ?? paths[0]!);
          return { name, version, licence, ...(homepage && { homepage }), ...(text && { text }) };
        }),
      ),
  );
  const refused = found.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0) {
    const names = refused.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
    throw new Error(`Not under a licence that may be shipped:\n${names.join("\n")}`);
  }
  return found.toSorted((a, b) =>
    a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1,
  );
}

/** Of "(MIT OR GPL-3.0)" one suffices, of "MIT AND ISC" both are needed. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((each) => allowedLicences.includes(each)));
}

export function listPackages(root: string): Readonly<Record<string, readonly Listed[]>> {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["pm", "licenses", "--json", "--prod"],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The packages' licences could not be listed:\n${stderr}`);
  return JSON.parse(stdout) as Readonly<Record<string, readonly Listed[]>>;
}

function licenceTextIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) =>
    /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i.test(name),
  );
  const texts = names.toSorted().map((name) => readFileSync(join(folder, name), "utf8").trim());
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
