// A file written in place by a process that died half-way is put back before anyone looks at it (decision 20).

import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import { equalBytes } from "./durable-write.ts";

/** Call it with the file's lock held. True where the file was torn and has its old content again. */
export async function settlePending(
  path: string,
  session: Session,
  { fs, bytes }: Pick<Host, "fs" | "bytes">,
): Promise<boolean> {
  let restored = false;
  for (const write of (await session.unsettled(path)).toReversed()) {
    const now = await fs.read(path);
    const whole =
      !now ||
      bytes.sha256(now.bytes) === write.afterBytesHash ||
      equalBytes(now.bytes, write.before.bytes);
    if (!whole) {
      await fs.overwrite(path, write.before.bytes);
      restored = true;
    }
    await write.settle();
  }
  return restored;
}
