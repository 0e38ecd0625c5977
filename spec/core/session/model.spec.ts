// Random histories of several sessions and processes against a model that keeps everything in plain lists.

import { expect, test } from "bun:test";
import fc from "fast-check";

import { limits } from "../../../core/limits.ts";
import type { OpenSession } from "../../../core/session/open.ts";
import type { ChangeGroup } from "../../../core/session/session.ts";
import type { LineMap } from "../../../core/text/line-map.ts";
import { change, createWorld, encode, hashOf, seen, start, type World } from "./world.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const sessions = ["s", "s1", "s1.x"];
const paths = ["/w/a", "/w/b"];
// Each compresses to a quarter of the limit, so the sixth distinct one pushes out another. "A" and "B" share a tag.
const texts = ["A\n", "B\n", "C\n", "D\n", "E\n", "F\n"];
const tagOf = (text: string) => (text < "C" ? "AAAA" : hashOf(text).slice(0, 4).toUpperCase());
const size = limits.storeBytes / 4;

type Step =
  | {
      readonly do: "record" | "lookup";
      readonly session: string;
      readonly path: string;
      readonly text: string;
    }
  | { readonly do: "noop"; readonly session: string; readonly path: string }
  | {
      readonly do: "begin";
      readonly session: string;
      readonly path: string;
      readonly from: string;
      readonly to: string;
      readonly end: "lands" | "fails" | "killed";
      readonly inPlace: boolean;
    }
  | {
      readonly do: "way";
      readonly session: string;
      readonly path: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly do: "mend"; readonly path: string }
  | { readonly do: "wait"; readonly time: number };

const session = fc.constantFrom(...sessions);
const path = fc.constantFrom(...paths);
const text = fc.constantFrom(...texts);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("record" as const), session, path, text }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("lookup" as const), session, path, text }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("noop" as const), session, path }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("begin" as const),
        session,
        path,
        from: text,
        to: text,
        end: fc.constantFrom("lands" as const, "fails" as const, "killed" as const),
        inPlace: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("way" as const),
        session,
        path,
        from: text,
        to: text,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("mend" as const), path }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("wait" as const),
        time: fc.constantFrom(minute, 10 * minute, 61 * minute, 3 * day, 31 * day),
      }),
    },
  ),
  { maxLength: 60, size: "max" },
) satisfies fc.Arbitrary<Step[]>;

test("random histories agree with a plain model", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const world = createWorld();
      world.frameSize = () => size;
      const model = createModel(world);
      for (const step of history) {
        world.now += 1;
        await run(step, world, model);
        model.check();
      }
    }),
    { numRuns: 200 },
  );
}, 60_000);

async function run(step: Step, world: World, model: Model): Promise<void> {
  switch (step.do) {
    case "wait":
      // What is forgotten for good is another spec's matter.
      if (world.now + step.time < start + limits.expiredTagAge) world.now += step.time;
      return;
    case "record":
      await (
        await world.session(step.session)
      ).record(seen(step.path, step.text, tagOf(step.text)));
      model.record(step.session, step.path, step.text);
      return;
    case "lookup": {
      const opened = await world.session(step.session);
      const { snapshots, expired } = await opened.lookup(step.path, tagOf(step.text));
      const found = snapshots.map((snapshot) => ({ text: snapshot.text, newest: snapshot.newest }));
      expect({ found, expired }).toEqual(model.lookup(step.session, step.path, tagOf(step.text)));
      return;
    }
    case "noop": {
      const opened = await world.session(step.session);
      expect(await opened.countNoop(step.path, "p")).toBe(model.noop(step.session, step.path));
      return;
    }
    case "begin": {
      const opened = await world.session(step.session);
      const map = model.begin(step);
      const group = await begin(opened, step, map);
      model.check();
      if (step.end === "killed") return;
      await group.settle(step.end === "lands" ? [step.path] : []);
      model.settle(step.end === "lands");
      return;
    }
    case "way": {
      const opened = await world.session(step.session);
      const way = await opened.ownEdits(step.path, hashOf(step.from), hashOf(step.to));
      model.checkWay(step, way);
      return;
    }
    case "mend": {
      const opened = await world.session();
      const writes = await opened.unsettled(step.path);
      expect(writes.map(({ before, after }) => [before!.bytes, after.bytes])).toEqual(
        model.mend(step.path).map(({ from, to }) => [encode(from), encode(to)]),
      );
      for (const write of writes) await write.settle();
    }
  }
}

function begin(
  opened: OpenSession,
  step: Extract<Step, { do: "begin" }>,
  map: LineMap,
): Promise<ChangeGroup> {
  const { path, from, to, inPlace } = step;
  return opened.beginChanges("edit", [change(path, from, to, { map, inPlace, tag: tagOf(to) })]);
}

type Model = ReturnType<typeof createModel>;

interface ModelChange {
  readonly session: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly inPlace: boolean;
  readonly at: number;
  readonly map: LineMap;
  landed: boolean | undefined;
  pending: boolean;
}

