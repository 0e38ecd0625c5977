// The only place that asks which runtime this is.

export interface Runtime {
  readonly name: "bun" | "deno" | "node";
  readonly version: string;
  /** Operating system and processor, such as "linux-x64". */
  readonly target: string;
  /** The running program's own file; undefined when it runs from source. */
  readonly executable: string | undefined;
}

export function detectRuntime(): Runtime {
  const { versions, platform, arch, execPath } = process;
  const name = versions["bun"] ? "bun" : versions["deno"] ? "deno" : "node";
  const isCompiled = name === "bun" && Bun.isStandaloneExecutable;
  return {
    name,
    version: versions[name]!,
    target: `${platform}-${arch}`,
    executable: isCompiled ? execPath : undefined,
  };
}
