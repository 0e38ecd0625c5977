// One body line as an operation header, or not (seed 000, "Inputs" and "Tolerated input shapes"; hashline.md §6).

export type Operation =
  | { readonly kind: "replace"; readonly start: number; readonly end: number }
  | { readonly kind: "delete"; readonly start: number; readonly end: number }
  | { readonly kind: "insert"; readonly place: "before" | "after"; readonly anchor: number }
  | { readonly kind: "insert edge"; readonly place: "head" | "tail" }
  | {
      readonly kind: "replace block" | "delete block" | "insert after block";
      readonly anchor: number;
    };

/** `operation`: a header. `unsafe`: it would be one, but the digits pass 2^53-1. `no number`: the operand holds none. */
export type HeaderReading =
  | { readonly kind: "operation"; readonly operation: Operation }
  | { readonly kind: "unsafe"; readonly digits: string }
  | { readonly kind: "no number"; readonly operand: string }
  | undefined;

// [ \t\n\v\f\r] only: other blanks, such as NBSP, are text.
const blank = "[ \\t\\n\\v\\f\\r]";
const number = "[1-9][0-9]*";
/** Dots come in pairs; blanks, hyphens and ellipses in any mix with them. */
const separator = `(?:${blank}|-|…|\\.\\.)+`;

const header = new RegExp(
  `^${blank}*(?:` +
    `replace${blank}+(?<replaceStart>${number})(?:${separator}(?<replaceEnd>${number}))?${blank}*:?` +
    `|delete${blank}+(?<deleteStart>${number})(?:${separator}(?<deleteEnd>${number}))?` +
    `|(?<blockOp>replace|delete)${blank}+block${blank}+(?<blockAnchor>${number})(?<blockColon>${blank}*:)?` +
    `|insert${blank}+(?<place>before|after)${blank}+(?<anchor>${number})${blank}*:?` +
    `|insert${blank}+after${blank}+block${blank}+(?<afterBlock>${number})${blank}*:?` +
    `|insert${blank}+(?<edge>head|tail)${blank}*:?` +
    `)${blank}*$`,
);

const operationWord = new RegExp(
  `^${blank}*(?:replace|delete|insert${blank}+before|insert${blank}+after)(?:${blank}+block)?(?<operand>(?:${blank}|:).*)?$`,
);

const leadingOperation = new RegExp(
  `^${blank}*(?:(?:replace|delete)(?:${blank}+block)?|insert${blank}+(?:before|after(?:${blank}+block)?))${blank}+(?<first>${number})(?:${separator}(?<second>${number}))?`,
);

const colonDelete = new RegExp(
  `^delete${blank}+(?:block${blank}+)?${number}(?:${separator}${number})?${blank}*:`,
);

export function readHeader(line: string): HeaderReading {
  // Cheap way out for the great mass of rows.
  const start = line.trimStart().slice(0, 6);
  if (start !== "delete" && start !== "insert" && start !== "replac") return undefined;

  const leading = leadingOperation.exec(line)?.groups;
  for (const digits of [leading?.["first"], leading?.["second"]]) {
    if (digits !== undefined && !Number.isSafeInteger(Number(digits)))
      return { kind: "unsafe", digits };
  }
  const operation = readOperation(line);
  if (operation) return { kind: "operation", operation };
  const word = operationWord.exec(line)?.groups;
  if (!word) return undefined;
  const operand = (word["operand"] ?? "").trim().replace(/:$/, "").trimEnd();
  return /[0-9]/.test(operand) ? undefined : { kind: "no number", operand };
}

function readOperation(line: string): Operation | undefined {
  const found = header.exec(line)?.groups;
  if (!found) return undefined;
  const { replaceStart, deleteStart, blockOp, place, afterBlock, edge } = found;
  if (replaceStart !== undefined) {
    return {
      kind: "replace",
      start: Number(replaceStart),
      end: Number(found["replaceEnd"] ?? replaceStart),
    };
  }
  if (deleteStart !== undefined) {
    return {
      kind: "delete",
      start: Number(deleteStart),
      end: Number(found["deleteEnd"] ?? deleteStart),
    };
  }
  if (blockOp !== undefined) {
    // `delete block N:` is refused like `delete N:` (hashline.md decision 15).
    if (blockOp === "delete" && found["blockColon"] !== undefined) return undefined;
    return {
      kind: blockOp === "delete" ? "delete block" : "replace block",
      anchor: Number(found["blockAnchor"]),
    };
  }
  if (place !== undefined)
    return { kind: "insert", place: place as "before" | "after", anchor: Number(found["anchor"]) };
  if (afterBlock !== undefined) return { kind: "insert after block", anchor: Number(afterBlock) };
  return { kind: "insert edge", place: edge as "head" | "tail" };
}

/** `delete 2..3:`, which takes no colon. The row has been trimmed at its start. */
export function isDeleteWithColon(row: string): boolean {
  return colonDelete.test(row);
}
