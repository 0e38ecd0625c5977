// One section on what the file holds now: applied straight where the tagged text is still there, carried over where that
// is provable, else refused with the lines around its anchors (hashline.md §14, decisions 5 to 11).

import { AtomicError, type ErrorCode } from "../errors.ts";
import type { LineMap } from "../text/line-map.ts";
import { type Lines, splitLines } from "../text/lines.ts";
import { applySteps } from "./apply.ts";
import type { BlockResolver, SpanLookup } from "./blocks.ts";
import { anchorContext } from "./context.ts";
import { type Hunk, isBlockHunk } from "./hunk.ts";
import { lowerBlocks } from "./lower.ts";
import { staleMessage, warning } from "./messages.ts";
import { planEdits, type Plan, type Step } from "./plan.ts";
import { sameText } from "./preview.ts";
import { carryAlong, carryByDiff } from "./recover.ts";

export interface TaggedText {
  readonly hash: string;
  readonly text: string;
  /** The newest content recorded for its path. */
  readonly newest: boolean;
}

export interface SectionOnFile {
  /** As messages name it. */
  readonly path: string;
  readonly tag: string;
  readonly hunks: readonly Hunk[];
  readonly live: { readonly lines: Lines; readonly hash: string; readonly tag: string };
  /** Every content recorded under the tag. */
  readonly tagged: readonly TaggedText[];
  readonly expired: boolean;
  readonly resolver: BlockResolver | undefined;
  /** The script is still being written. */
  readonly partial?: boolean;
  /** The line maps of the session's own edits from a recorded content to the live one. */
  ownEdits(fromHash: string): Promise<readonly LineMap[] | undefined>;
}

/** Steps name lines of the live text. */
export interface Placed {
  readonly steps: readonly Step[];
  readonly warnings: readonly string[];
  readonly echoes: readonly string[];
}

/** @throws AtomicError `edit.unknown_tag`, `edit.stale`, `edit.line`, `edit.block`, `edit.script` */
export async function placeSection(section: SectionOnFile): Promise<Placed> {
  const { tagged, expired } = section;
  if (tagged.length === 0) {
    throw refusal(
      section,
      "edit.unknown_tag",
      expired ? staleMessage.expiredTag : staleMessage.unknownTag,
    );
  }
  if (tagged.length === 1) return placeFrom(section, tagged[0]!);
  // Several contents under one tag: only an edit that comes out the same from each of them is certain.
  const outcomes = await Promise.allSettled(tagged.map((text) => placeFrom(section, text)));
  const texts = outcomes.map((outcome) =>
    outcome.status === "fulfilled"
      ? applySteps(outcome.value.steps, section.live.lines).lines
      : undefined,
  );
  const first = outcomes[0]!;
  if (first.status !== "fulfilled" || !texts.every((text) => text && sameText(text, texts[0]!))) {
    throw refusal(section, "edit.unknown_tag", staleMessage.ambiguousTag);
  }
  return first.value;
}

async function placeFrom(section: SectionOnFile, tagged: TaggedText): Promise<Placed> {
  const { live, hunks, path, resolver } = section;
  const exact = tagged.hash === live.hash;
  const base = exact ? live.lines : splitLines(tagged.text);
  const spans: SpanLookup | "none" =
    resolver && hunks.some(isBlockHunk) ? await resolver.open(path, tagged.text) : "none";
  const lowered = lowerBlocks(hunks, base.texts, spans, { partial: section.partial ?? false });
  if (exact) {
    const plan = planEdits(lowered.hunks, base);
    return {
      steps: plan.steps,
      warnings: [...lowered.warnings, ...plan.warnings],
      echoes: lowered.echoes,
    };
  }
  const plan = planOrRefuse(section, () => planEdits(lowered.hunks, base));
  const { steps, banner } = await carry(section, tagged, plan, base);
  return {
    steps,
    warnings: [...lowered.warnings, banner, ...plan.warnings],
    echoes: lowered.echoes,
  };
}

async function carry(
  section: SectionOnFile,
  tagged: TaggedText,
  plan: Plan,
  base: Lines,
): Promise<{ steps: readonly Step[]; banner: string }> {
  const { live } = section;
  const changes = (steps: readonly Step[] | undefined) =>
    steps !== undefined && !sameText(applySteps(steps, live.lines).lines, live.lines);
  if (
    plan.steps.length > 0 &&
    plan.steps.every((step) => step.kind === "head" || step.kind === "tail")
  ) {
    return { steps: plan.steps, banner: warning.headTailOnStale() };
  }
  const byDiff = carryByDiff(plan.steps, base.texts, live.lines.texts);
  if (byDiff && changes(byDiff)) {
    return {
      steps: byDiff,
      banner: tagged.newest ? warning.recoveredExternal() : warning.recoveredInSession(),
    };
  }
  const own = tagged.newest ? undefined : await section.ownEdits(tagged.hash);
  const along = own && carryAlong(plan.steps, own, base.texts.length);
  if (along && changes(along)) return { steps: along, banner: warning.replayed() };
  throw refusal(section, "edit.stale", staleMessage.mismatch);
}

/** On a stale tag a line that the tagged text lacks is one more sign of a mix-up. */
function planOrRefuse(section: SectionOnFile, plan: () => Plan): Plan {
  try {
    return plan();
  } catch (thrown) {
    if (thrown instanceof AtomicError && thrown.code === "edit.line") {
      throw refusal(section, "edit.stale", staleMessage.mismatch);
    }
    throw thrown;
  }
}

function refusal(
  { path, tag, live, hunks }: SectionOnFile,
  code: ErrorCode,
  text: (path: string, tag: string, actual: string) => string,
): AtomicError {
  const message = text(path, tag, live.tag) + anchorContext(hunks, live.lines.texts);
  return new AtomicError(code, message, { data: { path, tag, currentTag: live.tag } });
}
