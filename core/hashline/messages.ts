// Every text of hashline editing that an agent reads. Those of seed 000 ("Errors", "Warnings") are literal and part of
// the interface; the others follow their manner. `line N:` counts the body lines of one section.

import { limits } from "../limits.ts";

const opsHint = "Use `replace N..M:`, `delete N..M`, or `insert before|after|head|tail:`";

/** Quoted as JSON, cut after `length` characters. */
function preview(text: string, length: number): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text);
}

export const toolMessage = {
  emptyInput: () => "edit input must be a non-empty hashline script with [PATH#TAG] sections.",
  couldNotEdit: (path: string, code: string) =>
    `Could not edit file: ${path}. Error code: ${code}.`,
  notFound: (path: string) => `File not found: ${path}. Use the write tool to create new files.`,
  sameFile: (first: string, second: string) =>
    `Multiple hashline sections resolve to the same file (${first} and ${second}). Merge their ops under one header before applying.`,
  changedBeforeWrite: (path: string) =>
    `Stale hashline tag for ${path}: file content changed before write. Re-read before editing.`,
  writeFailed(
    path: string,
    reason: string,
    written: readonly string[],
    unwritten: readonly string[],
    parts: "Sections" | "Files" = "Sections",
  ) {
    let text = `Failed to write ${path}: ${reason}`;
    if (written.length > 0) text += ` ${parts} already written: ${written.join(", ")}.`;
    if (unwritten.length > 0) text += ` ${parts} not written: ${unwritten.join(", ")}.`;
    return text;
  },
  noChange: (path: string) =>
    `Edits to ${path} parsed and applied cleanly, but produced no change: your body row(s) are byte-identical to the file at the targeted lines. The bug is somewhere else — re-read the file before issuing another edit. Do NOT widen the payload or add lines; verify the anchor first.`,
  noopCount: (count: number) => `No-op count for this identical payload: ${count}.`,
  noChangeInMixedCall: (path: string) => `Hashline edit for ${path} did not change the file.`,
  unencodable: (path: string, line: number, encoding: string) =>
    `Could not edit file: ${path}. The new row at line ${line} holds characters that the file's encoding (${encoding}) is not certain to carry. Use ASCII rows only, or convert the file to UTF-8 first.`,
  notText: (path: string, reason: string) => `Could not edit file: ${path}. ${reason}`,
  parallelConflict: (path: string, line: number) =>
    `Edit rejected for ${path}: line ${line} is already changed by a parallel edit call of this batch. Copy the [path#newhash] header from that call's response and retry.`,
};

export const headerMessage = {
  mustBegin: (line: string) =>
    `input must begin with "[PATH#HASH]" on the first non-blank line for anchored edits; got: ${JSON.stringify(line.slice(0, 120))}. Example: "[src/foo.ts#1A2B]" then edit ops.`,
  malformed: (line: string) =>
    `Input header must be [PATH] or [PATH#TAG] with a 4-hex content-hash tag; got ${JSON.stringify(line.trimEnd())}.`,
  emptyPath: () => 'Input header "[]" is empty; provide a file path.',
  noSections: () => "Patch input did not produce any sections.",
  missingTag: (path: string) =>
    `Missing hashline snapshot tag for ${path}; use \`[${path}#tag]\` from your latest read/search output. To create a new file, use the write tool.`,
  conflictingTags: (path: string, first: string, second: string) =>
    `Conflicting hashline snapshot tags for ${path}: #${first} and #${second}. Re-read the file and retry with one current header.`,
  unifiedDiff: () =>
    "unified-diff hunk header (`@@ -N,M +N,M @@`) is not valid in hashline. File sections start with `[path#HASH]`; use `replace`, `delete`, or `insert` ops.",
};

