import { expect, test } from "bun:test";

import { type Ask, approve, confirm } from "../../../core/questions/question.ts";

const { signal } = new AbortController();
const question = {
  header: "Trust",
  question: "Start the server of .mcp.json?",
  proceed: "It is started now.",
  decline: "Nothing is started.",
};

const answering =
  (answer: string, kind: "option" | "custom" | "chat" | "multi" = "option"): Ask =>
  async ([first]) => ({
    ended: "submitted",
    answers: [{ questionIndex: 0, question: first!.question, kind, answer }],
  });

test("a confirmation offers to proceed and to decline, and nothing else", async () => {
  const seen: unknown[] = [];
  const ask: Ask = async (questions) => {
    seen.push(questions);
    return { ended: "cancelled" };
  };
  await confirm({ ask, signal }, question);
  expect(seen).toEqual([
    [
      {
        header: "Trust",
        question: "Start the server of .mcp.json?",
        options: [
          { label: "Proceed", description: "It is started now." },
          { label: "Do not proceed", description: "Nothing is started." },
        ],
        isClosed: true,
      },
    ],
  ]);
});

test("only the plain yes is approval", async () => {
  expect(await confirm({ ask: answering("Proceed"), signal }, question)).toBe("yes");
  expect(await confirm({ ask: answering("Do not proceed"), signal }, question)).toBe("no");
  expect(await confirm({ ask: answering("Proceed", "custom"), signal }, question)).toBe("no");
  expect(await confirm({ ask: answering("Proceed", "chat"), signal }, question)).toBe("no");
  for (const ended of ["cancelled", "timed out"] as const) {
    expect(await confirm({ ask: async () => ({ ended }), signal }, question)).toBe("no");
  }
  const silent: Ask = async () => ({ ended: "submitted", answers: [] });
  expect(await confirm({ ask: silent, signal }, question)).toBe("no");
});

test("where nobody is there, the answer is not a no", async () => {
  expect(await confirm({ signal }, question)).toBe("nobody");
  const lost: Ask = async () => ({ ended: "undelivered" });
  expect(await confirm({ ask: lost, signal }, question)).toBe("nobody");
});

test("what needs approval ends with status 6 without it", async () => {
  expect(await approve({ ask: answering("Proceed"), signal }, question)).toBeUndefined();
  await expect(approve({ signal }, question)).rejects.toMatchObject({
    code: "question.no_ui",
    status: 6,
    message: "Nobody can be asked: Start the server of .mcp.json?",
  });
  await expect(approve({ ask: answering("no", "custom"), signal }, question)).rejects.toMatchObject(
    {
      code: "question.declined",
      status: 6,
      message: "The user did not approve: Start the server of .mcp.json?",
    },
  );
});