function createModel(world: World) {
  /** Oldest first; one entry for each session, path and text. */
  let versions: { session: string; path: string; text: string; at: number }[] = [];
  const used = new Map<string, number>();
  const changes: ModelChange[] = [];
  const noops = new Map<string, { count: number; at: number }>();

  function keep(text: string): void {
    const last = used.get(text);
    if (last === undefined || world.now - last >= limits.storeTouch) used.set(text, world.now);
  }
  function newestOf(session: string, path: string) {
    return versions.findLast((version) => version.session === session && version.path === path);
  }
  function see(session: string, path: string, text: string): void {
    const newest = newestOf(session, path);
    if (newest && newest.text !== text) noops.delete(`${session} ${path}`);
    versions = versions.filter((v) => v.session !== session || v.path !== path || v.text !== text);
    versions.push({ session, path, text, at: world.now });
  }
  function resolve(session: string, path: string, text: string): void {
    for (const each of changes) {
      if (!each.pending || each.session !== session || each.path !== path || each.to !== text)
        continue;
      each.landed = true;
      each.pending = false;
    }
  }
  function evict(spared: string | undefined): void {
    const oldest = world.now - limits.storeAge;
    const order = [...used].toSorted(([a, x], [b, y]) => x - y || (hashOf(a) < hashOf(b) ? -1 : 1));
    const isDue = (time: number) => used.size * size > limits.storeBytes || time < oldest;
    if (order.length === 0 || !isDue(order[0]![1])) return;
    for (const each of changes) if (!each.inPlace && each.at < oldest) each.pending = false;
    const pinned = changes.flatMap(({ pending, from, to }) => (pending ? [from, to] : []));
    for (const [text, time] of order) {
      if (!isDue(time)) return;
      if (text !== spared && !pinned.includes(text)) used.delete(text);
    }
  }

  return {
    record(session: string, path: string, text: string): void {
      const isNew = !used.has(text);
      const newest = newestOf(session, path);
      const isHot = !isNew && newest?.text === text && world.now - newest.at < limits.storeTouch;
      if (!isHot || world.now - used.get(text)! >= limits.storeTouch) see(session, path, text);
      keep(text);
      resolve(session, path, text);
      if (isNew) evict(text);
    },
    lookup(session: string, path: string, tag: string) {
      const under = versions.filter(
        (version) =>
          version.session === session && version.path === path && tagOf(version.text) === tag,
      );
      const there = under.filter((version) => used.has(version.text)).toReversed();
      for (const { text } of there) keep(text);
      return {
        found: there.map((v) => ({ text: v.text, newest: v === newestOf(session, path) })),
        expired: there.length < under.length,
      };
    },
    noop(session: string, path: string): number {
      const known = noops.get(`${session} ${path}`);
      const count = known && world.now - known.at < limits.noopMemory ? known.count + 1 : 1;
      noops.set(`${session} ${path}`, { count, at: world.now });
      return count;
    },
    begin({ session, path, from, to, inPlace }: Extract<Step, { do: "begin" }>): LineMap {
      const map = [{ at: changes.length, removed: 1, added: 1 }];
      keep(from);
      keep(to);
      resolve(session, path, from);
      const at = world.now;
      changes.push({ session, path, from, to, inPlace, at, map, landed: undefined, pending: true });
      evict(undefined);
      return map;
    },
    settle(hasLanded: boolean): void {
      const last = changes[changes.length - 1]!;
      last.landed = hasLanded;
      last.pending = false;
      if (!hasLanded) return;
      noops.delete(`${last.session} ${last.path}`);
      keep(last.to);
      see(last.session, last.path, last.to);
    },
    mend(path: string): readonly ModelChange[] {
      const open = changes.filter((each) => each.pending && each.inPlace && each.path === path);
      for (const each of open) each.pending = false;
      return open;
    },
    /** A way must be one of landed changes, link by link, and as short as any; none is claimed where there is none. */
    checkWay(
      { session, path, from, to }: Extract<Step, { do: "way" }>,
      way: readonly LineMap[] | undefined,
    ): void {
      const usable = changes.filter(
        (each) => each.session === session && each.path === path && (each.landed ?? each.to === to),
      );
      let reached = new Set([from]);
      let shortest = 0;
      while (!reached.has(to)) {
        const next = new Set(reached);
        for (const each of usable) if (reached.has(each.from)) next.add(each.to);
        if (next.size === reached.size) {
          expect(way).toBeUndefined();
          return;
        }
        reached = next;
        shortest++;
      }
      expect(way).toHaveLength(shortest);
      let at = from;
      for (const map of way!) {
        const step = usable.find((each) => each.map[0]!.at === map[0]!.at)!;
        expect(step.from).toBe(at);
        at = step.to;
      }
      expect(at).toBe(to);
    },
    /** What holds for the store after every step, whatever the history. */
    check(): void {
      const disk = [...world.stores.disks.values()][0];
      if (!disk) return;
      const names = [...disk.blobs.keys()].toSorted();
      expect(names).toEqual([...used.keys()].map(hashOf).toSorted());
      expect([...(disk.spaces.get("contents")?.keys() ?? [])].toSorted()).toEqual(names);
      expect(disk.spaces.get("used")?.size ?? 0).toBe(names.length);
      expect(Number(disk.spaces.get("meta")?.get("bytes") ?? 0)).toBe(size * names.length);
    },
  };
}
