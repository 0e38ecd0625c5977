import { showName } from "../core/paths.ts";
import { formatCount } from "../core/text/size.ts";
import { cleanKept } from "./clean-kept.ts";
import { command } from "./command.ts";
import { noticesTo, printAnswer } from "./output.ts";
import { accessSession } from "./session-access.ts";

export const gc = command({
  name: "gc",
  summary: "Remove kept output that nobody has touched for 30 days",
  description:
    "Output that did not fit into an answer is kept in private files: in the temporary folder, and in tool-results and tasks of the sessions' folders. This removes each of those folders whose newest file is older than 30 days; one fresh file keeps all. It happens by itself once a day, a little at a time. What sessions have read and changed is not touched.",
  operands: [],
  flags: [],
  examples: [
    { title: "A session folder of one's own as well", line: "atomic gc --session-dir out" },
  ],
  topics: ["env"],
  async run({ program, settings }) {
    const { stdio } = program;
    const host = await program.host();
    const session = accessSession(host, settings, noticesTo(stdio));
    const { removed } = await cleanKept(host, await session.folder(), undefined);
    const lines = [
      removed.length === 0
        ? "Nothing is older than 30 days."
        : `Removed ${formatCount(removed.length, "folder", "folders")}:`,
      ...removed.map(showName),
    ];
    return printAnswer(lines.join("\n"), { removed }, { stdio, settings });
  },
});
