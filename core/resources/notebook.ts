// A notebook as a file of the disk: its bytes, and the text by which it is read and edited.

import { AtomicError } from "../errors.ts";
import { type Notebook, parseNotebook, writeNotebook } from "../documents/notebook.ts";
import { showName } from "../paths.ts";
import type { Random } from "../ports/random.ts";
import { decode, encode } from "../text/encoding.ts";

export { isNotebook } from "../documents/notebook.ts";

export interface NotebookFile extends Notebook {
  /** The file's bytes with an edited projection in place of its own. */
  write(text: string, random: Random): Uint8Array;
}

/**
 * @param name as messages call the file
 * @throws AtomicError `notebook.invalid`
 */
export function openNotebook(file: Uint8Array, name: string): NotebookFile {
  const decoded = decode(file);
  if (!decoded || decoded.encoding === "8-bit") {
    throw new AtomicError(
      "notebook.invalid",
      `Notebook ${showName(name)}: it is not valid UTF-8.`,
      {
        data: { path: name },
      },
    );
  }
  const notebook = parseNotebook(decoded.text, name);
  return {
    ...notebook,
    write(text, random) {
      const json = writeNotebook(notebook, text, name, () => random.hex(4));
      // Well-formed text is encodable in all that `decode` gives for well-formed bytes.
      return encode(json, decoded.encoding, decoded.bom)!;
    },
  };
}
