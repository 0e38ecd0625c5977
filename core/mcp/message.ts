// What a JSON value is as a JSON-RPC 2.0 message of MCP.

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";

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

/** Levels of objects and lists in one message: what is deeper would end what walks it, far from where it came in. */
export const DEEPEST = 500;

/** What the SDK would not know as a message, and therefore drop without a word, is invalid as well. */
export function classify(value: unknown): Classified {
  const found = shapeOf(value);
  if (found.kind !== "invalid" && isDeeper(value, DEEPEST)) {
    const why = `a message has at most ${DEEPEST} levels`;
    return { kind: "invalid", id: found.kind === "request" ? found.id : null, why };
  }
  switch (found.kind) {
    case "invalid":
      return found;
    case "request":
      if (isJSONRPCRequest(found.message)) return found;
      return { kind: "invalid", id: found.id, why: "params or its _meta has what it must not" };
    default:
      if (isJSONRPCNotification(found.message) || isJSONRPCResponse(found.message)) return found;
      return { kind: "invalid", id: null, why: "a member of the message has what it must not" };
  }
}

function shapeOf(value: unknown): Classified {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") {
    return {
      kind: "invalid",
      id: isObject(value) && isId(value["id"]) ? value["id"] : null,
      why: "a message is a JSON-RPC 2.0 object",
    };
  }
  const { id, method, params, result, error } = value;
  if (method === undefined) {
    if (isId(id) && isObject(result)) return { kind: "other", message: messageOf({ id, result }) };
    if (isId(id) && isError(error)) return { kind: "other", message: messageOf({ id, error }) };
    return { kind: "invalid", id: null, why: "a message has a method, or the answer to a request" };
  }
  const known = isId(id) ? id : null;
  if (typeof method !== "string") return { kind: "invalid", id: known, why: "method is a string" };
  if (params !== undefined && !isObject(params)) {
    return { kind: "invalid", id: known, why: "params is an object" };
  }
  const body = { method, ...(params !== undefined && { params }) };
  if (id !== undefined) {
    if (known === null) {
      return { kind: "invalid", id: null, why: "id is a string or a whole number" };
    }
    return { kind: "request", id: known, message: messageOf({ id, ...body }) };
  }
  const message = messageOf(body);
  const cancelled = method === "notifications/cancelled" ? params?.["requestId"] : undefined;
  return isId(cancelled)
    ? { kind: "cancellation", of: cancelled, message }
    : { kind: "other", message };
}

export function isDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    const below: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      for (const one of Object.values(each)) {
        if (typeof one === "object" && one !== null) below.push(one);
      }
    }
    level = below;
  }
  return false;
}

/** Without members that JSON-RPC does not know, for which the SDK would not answer at all. */
function messageOf(body: object): JSONRPCMessage {
  return { jsonrpc: "2.0", ...body } as JSONRPCMessage;
}

function isError(error: unknown): boolean {
  return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
