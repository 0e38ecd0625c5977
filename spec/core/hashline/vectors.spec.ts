import { describe, test } from "bun:test";

import { vectorCases } from "./vectors.ts";

describe("conformance vectors", () => {
  for (const { name, run } of vectorCases) test(name, run);
});
