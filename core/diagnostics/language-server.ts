// A language server for the time of one call: started, told of the files that were written, asked, ended.

import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { connect, type Connection, ResponseError } from "./connection.ts";
import { fileUri, isSameUri } from "./file-uri.ts";
import { endHelper, type HelperCommand, HelperFailure, startHelper, until } from "./helper.ts";

export interface OpenDocument {
  /** Absolute. */
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
}

export interface Found {
  /** The protocol's objects, as the server sent them. */
  readonly items: unknown;
  /** The server was still at work when the time was over: there may be more. */
  readonly partial: boolean;
}

export interface Indentation {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

/** Every method throws a HelperFailure where the server does not do its part. */
export interface LanguageServer {
  /** Shows the server a file, or its new text. */
  show(document: OpenDocument): void;
  /** Text edits. @param path of a file that was shown */
  format(path: string, indentation: Indentation, signal: AbortSignal): Promise<readonly unknown[]>;
  /**
   * What is wrong with the text that was last shown. What has come by the time the signal aborts is better than nothing.
   */
  diagnose(path: string, signal: AbortSignal): Promise<Found>;
  /** Asks it to end, and ends it. */
  close(): Promise<void>;
}

type Ports = Pick<Host, "processes" | "clock" | "env">;

interface Shown {
  readonly uri: string;
  version: number;
  /** When it was last shown. */
  since: number;
  /** Of the version it last spoke of, or of any where it does not say. */
  published: unknown;
}

const CONTENT_MODIFIED = -32801;
const SERVER_CANCELLED = -32802;

/**
 * @param command its folder is the root that the server is given
 * @throws HelperFailure
 */
export async function openLanguageServer(
  command: HelperCommand,
  ports: Ports,
  signal: AbortSignal,
): Promise<LanguageServer> {
  const child = await startHelper(command, ports);
  const documents = new Map<string, Shown>();
  const activity = createActivity(ports.clock);
  const connection = connect(child, {
    request: (method, params) => answerTo(method, params, command.folder, activity),
    notification(method, params) {
      const facts = (params ?? {}) as Record<string, unknown>;
      if (method === "$/progress") activity.progress(facts);
      if (method === "textDocument/publishDiagnostics") publish(facts);
    },
  });

  function publish({ uri, version, diagnostics }: Record<string, unknown>): void {
    const shown = [...documents.values()].find((each) => isSameUri(each.uri, uri));
    // One of an older text comes late.
    if (!shown || (typeof version === "number" && version !== shown.version)) return;
    shown.published = diagnostics;
    activity.happened();
  }

  function shownAt(path: string): Shown {
    const shown = documents.get(path);
    if (!shown) throw new TypeError(`${path} was not shown to the server`);
    return shown;
  }

  try {
    const { capabilities } = await initialize(connection, command.folder, ports, signal);
    return {
      show({ path, languageId, text }) {
        const shown = documents.get(path);
        if (shown) {
          shown.version++;
          shown.since = ports.clock.now();
          shown.published = undefined;
          const { uri, version } = shown;
          connection.notify("textDocument/didChange", {
            textDocument: { uri, version },
            contentChanges: [{ text }],
          });
          return;
        }
        const uri = fileUri(path);
        documents.set(path, { uri, version: 1, since: ports.clock.now(), published: undefined });
        connection.notify("textDocument/didOpen", {
          textDocument: { uri, languageId, version: 1, text },
        });
      },

      async format(path, indentation, signal) {
        if (!capabilities["documentFormattingProvider"]) {
          throw new HelperFailure("the server offers no formatting");
        }
        const { uri } = shownAt(path);
        const edits = await until(
          connection.request("textDocument/formatting", {
            textDocument: { uri },
            options: indentation,
          }),
          signal,
        );
        if (edits === null) return [];
        if (!Array.isArray(edits))
          throw new HelperFailure("the server answered with what are no edits");
        return edits;
      },

      diagnose: (path, signal) =>
        capabilities["diagnosticProvider"]
          ? pull(shownAt(path), connection, activity, signal)
          : awaitPublished(shownAt(path), connection, activity, ports.clock, signal),

      async close() {
        await farewell(connection, child.ended, ports.clock);
        await endHelper(child);
      },
    };
  } catch (thrown) {
    await endHelper(child);
    throw thrown;
  }
}

async function initialize(
  connection: Connection,
  root: string,
  { env }: Ports,
  signal: AbortSignal,
): Promise<{ readonly capabilities: Readonly<Record<string, unknown>> }> {
  const uri = fileUri(root);
  const result = (await until(
    connection.request("initialize", {
      processId: env.pid,
      clientInfo: { name: "atomic" },
      rootUri: uri,
      rootPath: root,
      workspaceFolders: [{ uri, name: root.slice(root.lastIndexOf("/") + 1) }],
      capabilities: {
        general: { positionEncodings: ["utf-16"] },
        textDocument: {
          synchronization: {},
          formatting: {},
          publishDiagnostics: { versionSupport: true },
          diagnostic: {},
        },
        workspace: {
          configuration: true,
          workspaceFolders: true,
          diagnostics: { refreshSupport: true },
        },
        window: { workDoneProgress: true },
      },
    }),
    signal,
  )) as { readonly capabilities?: unknown } | null;
  const capabilities = result?.capabilities;
  if (typeof capabilities !== "object" || capabilities === null) {
    throw new HelperFailure("the server did not say what it can do");
  }
  const facts = capabilities as Record<string, unknown>;
  const encoding = facts["positionEncoding"] ?? "utf-16";
  if (encoding !== "utf-16") {
    throw new HelperFailure(`the server counts columns in ${JSON.stringify(encoding)}, not UTF-16`);
  }
  connection.notify("initialized", {});
  return { capabilities: facts };
}

function answerTo(
  method: string,
  params: unknown,
  root: string,
  activity: Activity,
): { readonly result: unknown } | undefined {
  switch (method) {
    case "workspace/configuration": {
      const { items } = (params ?? {}) as { readonly items?: unknown };
      return { result: Array.isArray(items) ? items.map(() => null) : [] };
    }
    case "workspace/workspaceFolders":
      return { result: [{ uri: fileUri(root), name: root.slice(root.lastIndexOf("/") + 1) }] };
    case "workspace/applyEdit":
      return { result: { applied: false } };
    case "workspace/diagnostic/refresh":
      activity.refresh();
      return { result: null };
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
      return { result: null };
    default:
      return undefined;
  }
}

/** Asks, and asks again where the server says that its answer would be another now. */
async function pull(
  { uri }: Shown,
  connection: Connection,
  activity: Activity,
  signal: AbortSignal,
): Promise<Found> {
  let items: unknown;
  for (;;) {
    const asked = activity.refreshes();
    try {
      const report = (await until(
        connection.request("textDocument/diagnostic", { textDocument: { uri } }),
        signal,
      )) as { readonly kind?: unknown; readonly items?: unknown } | null;
      // "unchanged" answers a question we did not ask.
      if (report?.kind !== "full") throw new HelperFailure("the server answered with no report");
      items = report.items;
    } catch (thrown) {
      if (signal.aborted && items !== undefined) return { items, partial: true };
      const isEarly =
        thrown instanceof ResponseError &&
        (thrown.code === CONTENT_MODIFIED || thrown.code === SERVER_CANCELLED);
      if (!isEarly) throw thrown;
      await activity.pause(signal);
      continue;
    }
    if (!activity.isBusy() && activity.refreshes() === asked) return { items, partial: false };
    try {
      while (activity.isBusy()) await until(activity.next(), signal);
    } catch {
      return { items, partial: true };
    }
  }
}

/**
 * A server publishes when it likes, and often in parts: what it has said once it is quiet for a while. Some first publish
 * what the syntax alone tells, mostly nothing, and the rest much later; so nothing is believed more slowly.
 */
async function awaitPublished(
  shown: Shown,
  connection: Connection,
  activity: Activity,
  clock: Clock,
  signal: AbortSignal,
): Promise<Found> {
  const broken = connection.broken.then((failure) => {
    throw failure;
  });
  // Where nobody waits for it any more.
  broken.catch(() => {});
  try {
    for (;;) {
      const changed = activity.next();
      if (shown.published === undefined || activity.isBusy()) {
        await until(Promise.race([changed, broken]), signal);
        continue;
      }
      if (await isQuiet(quietTime(shown, clock.now()), changed, broken, clock, signal)) {
        return { items: shown.published, partial: false };
      }
    }
  } catch (thrown) {
    if (shown.published === undefined || !signal.aborted) throw thrown;
    return { items: shown.published, partial: true };
  }
}

function quietTime({ published, since }: Shown, now: number): number {
  const isEmpty = Array.isArray(published) && published.length === 0;
  const wanted = isEmpty ? now - since : (now - since) / 4;
  return Math.min(Math.max(wanted, limits.lspQuiet), limits.lspLongQuiet);
}

/** False: something has changed meanwhile. */
async function isQuiet(
  time: number,
  changed: Promise<void>,
  broken: Promise<never>,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const enough = new AbortController();
  const quiet = clock.sleep(time, enough.signal).then(
    () => true,
    () => false,
  );
  try {
    return await until(Promise.race([quiet, changed.then(() => false), broken]), signal);
  } finally {
    enough.abort();
  }
}

/** What the server is seen to do. */
interface Activity {
  progress(facts: Readonly<Record<string, unknown>>): void;
  refresh(): void;
  refreshes(): number;
  happened(): void;
  /** It has said that it is at work. */
  isBusy(): boolean;
  /** The next thing that happens. */
  next(): Promise<void>;
  /** A while. */
  pause(signal: AbortSignal): Promise<void>;
}

function createActivity(clock: Clock): Activity {
  const tokens = new Set<unknown>();
  let refreshes = 0;
  let next = Promise.withResolvers<void>();
  function happened() {
    next.resolve();
    next = Promise.withResolvers();
  }
  return {
    progress({ token, value }) {
      const { kind } = (value ?? {}) as { readonly kind?: unknown };
      if (kind === "begin") tokens.add(token);
      if (kind === "end") tokens.delete(token);
      happened();
    },
    refresh() {
      refreshes++;
      happened();
    },
    refreshes: () => refreshes,
    happened,
    isBusy: () => tokens.size > 0,
    next: () => next.promise,
    pause: (signal) => clock.sleep(limits.lspRetry, signal),
  };
}

/** As the protocol asks, but not for long. */
async function farewell(
  connection: Connection,
  ended: Promise<unknown>,
  clock: Clock,
): Promise<void> {
  const enough = new AbortController();
  const patience = clock.sleep(limits.lspFarewell, enough.signal).catch(() => undefined);
  const leaving = (async () => {
    await connection.request("shutdown", null);
    connection.notify("exit", null);
    await ended;
  })().catch(() => undefined);
  await Promise.race([leaving, patience]);
  enough.abort();
}
