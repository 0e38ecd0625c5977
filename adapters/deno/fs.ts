import type { Fs } from "../../core/ports/fs.ts";

import { findingOrNot, isRefusal } from "../shared/errno.ts";
import { nodeFs } from "../shared/fs.ts";

/** Deno's access(2) only compares permission bits. What the kernel would say of a file it says when asked to open it. */
export function denoFs(): Fs {
  const fs = nodeFs();
  return {
    ...fs,
    async mayAccess(path, how) {
      const stat = await fs.stat(path);
      if (stat?.kind !== "file") {
        const byBits = await fs.mayAccess(path, how);
        return byBits === false && process.geteuid?.() === 0 ? true : byBits;
      }
      return findingOrNot(path, () => {
        const { constants, openSync, closeSync } = process.getBuiltinModule("node:fs");
        const flags = how === "read" ? constants.O_RDONLY : constants.O_WRONLY;
        try {
          closeSync(openSync(path, flags | constants.O_NONBLOCK));
          return true;
        } catch (thrown) {
          if (isRefusal(thrown)) return false;
          throw thrown;
        }
      });
    },
  };
}
