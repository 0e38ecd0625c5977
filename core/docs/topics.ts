// What `atomic help TOPIC` explains. Each topic is written once, here, and loaded when asked for.

export interface Topic {
  readonly name: string;
  readonly summary: string;
  /** At most 80 columns, ends without a newline. */
  load(): Promise<string>;
}

export const topics: readonly Topic[] = [
  {
    name: "hashline",
    summary: "The edit script: headers, operations, bodies, examples",
    load: async () => (await import("./hashline.ts")).hashline,
  },
  {
    name: "selectors",
    summary: "Lines and raw bytes after a file's name",
    load: async () => (await import("./selectors.ts")).selectors,
  },
  {
    name: "exit-codes",
    summary: "Exit statuses and every error code behind them",
    load: async () => (await import("./exit-codes.ts")).exitCodes(),
  },
  {
    name: "env",
    summary: "Environment variables",
    load: async () => (await import("./env.ts")).envText(),
  },
  {
    name: "command-rules",
    summary: "What bash refuses, asks about, hands over or expands",
    load: async () => (await import("./command-rules.ts")).commandRules,
  },
];
