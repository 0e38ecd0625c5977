// One suite per port, for every body of it.

import type { Case, Suite } from "../helpers/cases.ts";
import { bodies } from "../runtimes/bodies.ts";

import type { Body } from "./body.ts";
import { bytesSuite } from "./bytes.ts";
import { clockSuite } from "./clock.ts";
import { databasesSuite } from "./databases.ts";
import { envSuite } from "./env.ts";
import { fsSuite } from "./fs.ts";
import { httpServerCases } from "./http-servers.ts";
import { locksSuite } from "./locks.ts";
import { processesSuite } from "./processes.ts";
import { randomSuite } from "./random.ts";
import { storesSuite } from "./stores.ts";

const ports: Readonly<Record<string, (body: Body) => readonly Case[]>> = {
  fs: fsSuite,
  bytes: bytesSuite,
  stores: storesSuite,
  databases: databasesSuite,
  locks: locksSuite,
  processes: processesSuite,
  clock: clockSuite,
  random: randomSuite,
  env: envSuite,
};

export const portSuites: readonly Suite[] = [
  ...bodies.flatMap((body) =>
    Object.entries(ports).map(([port, suite]) => ({
      name: `${port} of ${body.name}`,
      cases: suite(body),
    })),
  ),
  { name: "http servers", cases: httpServerCases() },
];
