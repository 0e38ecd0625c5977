import { AtomicError } from "../core/errors.ts";
import { findJsonFault } from "../core/text/json-position.ts";

/**
 * @param what the beginning of the message: "The input is"
 * @throws AtomicError `usage.json`
 */
export function parseJson(text: string, what = "The input is"): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const fault = findJsonFault(text);
    const where = fault && `line ${fault.line}, column ${fault.column}: unexpected ${fault.found}`;
    throw new AtomicError("usage.json", `${what} not JSON: ${where ?? String(cause)}.`, {
      cause,
      data: fault ? { line: fault.line, column: fault.column } : {},
    });
  }
}
