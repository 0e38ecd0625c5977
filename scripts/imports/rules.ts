// Which way imports point. One table for the folders, one for the rows inside core.

/** What the files of a top folder may import, by path prefix, package name and host module. */
export interface Area {
  readonly sources: readonly string[];
  readonly packages: readonly string[];
  /** `node:*`, `bun:*`. */
  readonly hostModules: boolean;
  /** Globals that its files may not use. */
  readonly noGlobals: readonly string[];
}

const runtimeGlobals = ["Bun", "Deno", "process", "globalThis"];

/** Whatever touches the world, its clock or its chance comes in through a port. */
const ambientGlobals = [
  ...runtimeGlobals,
  "AbortSignal.timeout",
  "BroadcastChannel",
  "Buffer",
  "Date.now",
  "EventSource",
  "Math.random",
  "Temporal.Now",
  "WebSocket",
  "Worker",
  "XMLHttpRequest",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "navigator",
  "new Date()",
  "performance",
  "postMessage",
  "queueMicrotask",
  "require",
  "self",
  "setImmediate",
  "setInterval",
  "setTimeout",
];

/** Folders that are not listed (scripts, spec) may import anything. */
export const areas: Readonly<Record<string, Area>> = {
  cmd: {
    sources: ["cmd/", "core/", "adapters/"],
    packages: ["@modelcontextprotocol/server", "citty", "consola"],
    hostModules: false,
    noGlobals: runtimeGlobals,
  },
  adapters: {
    sources: [
      "adapters/",
      "core/ports/",
      "core/errors.ts",
      "core/paths.ts",
      // The in-memory host hashes with it; the others are held to it.
      "core/hashline/xxhash32.ts",
    ],
    packages: [],
    hostModules: true,
    noGlobals: [],
  },
  core: {
    sources: ["core/"],
    packages: [
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
      "@valibot/to-json-schema",
      "fflate",
      "ignore",
      "linkedom",
      "picomatch",
      "smol-toml",
      "turndown",
      "valibot",
      "web-tree-sitter",
    ],
    hostModules: false,
    noGlobals: ambientGlobals,
  },
};

/**
 * The rows of core, highest first. A file may import from the rows below its own, and from its own folder; the longest
 * matching entry places it. Types count: what a row knows of a higher one is what makes both hard to change.
 */
export const coreRows: readonly (readonly string[])[] = [
  ["core/mcp/", "core/docs/"],
  ["core/registry.ts", "core/call.ts", "core/policy.ts"],
  ["core/tools/"],
  // What agents are told of us, in their own settings.
  ["core/install/"],
  // Commands that go on without their caller.
  ["core/tasks/"],
  // Writing on behalf of a session: needs both rows' folders below.
  ["core/changes/", "core/commands/", "core/mcp-client/"],
  ["core/config/", "core/resources/", "core/session/"],
  [
    "core/archives/",
    "core/diagnostics/",
    "core/documents/",
    "core/hashline/",
    "core/scan/",
    "core/selectors/",
    "core/shell/",
    "core/sqlite/",
    "core/syntax/",
    "core/web/",
  ],
  // Where output that does not fit into an answer is kept, for the engines and for every tool.
  ["core/persist/"],
  ["core/tool.ts", "core/fields.ts", "core/input-words.ts", "core/tool-schema.ts"],
  // What can be asked of a person: part of what a call brings along.
  ["core/questions/"],
  // What the edit engine asks of a block resolver: a port that core/syntax fulfils.
  ["core/hashline/blocks.ts"],
  ["core/ports/", "core/text/", "core/paths.ts"],
  ["core/errors.ts", "core/limits.ts"],
];

/** Folders whose files stand alone: none imports another of them. */
export const separate: readonly string[] = ["core/tools/"];

export interface Exception {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    from: "core/tool.ts",
    to: "core/session/session.ts",
    typeOnly: true,
    reason: "a call brings its session along; the type is all that the shape of a tool needs of it",
  },
  {
    from: "core/tool.ts",
    to: "core/config/config.ts",
    typeOnly: true,
    reason: "the same for the configuration",
  },
];