/** Each takes the section line it speaks of. */
export const parseMessage = {
  unsafeInteger: (line: number, digits: string) =>
    `line ${line}: line anchor "${digits}" is not a safe integer; line numbers must be positive safe integers no greater than 9007199254740991.`,
  expectedNumber: (line: number, got: string) =>
    `line ${line}: expected a line number such as "119", "112", "7"; got ${JSON.stringify(got)}. Use [PATH#hash] from your latest read for file-version binding.`,
  reversedRange: (line: number, start: number, end: number) =>
    `line ${line}: range ${start}..${end} ends before it starts.`,
  oversizedRange: (line: number, start: number, end: number) =>
    `line ${line}: range ${start}..${end} expands to ${end - start + 1} lines; numeric ranges are limited to ${limits.rangeLines.toLocaleString("en-US")} lines.`,
  orphanLiteral: (line: number, row: string) =>
    `line ${line}: payload line has no preceding hunk header. Got ${JSON.stringify(row)}.`,
  orphanRow: (line: number, row: string) =>
    `line ${line}: payload line has no preceding hunk header. ${opsHint} above the body. Got ${JSON.stringify(row)}.`,
  minusRow: (line: number) =>
    `line ${line}: \`-\` rows are not valid; the range already names the lines being changed. For a literal \`-\` line, write \`+-…\`.`,
  bodyUnderDelete: (line: number) =>
    `line ${line}: \`delete N..M\` does not take body rows. Remove the body, or use \`replace N..M:\`.`,
  bodyUnderDeleteBlock: (line: number) =>
    `line ${line}: \`delete block N\` does not take body rows. Remove the body, or use \`replace block N:\`.`,
  emptyInsert: (line: number) => `line ${line}: \`insert\` needs at least one \`+TEXT\` body row.`,
  emptyReplaceBlock: (line: number) =>
    `line ${line}: \`replace block N:\` needs at least one \`+TEXT\` body row. To delete a block, use \`delete block N\`.`,
  doubleAnchor: (line: number, anchor: number, earlier: number) =>
    `line ${line}: anchor line ${anchor} is already targeted by another hunk on line ${earlier}. Issue ONE hunk per range; payload is only the final desired content, never a before/after pair.`,
  sentinel: (line: number, row: string) =>
    `line ${line}: apply_patch sentinel ${preview(row, 48)} is not valid in hashline. File sections start with \`[path#HASH]\` (no \`Update File:\` / \`Add File:\` keyword). ${opsHint} ops.`,
  unifiedDiff: (line: number) =>
    `line ${line}: unified-diff hunk header (\`@@ -N,M +N,M @@\`) is not valid in hashline. ${opsHint} ops.`,
  bracketedHeader: (line: number, row: string) =>
    `line ${line}: \`@@\`-bracketed hunk header ${preview(row, 48)} is not valid in hashline. Drop the \`@@ ... @@\` brackets and write a verb header such as \`replace N..M:\`.`,
  deleteWithColon: (line: number) =>
    `line ${line}: \`delete N..M\` has no colon and no body. Remove the colon and body rows.`,
  bareNumber: (line: number, digits: string) =>
    `line ${line}: hunk headers need a verb. Use \`replace ${digits}..${digits}:\` to replace, or \`delete ${digits}\` to delete.`,
  bareRange: (line: number, row: string, start: string, end: string) =>
    `line ${line}: bare range hunk header ${JSON.stringify(row)} is not valid. Hunk headers need a verb: write \`replace ${start}..${end}:\` or \`delete ${start}..${end}\`.`,
  carriageReturn: (line: number) =>
    `line ${line}: a body row cannot hold a carriage return (CR) before its end; it would become a line break. Split the row, or leave the CR out.`,
  unresolvedBlock: (line: number, op: "replace" | "delete", anchor: number) =>
    `line ${line}: \`${op} block ${anchor}${op === "replace" ? ":" : ""}\` could not resolve a syntactic block beginning on line ${anchor} (unsupported language, blank/closer line, or parse error). Use \`${op} ${anchor}..M${op === "replace" ? ":" : ""}\` with explicit lines.`,
  overdueBlock: (line: number, op: string, anchor: number) =>
    `line ${line}: finding the block of ${blockOp(op, anchor)} took longer than ${limits.blockTime / 1000} seconds and was stopped. ${explicitLines(op)}`,
  failedBlock: (line: number, op: string, anchor: number) =>
    `line ${line}: the block of ${blockOp(op, anchor)} cannot be found: the parser broke down on this file, or on another one before, and this process does not use it any more. ${explicitLines(op)}`,
  noResolver: (line: number) =>
    `line ${line}: \`replace block\`/\`delete block\`/\`insert after block\` are not available here (no block resolver configured). Use a concrete line range.`,
  missingLine: (line: number, count: number) =>
    `Line ${line} does not exist (file has ${count} lines)`,
};

function blockOp(op: string, anchor: number): string {
  return `\`${op} ${anchor}${op === "delete block" ? "" : ":"}\``;
}

function explicitLines(op: string): string {
  const range = op === "insert after block" ? "insert after N:" : `${op.split(" ")[0]} N..M`;
  return `Use \`${range}${op === "replace block" ? ":" : ""}\` with explicit lines.`;
}

