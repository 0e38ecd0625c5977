// The one deadline of a lookup: reading a text, and answering for its lines, may take so long and no longer.

import type { Clock } from "../ports/clock.ts";

/** Once true, always true. */
export type Overdue = () => boolean;

/** @param time in milliseconds, from now on */
export function deadline(clock: Pick<Clock, "now">, time: number): Overdue {
  const started = clock.now();
  let isOver = false;
  return () => (isOver ||= clock.now() - started > time);
}

/** For loops that turn so often that the clock would be what takes the time. */
export function askedSeldom(overdue: Overdue): Overdue {
  let turns = 0;
  let isOver = false;
  return () => (isOver ||= turns++ % TURNS === 0 && overdue());
}

const TURNS = 256;
