// The only place that ends the process.

import { exitStatus } from "../core/errors.ts";
import type { Stdio, StopStatus } from "../core/ports/stdio.ts";

/** How a request to stop reaches the work. */
export interface Stop {
  readonly signal: AbortSignal;
  /** Once a stop was asked for. */
  status(): StopStatus | undefined;
  /**
   * From here on a first interrupt aborts the signal, so that what was begun is put in order, and a second one ends the
   * process at once. Before, the system's own default applies: nothing is half done, so nothing needs to be told.
   */
  arm(): void;
  /** As if an interrupt had come: the key for it was pressed where a terminal makes no signal of it. */
  interrupt(): void;
}

/** Runs the work to its end and exits with its status once all output has been delivered. */
export async function exitAfter(
  stdio: Stdio,
  work: (stop: Stop) => Promise<number>,
): Promise<never> {
  let status: number;
  try {
    status = await work(stopOf(stdio));
  } catch (thrown) {
    // Printing an error failed, or loading the code that does: the last words are said without it.
    await stdio.stderr.write(
      `Internal error: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
    );
    status = exitStatus.failed;
  }
  return stdio.exit(status);
}

function stopOf(stdio: Stdio): Stop {
  const controller = new AbortController();
  let asked: StopStatus | undefined;
  let armed = false;
  return {
    signal: controller.signal,
    status: () => asked,
    interrupt() {
      asked ??= 130;
      controller.abort();
    },
    arm() {
      if (armed) return;
      armed = true;
      stdio.onStop((status) => {
        if (asked !== undefined) return void stdio.exit(status);
        asked = status;
        controller.abort();
      });
    },
  };
}
