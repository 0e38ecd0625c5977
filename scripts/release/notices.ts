import type { ShippedPackage } from "./packages.ts";

export interface Runtime {
  readonly version: string;
  /** Bun's own page on its licence and those of the libraries that it links. */
  readonly licences: string;
}

/** THIRD-PARTY-NOTICES: what the executable holds, and under which licences. */
export function notices(packages: readonly ShippedPackage[], runtime: Runtime): string {
  const rule = `\n${"-".repeat(80)}\n`;
  const own = packages.map(({ name, version, licence, homepage, text }) =>
    [
      `${name} ${version}`,
      `Licence: ${licence}`,
      ...(homepage === undefined ? [] : [homepage]),
      "",
      text ?? `The package comes without a licence text; ${licence} is what its package.json says.`,
    ].join("\n"),
  );
  const bun = [
    `Bun ${runtime.version}, with JavaScriptCore and the libraries that it links`,
    "",
    'The executable is Bun\'s unmodified runtime, published on npm, with our own code appended. JavaScriptCore is under the LGPL: to use a changed one, build Bun with it and run atomic from source with that (README, "From source, without a build"), or give that runtime to `bun build --compile --compile-executable-path`.',
    "",
    runtime.licences.trim(),
  ].join("\n");
  return `${["Third-party software in the atomic executable", bun, ...own].join(rule)}\n`;
}
