// The programs that a configuration starts, for whoever checks it.

import type { ConfigLayer } from "./config.ts";

export interface ConfiguredHelper {
  readonly key: "format" | "diagnostics";
  /** The language or glob that it is for. */
  readonly name: string;
  readonly program: string;
  /** Where it runs, and where a relative path of it starts. */
  readonly folder: string;
}

export function helpersOf(layers: readonly ConfigLayer[]): readonly ConfiguredHelper[] {
  return layers.flatMap(({ folder, values }) =>
    (["format", "diagnostics"] as const).flatMap((key) =>
      Object.entries(values[key] || {}).flatMap(([name, rule]) => {
        if (rule === false) return [];
        const [program = ""] = "server" in rule ? rule.server : rule.command;
        return [{ key, name, program, folder }];
      }),
    ),
  );
}
