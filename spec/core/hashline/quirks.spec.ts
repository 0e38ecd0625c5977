import { describe, test } from "bun:test";

import { quirkCases } from "./quirks.ts";

describe("weaknesses recorded in the vectors", () => {
  for (const { name, run } of quirkCases) test(name, run);
});
