import { limits } from "../limits.ts";
import { type Fs, FsError } from "../ports/fs.ts";
import type { ReadScript } from "../shell/runs.ts";

/** A script as its text; a program that is no text is none. */
export function scriptReader(fs: Fs): ReadScript {
  let left = limits.policyScripts;
  return async (path) => {
    try {
      const file = await fs.open(path);
      if (!file) return undefined;
      try {
        const start = await file.read(0, limits.binaryProbe);
        if (start.includes(0)) return undefined;
        if (file.size > limits.policyScript || left-- <= 0) return "unreadable";
        const bytes = await file.read(0, file.size);
        return new TextDecoder().decode(bytes);
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      // A folder, a device or a pipe is no script that could be read ahead.
      return thrown.code === "EISDIR" ? undefined : "unreadable";
    }
  };
}
