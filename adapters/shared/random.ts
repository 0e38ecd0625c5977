import type { Random } from "../../core/ports/random.ts";

/** The most that one call of getRandomValues gives. */
const QUOTA = 65_536;

export const systemRandom: Random = {
  hex(bytes) {
    const values = new Uint8Array(bytes);
    for (let at = 0; at < bytes; at += QUOTA) {
      crypto.getRandomValues(values.subarray(at, at + QUOTA));
    }
    return Array.from(values, (value) => value.toString(16).padStart(2, "0")).join("");
  },
};
