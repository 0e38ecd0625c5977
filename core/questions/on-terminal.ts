// Asks on a terminal: the whole screen while the questions are open, the old one when they are done.

import type { Clock } from "../ports/clock.ts";
import type { OpenTerminal, Terminal } from "../ports/terminal.ts";
import { openForm, press, type Pressed } from "./form.ts";
import { frame, type FrameLine, type Size, type Style } from "./frame.ts";
import { type Key, KeyReader } from "./keys.ts";
import type { Asked, Question } from "./question.ts";

const CSI = "\u001b[";
/** The other screen, no cursor, no line that runs over, pastes that are told apart from keys. */
const ENTER = `${CSI}?1049h${CSI}?25l${CSI}?7l${CSI}?2004h`;
const LEAVE = `${CSI}?2004l${CSI}?7h${CSI}?25h${CSI}?1049l`;
/** Where is the cursor? The answer stands behind all that was typed before we asked. */
const REPORT = `${CSI}6n`;
/** Milliseconds: for that answer, and for what may follow an ESC. */
const REPORT_TIME = 500;
const ESCAPE_TIME = 50;

export interface TerminalPorts {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, "sleep">;
  readonly color: boolean;
}

/**
 * Waits until the form is sent or left. What was typed before it was shown is no answer.
 * @throws the signal's reason
 */
export async function askOnTerminal(
  questions: readonly Question[],
  { terminal, clock, color }: TerminalPorts,
  signal: AbortSignal,
): Promise<Asked | { readonly ended: "interrupted" }> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<
    Asked | { readonly ended: "interrupted" }
  >();
  const reader = new KeyReader();
  let form: Exclude<Pressed, { ended: unknown }> = openForm(questions);
  let isOpen = true;
  // Until the terminal has answered, keys are what was typed ahead: an Enter among them must not approve anything.
  let isListening = false;
  let escape = 0;
  const on: { terminal?: OpenTerminal | undefined } = {};
  let drawing: Promise<void> = Promise.resolve();

  const end = (asked: Asked | { readonly ended: "interrupted" }) => {
    isOpen = false;
    resolve(asked);
  };
  const take = (keys: readonly Key[]) => {
    for (const key of keys) {
      if (!isOpen) return;
      if (key.name === "report") isListening = true;
      if (!isListening && key.name !== "interrupt") continue;
      const pressed = press(form, key);
      if ("ended" in pressed) {
        return end(pressed.ended === "interrupted" ? { ended: "interrupted" } : pressed.ended);
      }
      form = pressed;
    }
    draw();
  };
  const draw = () => {
    const { terminal: opened } = on;
    if (!isOpen || !opened) return;
    const size = sizeOf(opened.size());
    const text = screen(frame(form, size), size, color);
    drawing = drawing.then(() => (isOpen ? opened.write(text) : undefined)).catch(() => {});
  };

  const opened = await terminal.open({
    leave: LEAVE,
    key(bytes) {
      take(reader.feed(bytes));
      const mine = ++escape;
      if (!reader.isPending) return;
      void clock.sleep(ESCAPE_TIME).then(() => void (mine === escape && take(reader.flush())));
    },
    resize: draw,
    end: () => end({ ended: "undelivered" }),
  });
  if (!opened) return { ended: "undelivered" };
  on.terminal = opened;
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await opened.write(ENTER + REPORT);
    draw();
    void clock.sleep(REPORT_TIME).then(() => void (isListening = true));
    return await promise;
  } finally {
    isOpen = false;
    signal.removeEventListener("abort", abort);
    await drawing;
    await opened.close();
  }
}

function sizeOf(size: Size | undefined): Size {
  const { columns, rows } = size ?? { columns: 0, rows: 0 };
  // A terminal that does not know says 0.
  return { columns: columns || 80, rows: rows || 24 };
}

function screen(lines: readonly FrameLine[], { rows }: Size, color: boolean): string {
  const drawn = lines.slice(0, rows).map(({ text, style }) => styled(text, style, color));
  // Cleared before it is written: at the last column, clearing the rest would take the last character.
  const clear = lines.length < rows ? `\r\n${CSI}J` : "";
  return `${CSI}H${drawn.map((text) => `${CSI}K${text}`).join("\r\n")}${clear}`;
}

const styles: Readonly<Record<Style, readonly [string, string]>> = {
  plain: ["", ""],
  bold: [`${CSI}1m`, `${CSI}22m`],
  dim: [`${CSI}2m`, `${CSI}22m`],
  current: [`${CSI}1;36m`, `${CSI}22;39m`],
  warning: [`${CSI}33m`, `${CSI}39m`],
};

function styled(text: string, style: Style, color: boolean): string {
  if (!color) return text;
  const [on, off] = styles[style];
  return on + text + off;
}
