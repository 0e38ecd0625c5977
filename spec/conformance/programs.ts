// Programs that the suite of processes starts.

import type { MemoryProgram } from "../../adapters/memory/processes.ts";

/** What a suite starts: a shell script on a real host, the same as a function on the one in memory. */
interface Program {
  readonly script: string;
  readonly body: MemoryProgram;
}

export const programs = {
  copy: {
    script: "exec cat",
    async body({ stdin, out }) {
      for await (const chunk of stdin) await out(chunk);
      return 0;
    },
  },
  both: {
    script: 'printf out; printf err >&2; exit "$1"',
    async body({ out, err, args }) {
      await out("out");
      await err("err");
      return Number(args[0]);
    },
  },
  args: {
    script: 'for each; do printf "<%s>" "$each"; done',
    async body({ out, args }) {
      await out(args.map((each) => `<${each}>`).join(""));
      return 0;
    },
  },
  place: {
    script: 'pwd -P; printf "%s|%s" "${SPEC_GIVEN-unset}" "${SPEC_TAKEN-unset}"',
    async body({ out, cwd, variable }) {
      const [given, taken] = ["SPEC_GIVEN", "SPEC_TAKEN"].map((name) => variable(name) ?? "unset");
      await out(`${cwd}\n${given}|${taken}`);
      return 0;
    },
  },
  flood: {
    script: "exec yes flood",
    async body({ out }) {
      while (await out("flood\n".repeat(1000)));
      return 141;
    },
  },
  deaf: {
    script: "exec 0<&-; echo ready; sleep 600",
    async body({ stdin, out, killed }) {
      await stdin[Symbol.asyncIterator]().return?.();
      await out("ready\n");
      await untilKilled(killed);
      return 0;
    },
  },
  idle: {
    script: "echo ready; exec sleep 600",
    async body({ out, killed }) {
      await out("ready\n");
      await untilKilled(killed);
      return 0;
    },
  },
  stubborn: {
    script: "trap '' TERM; echo ready; while :; do sleep 1; done",
    async body({ out, killed }) {
      await out("ready\n");
      await untilKilled(killed);
      return 0;
    },
  },
} satisfies Readonly<Record<string, Program>>;

/** For the host in memory. */
export const suitePrograms: Readonly<Record<string, MemoryProgram>> = Object.fromEntries(
  Object.entries(programs).map(([name, { body }]) => [name, body]),
);

async function untilKilled(killed: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (killed.aborted) resolve();
  killed.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
