// A tool's input schema as plain data: what the command line, messages and help are made from.

import type { GenericSchema } from "valibot";

export type FieldType = "string" | "number" | "boolean" | "list" | "choice" | "pairs";

export interface Field {
  readonly name: string;
  /** "list" is a list of strings, "pairs" an object whose values are strings. */
  readonly type: FieldType;
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  readonly description: string;
  /** For "choice". */
  readonly choices: readonly string[];
}

/**
 * The fields of an object schema, in the order in which it lists them.
 * @throws TypeError for a schema that no flag can stand for: a fault of the tool, found by its spec
 */
export function fieldsOf(schema: GenericSchema): readonly Field[] {
  const { entries } = schema as unknown as { entries?: Record<string, SchemaNode> };
  if (!entries) throw new TypeError(`a tool's input must be an object, not ${schema.type}`);
  return Object.entries(entries).map(([name, node]) => fieldOf(name, node));
}

/** The parts of valibot's schemas and pipe items that matter here. */
interface SchemaNode {
  readonly type: string;
  readonly wrapped?: SchemaNode;
  readonly default?: unknown;
  readonly pipe?: readonly SchemaNode[];
  readonly options?: readonly unknown[];
  readonly description?: string;
}

function fieldOf(name: string, node: SchemaNode): Field {
  let inner = node;
  let description = describe(node);
  let fallback: unknown;
  let required = true;
  while (inner.wrapped) {
    required = false;
    fallback ??= inner.default;
    inner = inner.wrapped;
    description ??= describe(inner);
  }
  return {
    name,
    type: typeOf(name, inner),
    required,
    default: isPlain(fallback) ? fallback : undefined,
    description: description ?? "",
    choices: inner.type === "picklist" ? (inner.options ?? []).map(String) : [],
  };
}

function describe(node: SchemaNode): string | undefined {
  return node.pipe?.find(({ type }) => type === "description")?.description;
}

function typeOf(name: string, { type, options }: SchemaNode): FieldType {
  // One of a list may stand without the list around it.
  const choices = (type === "union" ? (options ?? []) : []) as readonly SchemaNode[];
  if (choices.some((choice) => choice.type === "array")) return "list";
  if (type === "string" || type === "number" || type === "boolean") return type;
  if (type === "array") return "list";
  if (type === "picklist") return "choice";
  if (type === "record") return "pairs";
  throw new TypeError(`field ${name}: no flag can stand for the type ${type}`);
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
