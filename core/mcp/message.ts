// What a JSON value is as a JSON-RPC 2.0 message of MCP.

import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;

export type Id = string | number;

export type Classified =
  | { readonly kind: "request"; readonly id: Id; readonly message: JSONRPCMessage }
  | { readonly kind: "cancellation"; readonly of: Id; readonly message: JSONRPCMessage }
  /** Other notifications, and answers. */
  | { readonly kind: "other"; readonly message: JSONRPCMessage }
  /** `id`: null where the message has none that can be used. */
  | { readonly kind: "invalid"; readonly id: Id | null; readonly why: string };

export function classify(value: unknown): Classified {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") {
    return {
      kind: "invalid",
      id: isObject(value) && isId(value["id"]) ? value["id"] : null,
      why: "a message is a JSON-RPC 2.0 object",
    };
  }
  const { id, method, params } = value;
  const message = value as unknown as JSONRPCMessage;
  if (method === undefined) {
    const isAnswer = isId(id) && ("result" in value ? isObject(value["result"]) : isError(value));
    if (isAnswer) return { kind: "other", message };
    return { kind: "invalid", id: null, why: "a message has a method, or the answer to a request" };
  }
  const known = isId(id) ? id : null;
  if (typeof method !== "string") return { kind: "invalid", id: known, why: "method is a string" };
  if (params !== undefined && !isObject(params)) {
    return { kind: "invalid", id: known, why: "params is an object" };
  }
  if (id !== undefined) {
    if (known === null) {
      return { kind: "invalid", id: null, why: "id is a string or a whole number" };
    }
    return { kind: "request", id: known, message };
  }
  const cancelled = method === "notifications/cancelled" ? params?.["requestId"] : undefined;
  return isId(cancelled)
    ? { kind: "cancellation", of: cancelled, message }
    : { kind: "other", message };
}

function isError({ error }: Readonly<Record<string, unknown>>): boolean {
  return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
