// A process of its own for stdio.spec.ts.
//
//   big BYTES     writes so many bytes in three pieces without waiting, says on standard error what came of it, exits 7
//   echo          standard input to standard output
//   terminals     which streams are terminals
//   stop          prints each stop it is asked for, and goes on
//   lasting       the same, for as long as it is asked
//   nothing       ends without touching a stream

import { openProcess } from "../../adapters/process.ts";

const { args, stdio } = openProcess();
const [what, size = "0"] = args;

const tasks: Readonly<Record<string, () => Promise<number>>> = {
  async big() {
    const piece = new Uint8Array(Number(size)).fill(0x78);
    piece[piece.length - 1] = 0x0a;
    const answers = [1, 2, 3].map(() =>
      stdio.stdout.write(piece).catch((thrown: { code: string }) => thrown.code),
    );
    await stdio.stderr.write(`${(await Promise.all(answers)).join(" ")}\n`);
    return 7;
  },
  async echo() {
    void stdio.stdout.write(await stdio.stdin.read());
    return 0;
  },
  async terminals() {
    const { stdin, stdout, stderr } = stdio;
    void stdout.write([stdin, stdout, stderr].map(({ isTerminal }) => isTerminal).join(" "));
    return 0;
  },
  async stop() {
    stdio.onStop((status) => void stdio.stdout.write(`${status}\n`));
    await stdio.stdout.write("ready\n");
    await new Promise(() => setInterval(() => {}, 1000));
    return 1;
  },
  async lasting() {
    stdio.onStop((status) => void stdio.stdout.write(`${status}\n`), { lasting: true });
    await stdio.stdout.write("ready\n");
    await new Promise(() => setInterval(() => {}, 1000));
    return 1;
  },
  async nothing() {
    return 3;
  },
};

await stdio.exit(await tasks[what!]!());
