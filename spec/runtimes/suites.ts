// All suites that need no runner. They run under Bun with the other specs, and under Deno and Node by themselves.

import { portSuites } from "../conformance/suites.ts";
import type { Suite } from "../helpers/cases.ts";

export const suites: readonly Suite[] = [...portSuites];
