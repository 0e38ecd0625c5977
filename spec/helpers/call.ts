// A call as the tests make it: everything at its default but for what matters to the test.

import type { CallRequest } from "../../core/tool.ts";

export function callFor(over: Partial<CallRequest> = {}): CallRequest {
  const cwd = over.cwd ?? "/w";
  return {
    cwd,
    session: () => Promise.reject(new Error("no session here")),
    workspace: async () => cwd,
    sessionId: "s",
    sessionFolder: async () => "/state/sessions/s",
    config: async () => ({ workspace: cwd, layers: [] }),
    signal: new AbortController().signal,
    options: { dryRun: false, partial: false, force: false, unlimited: false },
    notice: () => {},
    ...over,
  };
}
