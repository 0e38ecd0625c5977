// The systems that a release is for.

export interface Target {
  /** In names of archives: os, processor, C library. */
  readonly id: string;
  /** Bun's runtime for it, as the npm package "@oven/bun-…". */
  readonly runtime: string;
  /** Bun's name for it. */
  readonly bun: string;
  /** As npm selects packages. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  readonly libc?: "glibc" | "musl";
}

function target(os: Target["os"], cpu: Target["cpu"], libc?: Target["libc"]): Target {
  const system = os === "win32" ? "windows" : os;
  const suffix = libc === "musl" ? "-musl" : "";
  return {
    id: `${system}-${cpu}${suffix}`,
    runtime: `@oven/bun-${system}-${cpu === "arm64" ? "aarch64" : cpu}${suffix}`,
    bun: `bun-${system}-${cpu}${suffix}`,
    os,
    cpu,
    ...(libc && { libc }),
  };
}

export const targets: readonly Target[] = [
  target("linux", "x64", "glibc"),
  target("linux", "arm64", "glibc"),
  target("linux", "x64", "musl"),
  target("linux", "arm64", "musl"),
  target("darwin", "x64"),
  target("darwin", "arm64"),
  target("win32", "x64"),
  target("win32", "arm64"),
];

export function executableName({ os }: Target): string {
  return os === "win32" ? "atomic.exe" : "atomic";
}
