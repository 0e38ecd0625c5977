import { registry } from "../../core/registry.ts";

/** The tools that this machine lists for a program with the usual PATH. */
export const present = registry.filter(
  ({ isThere }) => !isThere || Bun.which("pwsh", { PATH: "/usr/bin:/bin" }) !== null,
);
