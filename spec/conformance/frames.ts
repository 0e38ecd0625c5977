// One frame from each runtime's `compress`, so that a store written by one is known to be readable by the others.

const texts: readonly (readonly [string, string])[] = [
  ["bun", "KLUv/SChrQAAcGJ1biAgICAgYWJjYnVuAQAQKecF"],
  ["node", "KLUv/SCjrQAAYG5vZGUgYWJjbm9kZQIAEB0NC2gB"],
  ["deno", "KLUv/SCjrQAAYGRlbm8gYWJjZGVubwIAEB0NC2gB"],
];

export const frames = texts.map(([made, base64]) => ({
  made,
  frame: Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)),
  text: `${made}     ${"abc".repeat(50)}${made}`,
}));
