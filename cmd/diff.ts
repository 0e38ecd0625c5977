import { gitPatch, type FilePatch } from "../core/changes/git-patch.ts";
import { AtomicError, exitStatus } from "../core/errors.ts";
import { displayPath, showName } from "../core/paths.ts";
import type { LoggedGroup } from "../core/session/session.ts";
import { command } from "./command.ts";
import { choose, type Chosen, type Ledger, pathOrId, withLedger } from "./ledger.ts";
import { deliver, printAnswer } from "./output.ts";

export const diff = command({
  name: "diff",
  summary: "Show changes of this session as a patch for git apply",
  description:
    "The patch of one change, of one file, or of all that this session has changed: from what each file was before the first change to what the last one made of it. Changes that were taken back cancel out. The paths start at the working folder, so `git apply` works there; -R takes the patch back.",
  operands: [pathOrId],
  flags: [],
  examples: [
    { title: "All of this session", line: "atomic diff > session.patch" },
    { title: "One change, by its number in the log", line: "atomic diff 12" },
  ],
  topics: [],
  run: (invocation) =>
    withLedger(invocation, async (ledger) => {
      const { program, settings, operands } = invocation;
      const chosen = await choose(operands[0], ledger);
      const spans = spansOf(chosen);
      const { cwd } = ledger.host.env;
      const outside = spans.filter(({ path }) => displayPath(path, cwd).startsWith("/"));
      if (outside.length > 0) ledger.notice(outsideText(outside, cwd));
      const files: FilePatch[] = [];
      for (const span of spans) {
        if (!outside.includes(span)) files.push(await patchOf(span, cwd, ledger));
      }
      const patch = gitPatch(files, ledger.host.bytes);
      const details = {
        session: ledger.session.id,
        files: files.map(({ path }) => path),
        outside: outside.map(({ path }) => path),
      };
      if (settings.json) {
        const text = new TextDecoder().decode(patch);
        await printAnswer(text, details, { stdio: program.stdio, settings });
      } else {
        await deliver({ out: patch, err: "", status: exitStatus.success }, program.stdio);
      }
      return exitStatus.success;
    }),
});

/** A file's way through the changes that are meant. */
interface Span {
  readonly path: string;
  /** The oldest and the newest change of it that was carried out. */
  readonly first: LoggedGroup;
  readonly last: LoggedGroup;
}

function spansOf({ entries, covers }: Chosen): readonly Span[] {
  const spans = new Map<string, Span>();
  for (const group of entries) {
    for (const { path, landed } of group.changes) {
      if (landed === false || !covers(path)) continue;
      spans.set(path, { path, first: group, last: spans.get(path)?.last ?? group });
    }
  }
  return [...spans.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function patchOf(
  { path, first, last }: Span,
  cwd: string,
  ledger: Ledger,
): Promise<FilePatch> {
  const name = displayPath(path, cwd);
  return {
    path: name,
    before: await imageOf(first, path, "before", name, ledger),
    after: await imageOf(last, path, "after", name, ledger),
  };
}

async function imageOf(
  group: LoggedGroup,
  path: string,
  side: "before" | "after",
  name: string,
  { session }: Ledger,
) {
  const known = group.changes.find((change) => change.path === path)?.[side];
  const image = known && (await session.loggedImage(group.id, path, side));
  if (known && !image) {
    throw new AtomicError(
      "undo.lost",
      `Cannot show the patch: the content of ${showName(name)} ${side} change ${group.id} is no longer kept.`,
      { data: { id: group.id, path } },
    );
  }
  return image;
}

function outsideText(spans: readonly Span[], cwd: string): string {
  const names = spans.map(({ path }) => showName(path)).join(", ");
  return `Left out, since ${spans.length === 1 ? "it lies" : "they lie"} outside the working folder ${showName(cwd)}, from which the paths of the patch start: ${names}`;
}
