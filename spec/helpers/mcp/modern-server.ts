// bun modern-server.ts FOLDER: the official server, for protocol 2026-07-28 and no other.

import { serveStdio } from "@modelcontextprotocol/server/stdio";

import { officialServer } from "./official.ts";

const folder = process.argv[2]!;
serveStdio(() => officialServer(folder), { legacy: "reject" });
