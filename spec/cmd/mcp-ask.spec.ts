// Questions to a person through an MCP client, in both ways that the protocol has had.

import { expect, setDefaultTimeout, test } from "bun:test";

import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { executable } from "../helpers/run-atomic.ts";
import { type EditPlace, inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const input = {
  questions: [
    {
      header: "Branches",
      question: "Delete the merged branch fix-1 on origin?",
      options: [
        { label: "Proceed", description: "Delete it there, and nothing else." },
        { label: "Do not proceed", description: "Leave it as it is." },
      ],
    },
  ],
};

type Mode = "legacy" | "auto";

/** What came of one call of the tool, by a client whose person answers so; undefined: it has no forms. */
async function ask(
  place: EditPlace,
  mode: Mode,
  answer: ElicitResult | undefined,
  flags: readonly string[] = [],
): Promise<{ readonly text: string; readonly isError: boolean; readonly seen: unknown[] }> {
  const transport = new StdioClientTransport({
    command: executable,
    args: ["mcp", "serve", ...flags],
    cwd: place.folder,
    env: { ATOMIC_HOME: place.state, PATH: process.env["PATH"] ?? "", HOME: place.state },
    stderr: "ignore",
  });
  const seen: unknown[] = [];
  const client = new Client(
    { name: "spec", version: "1" },
    {
      versionNegotiation: { mode },
      capabilities: answer ? { elicitation: {} } : {},
    },
  );
  if (answer) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      seen.push(params);
      return answer;
    });
  }
  await client.connect(transport);
  try {
    const result = await client.callTool({ name: "ask_user_question", arguments: input });
    const [first] = result.content as readonly { readonly text: string }[];
    return { text: first!.text, isError: result.isError === true, seen };
  } finally {
    await client.close();
  }
}

for (const mode of ["legacy", "auto"] as const) {
  test(`a client with forms asks its person (${mode})`, async () => {
    await inEditPlace({}, async (place) => {
      const given = await ask(place, mode, { action: "accept", content: { q1: "Proceed" } });
      expect(given).toMatchObject({
        text: 'The user answered; go on with these answers. "Delete the merged branch fix-1 on origin?"="Proceed".',
        isError: false,
      });
      expect(given.seen).toHaveLength(1);
      expect(given.seen[0]).toMatchObject({
        message:
          "Delete the merged branch fix-1 on origin?\n- Proceed: Delete it there, and nothing else.\n- Do not proceed: Leave it as it is.",
      });
      for (const action of ["decline", "cancel"] as const) {
        expect(await ask(place, mode, { action })).toMatchObject({
          text: "The user left the questions unanswered.\nThis is not approval. Go on with the safest reading and state the assumption.",
          isError: true,
        });
      }
    });
  });

  test(`a client without forms is told that nobody can be asked (${mode})`, async () => {
    await inEditPlace({}, async (place) => {
      const { text, isError } = await ask(place, mode, undefined);
      expect(text).toStartWith(
        "Nobody can be asked here. Go on with the safest reading and state the assumption; it is not approval.\n",
      );
      expect(isError).toBe(true);
      const yes = { action: "accept", content: { q1: "Proceed" } } as const;
      expect(await ask(place, mode, yes, ["--no-input"])).toMatchObject({
        isError: true,
        seen: [],
      });
    });
  });
}
