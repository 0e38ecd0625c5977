// Formatted text put in place of the text that was formatted, by the same durable write as everything else, and logged
// as a change of its own that can be taken back.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { ReadFile } from "../ports/fs.ts";
import { decode } from "../text/encoding.ts";
import { diffLines } from "../text/diff.ts";
import { splitLines } from "../text/lines.ts";
import { commitWrites, type PlannedWrite } from "./commit.ts";
import { equalBytes } from "./durable-write.ts";
import { identify, shownLines } from "./editable.ts";
import type { FinishContext, FormattedFile, LandedFile } from "./finished-file.ts";

export interface FormattedText {
  readonly file: LandedFile;
  readonly bytes: Uint8Array;
}

export interface LandedText {
  readonly formatted?: FormattedFile | undefined;
  /** What else changed with it, a sentence. */
  readonly aside?: string | undefined;
  /** Why the file is as it was written, as the end of a sentence. */
  readonly failure?: string | undefined;
}

/** One answer for each text, in order. All of them are one change of the log. */
export async function landFormatted(
  texts: readonly FormattedText[],
  context: FinishContext,
): Promise<readonly LandedText[]> {
  if (texts.length === 0) return [];
  const { ports, session, signal } = context;
  const keys = texts.flatMap(({ file }) => file.locks);
  let release: () => void;
  try {
    const options = { timeoutMs: limits.helperTime, signal };
    release = await ports.locks.acquire(session.locksFolder, keys, options);
  } catch {
    return texts.map(() => ({ failure: "another process is writing there" }));
  }
  try {
    const plans = await Promise.all(texts.map((text) => planned(text, context)));
    const writes = plans.flatMap((plan) => ("write" in plan ? [plan.write] : []));
    const failure = await committed(writes, context);
    return await Promise.all(
      plans.map(async (plan, i) => {
        if (!("write" in plan)) return { failure: plan.failure };
        // After a failure, a file may have been put back or not.
        const hasLanded = failure === undefined || (await holds(texts[i]!, context));
        return hasLanded ? { formatted: plan.formatted, aside: plan.aside } : { failure };
      }),
    );
  } finally {
    release();
  }
}

type Plan =
  | { readonly failure: string }
  | {
      readonly write: PlannedWrite;
      readonly formatted: FormattedFile;
      readonly aside: string | undefined;
    };

async function planned({ file, bytes }: FormattedText, { ports }: FinishContext): Promise<Plan> {
  let before: ReadFile | undefined;
  try {
    before = await ports.fs.read(file.real, limits.editableFile);
  } catch {
    return { failure: "the file cannot be read any more" };
  }
  if (!before || !equalBytes(before.bytes, file.bytes)) {
    return { failure: "the file was changed meanwhile, and is left as it is" };
  }
  const old = shownLines(file.real, before.bytes);
  const lines = shownLines(file.real, bytes);
  if (!old || !lines) return { failure: "the result is no text" };
  const { content, hash, tag } = identify(lines, ports.bytes);
  const from = identify(old, ports.bytes).hash;
  return {
    formatted: { bytes, tag, lines },
    aside: asideOf(before.bytes, bytes),
    write: {
      name: file.name,
      path: file.real,
      before,
      after: { bytes },
      moved: () => new AtomicError("edit.changed_during", "the file was changed meanwhile"),
      change: {
        seen: { path: file.real, tag, content, bytesHash: ports.bytes.sha256(bytes) },
        fromHash: from,
        map: hash === from ? [] : diffLines(old.texts, lines.texts),
      },
    },
  };
}

/** @returns why not all have landed, as the end of a sentence */
async function committed(
  writes: readonly PlannedWrite[],
  { session, ports, notice }: FinishContext,
): Promise<string | undefined> {
  if (writes.length === 0) return undefined;
  try {
    await commitWrites("format", writes, session, ports, notice);
    return undefined;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return message.replace(/\s+/g, " ").replace(/\.$/, "");
  }
}

async function holds({ file, bytes }: FormattedText, { ports }: FinishContext): Promise<boolean> {
  try {
    const now = await ports.fs.read(file.real, limits.editableFile);
    return now !== undefined && equalBytes(now.bytes, bytes);
  } catch {
    return false;
  }
}

/** Formatters do this without a word. */
function asideOf(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, now] = [decode(before)!, decode(after)!];
  const said: string[] = [];
  const [was, is] = [mainEnd(old.text), mainEnd(now.text)];
  if (was !== undefined && is !== undefined && was !== is) {
    said.push(`Its line endings were ${was} and are ${is} now.`);
  }
  if (old.bom !== now.bom) said.push(`It has ${now.bom ? "a" : "no"} byte order mark now.`);
  return said.length === 0 ? undefined : said.join(" ");
}

function mainEnd(text: string): string | undefined {
  const counts = new Map<string, number>();
  for (const end of splitLines(text).ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  counts.delete("");
  const [main] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return main && { "\n": "LF", "\r\n": "CRLF", "\r": "CR" }[main[0]];
}