export const staleMessage = {
  unknownTag: (path: string, tag: string, actual: string) =>
    `Edit rejected for ${path}: hash #${tag} is not from this session.\n${rereadAdvice(actual)}`,
  expiredTag: (path: string, tag: string, actual: string) =>
    `Edit rejected for ${path}: hash #${tag} has expired; its snapshot is no longer kept.\n${rereadAdvice(actual)}`,
  ambiguousTag: (path: string, tag: string, actual: string) =>
    `Edit rejected for ${path}: hash #${tag} is ambiguous; this session saw different contents of the file under it.\n${rereadAdvice(actual)}`,
  mismatch: (path: string, tag: string, actual: string) =>
    `Edit rejected for ${path}: file changed between read and edit.\nSection is bound to #${tag}, but the current file hashes to #${actual}. If a prior edit in this session modified this file, copy the [path#newhash] header from that edit's response; otherwise re-read the file with \`read\` to refresh the tag before retrying.`,
};

function rereadAdvice(actual: string): string {
  return `The current file hashes to #${actual}. Re-read the file with \`read\` to copy a current [path#tag] header — never invent the tag and never reuse one from a prior session.`;
}

export const warning = {
  bareRows: () =>
    "Auto-prefixed bare body row(s) with `+`. Body rows must be `+TEXT` literal lines.",
  hunkLikeRow: () =>
    "Literal +TEXT row resembles a valid hunk header; it was kept as literal payload text.",
  recoveredExternal: () =>
    "Recovered from a stale file hash using a previous read snapshot (file changed externally between read and edit).",
  recoveredInSession: () =>
    "Recovered from a stale file hash using an earlier in-session snapshot (a prior edit in this session advanced the hash).",
  replayed: () =>
    "Recovered by replaying your edits onto the current file content (a prior in-session edit changed the lines you re-targeted with a stale hash). Verify the diff matches your intent.",
  headTailOnStale: () =>
    "Applied the `insert head:`/`insert tail:` edit despite a stale snapshot tag (file changed since your read) — head/tail position is content-independent. Re-read if the drift was unexpected.",
  blockOnCloser: (line: number) =>
    `\`insert after block ${line}:\` anchors on a closing delimiter, so it was applied as plain \`insert after ${line}:\`. Anchor on the line that OPENS the construct.`,
  blockUnresolved: (line: number) =>
    `\`insert after block ${line}:\` could not resolve a syntactic block on line ${line}, so it was applied as plain \`insert after ${line}:\`. Verify the landing line; anchor on a line that OPENS a construct.`,
  landedFurtherOut: (anchor: number, crossed: number, landing: number) =>
    `insert after ${anchor}: body indented shallower than the anchor, so the landing moved past ${crossed === 1 ? "1 closing line" : `${crossed} closing lines`} to after line ${landing}. For the deeper position inside the block, re-issue with the body indented to match.`,
  landedInside: (block: number, closer: number, landing: number) =>
    `insert after block ${block}: body indented deeper than closing line ${closer}, so it was placed inside the block, after line ${landing}. \`insert after block\` lands AFTER the block at sibling depth — if inside was intended, use plain \`insert after ${closer}:\`.`,
  boundaryEcho: (line: number, leading: number, trailing: number) =>
    `Auto-repaired a replacement boundary echo at line ${line}: dropped ${leading} leading and ${trailing} trailing payload line(s) already present outside the range. Issue the payload as the final desired content for the selected range only — never restate unchanged lines bordering the range.`,
  balance: (line: number, action: string) =>
    `Auto-repaired a delimiter-balance mismatch in the replacement at line ${line}: ${action}. Issue the payload as the final desired content only — never restate or omit a closing bracket bordering the range.`,
  droppedTrailing: (count: number) =>
    `dropped ${count} duplicated trailing payload line(s) already present below the range`,
  droppedLeading: (count: number) =>
    `dropped ${count} duplicated leading payload line(s) already present above the range`,
  keptClosers: (count: number) =>
    `kept ${count} structural closing line(s) the range deleted without restating`,
  continuesPastBlock: (op: string, line: number, end: number) =>
    `\`${op} ${line}\`: line ${end} goes on past the block (such as with a comma); the operation took the whole line, so the body must restate what follows.`,
  fallbackSpan: (op: string, line: number, by: "braces" | "indentation") =>
    `\`${op} ${line}\`: no grammar for this language; the block was found by ${by}. Check the resolved lines.`,
  batch: (calls: number) => `Applied ${calls} parallel edit calls as one snapshot-anchored batch.`,
};

/** `replace block N → resolved lines A-B (K lines)` (seed 000, "Outputs"). */
export function blockEcho(op: string, line: number, start: number, end: number): string {
  const echo = `${op} ${line} → resolved lines ${start}-${end} (${end - start + 1} lines)`;
  return op === "insert after block" ? `${echo}; body lands after line ${end}` : echo;
}

/** What write says when it took a tool's output for the text it shows (seed 000, "Outputs"). */
export const STRIPPED_NOTE =
  "Note: the content was a copy of tool output; its [path#TAG] header and LINE: prefixes were removed before writing.";
