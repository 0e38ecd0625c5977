// All suites that need no runner. They run under Bun with the other specs, and under Deno and Node by themselves.

import { portSuites } from "../conformance/suites.ts";
import { propertyCases } from "../core/hashline/properties.ts";
import { quirkCases } from "../core/hashline/quirks.ts";
import { vectorCases } from "../core/hashline/vectors.ts";
import type { Suite } from "../helpers/cases.ts";

export const suites: readonly Suite[] = [
  ...portSuites,
  { name: "hashline vectors", cases: vectorCases },
  { name: "hashline quirks", cases: quirkCases },
  { name: "hashline properties", cases: propertyCases },
];
