// A terminal that somebody sits at: tmux draws what a program writes, answers what terminals answer, and types.

import { randomBytes } from "node:crypto";

export const hasTmux = Bun.which("tmux") !== null;

export interface TmuxTerminal {
  /** Waits until the screen, without trailing blanks, meets the condition; gives it back. */
  until(isMet: (screen: string) => boolean): Promise<string>;
  screen(): Promise<string>;
  /** Names of keys as tmux knows them: "Enter", "Down", "C-c". */
  keys(...names: readonly string[]): Promise<void>;
  /** Character by character. */
  text(text: string): Promise<void>;
  /** As a terminal pastes: bracketed where the program wants that. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
}

/** A shell on a new terminal, which ends with the work. */
export async function onTmux(
  {
    columns,
    rows,
    cwd,
    env,
  }: {
    readonly columns: number;
    readonly rows: number;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
  work: (terminal: TmuxTerminal) => Promise<void>,
): Promise<void> {
  const socket = `atomic-${randomBytes(6).toString("hex")}`;
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const child = Bun.spawn(["tmux", "-L", socket, "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env, TERM: "xterm-256color", LC_ALL: "C.UTF-8" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`tmux ${args[0]}: ${err}`);
    return out;
  };
  await tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "sh");
  const screen = async () => (await tmux("capture-pane", "-p")).trimEnd();
  try {
    await work({
      screen,
      async until(isMet) {
        for (let left = 600; ; left--) {
          const shown = await screen();
          if (isMet(shown)) return shown;
          if (left === 0) throw new Error(`the screen stayed:\n${shown}`);
          await Bun.sleep(50);
        }
      },
      keys: async (...names) => void (await tmux("send-keys", ...names)),
      text: async (text) => void (await tmux("send-keys", "-l", text)),
      async paste(text) {
        await tmux("set-buffer", text);
        await tmux("paste-buffer", "-p");
      },
      async resize(x, y) {
        await tmux("resize-window", "-x", String(x), "-y", String(y));
      },
    });
  } finally {
    await tmux("kill-server");
  }
}
