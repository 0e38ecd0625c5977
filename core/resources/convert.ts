// Files whose text is not their bytes, as they are searched.

import { AtomicError } from "../errors.ts";
import type { Convert } from "../scan/scan-files.ts";
import { isNotebook, openNotebook } from "./notebook.ts";

/** A notebook by its cells, as `read` shows it; one that is damaged by its bytes. */
export const convertFile: Convert = {
  concerns: isNotebook,
  text(path, file) {
    if (!isNotebook(path)) return undefined;
    try {
      return new TextEncoder().encode(openNotebook(file, path).text);
    } catch (thrown) {
      if (thrown instanceof AtomicError) return undefined;
      throw thrown;
    }
  },
};
