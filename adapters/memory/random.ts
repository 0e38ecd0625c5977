import type { Random } from "../../core/ports/random.ts";

/** The same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  function byte(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) & 0xff;
  }
  return {
    hex: (bytes) =>
      Array.from({ length: bytes }, () => byte().toString(16).padStart(2, "0")).join(""),
  };
}
