// bun stdio-server.ts FOLDER: the official server over standard input and output, with a child of its own.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

import { officialServer } from "./official.ts";

const folder = process.argv[2]!;
// It leaves its group, as a browser or a daemon would.
const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
child.unref();
writeFileSync(`${folder}/pids`, `${process.pid} ${child.pid}`);
console.error("fixture: started, with an \u001b[31mescape\u001b[0m");
await officialServer(folder).connect(new StdioServerTransport());
