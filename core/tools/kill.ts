import * as v from "valibot";

import { receiptDetails, renderReceipt } from "../tasks/answer.ts";
import { findTask } from "../tasks/find.ts";
import { killTask, type KillPorts, type Receipt } from "../tasks/kill.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject({
  id: v.pipe(v.string(), v.description("The task's id, as it was given back; no process id")),
});

async function run({ id }: v.InferOutput<typeof input>, ports: KillPorts, call: Call) {
  return killTask(await findTask(id, call, ports), ports);
}

export const kill = defineTool({
  name: "kill",
  summary: "End a background task with all that it has started",
  description:
    "Ends a task that bash has put into the background, or that went there by itself: SIGTERM, two seconds, SIGKILL, for all of its processes, also those that left its group. " +
    "Only tasks of this session, by their id. The answer tells the decision, what became of the command, and whether all processes are gone; a request is no proof of the end. " +
    "The first request is the one that counts. A command that had ended before keeps its outcome; what it left running ends.",
  effect: "execute",
  deed: "end a task",
  isBounded: true,
  input,
  run,
  render: (receipt: Receipt) => renderReceipt(receipt),
  details: (receipt: Receipt) => receiptDetails(receipt),
  cli: { positional: "id", repeat: true, placeholder: "ID", complete: "tasks --ids --running" },
  examples: [{ title: "End a task", input: { id: "task_0123456789abcdef0123456789abcdef" } }],
});
