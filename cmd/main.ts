// The program's entry. It joins the process to the command line and does nothing else.

import { openProcess } from "../adapters/process.ts";
import type { Host } from "../core/ports/host.ts";
import { exitAfter } from "./exit.ts";

const { args, env, stdio, runtime } = openProcess();
// Here and not below: what follows waits for the whole run.
let opened: Promise<Host> | undefined;

await exitAfter(stdio, async (stop) => {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    const { printVersion } = await import("./version.ts");
    return printVersion({ stdio, runtime });
  }
  if (args[0] === "--internal") {
    const { runInternal } = await import("./internal.ts");
    return runInternal(args.slice(1), { stdio, host, stop });
  }
  const { run } = await import("./run.ts");
  return run(args, env, { stdio, runtime, host, terminal }, stop);
});

/** One for the whole process, opened when it is needed. */
function host(): Promise<Host> {
  return (opened ??= import("../adapters/host.ts").then(({ openHost }) => openHost()));
}

async function terminal() {
  const { openTerminal } = await import("../adapters/terminal.ts");
  return openTerminal();
}
