// What came of a call, as MCP says it.

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import type { Outcome } from "../call.ts";
import { type AtomicError, exitStatus } from "../errors.ts";
import { wholeText } from "../tool.ts";

export function resultOf(outcome: Outcome): CallToolResult {
  if (!outcome.ok) return errorResult(outcome.error);
  const { rendered, details } = outcome;
  const ending = "text" in rendered ? rendered.ending : undefined;
  return {
    content: [contentOf(outcome)],
    structuredContent: { ...details },
    // A command that fails is a call that failed, as in the exit status of the command line.
    isError: ending !== undefined && ending.status !== exitStatus.success,
  };
}

export function errorResult({ code, status, message, hint, data }: AtomicError): CallToolResult {
  return {
    content: [{ type: "text", text: hint === undefined ? message : `${message}\n${hint}` }],
    structuredContent: { ...data, code, status, ...(hint !== undefined && { hint }) },
    isError: true,
  };
}

function contentOf({ rendered, details }: Outcome & { readonly ok: true }): ContentBlock {
  if ("text" in rendered) {
    const { text, ending } = rendered;
    return { type: "text", text: ending ? wholeText(text, ending) : text };
  }
  try {
    return {
      type: "text",
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rendered.bytes),
    };
  } catch {
    const { meta } = details as { readonly meta?: { readonly sourcePath?: string } };
    const path = meta?.sourcePath ?? "";
    return {
      type: "resource",
      resource: {
        uri: `file://${path.split("/").map(encodeURIComponent).join("/")}`,
        mimeType: "application/octet-stream",
        blob: base64(rendered.bytes),
      },
    };
  }
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
