import { describe, test } from "bun:test";

import { propertyCases } from "./properties.ts";

describe("properties of hashline editing", () => {
  for (const { name, run } of propertyCases) test(name, run, 20_000);
});
