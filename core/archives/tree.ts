// An archive's members as a tree: which member a name means, what is in a folder, where links lead. Never out of it.

import { limits } from "../limits.ts";
import { distance } from "../text/nearest.ts";
import type { Archive, Member } from "./archive.ts";
import { leadsOut, normalName } from "./names.ts";

export interface Found {
  readonly member: Member;
  /** How many members go by that name; the last one is meant. */
  readonly copies: number;
}

export interface Child {
  /** Within its folder. */
  readonly name: string;
  /** Undefined: a folder, whether or not the archive lists it as such. */
  readonly member: Member | undefined;
}

/** All names of an archive, told apart once. */
interface Index {
  readonly byName: ReadonlyMap<string, Found>;
  readonly byNormal: ReadonlyMap<string, Found>;
  /** With all above them, without a final slash. */
  readonly folders: ReadonlySet<string>;
  readonly outside: readonly string[];
}

export class MemberTree {
  readonly #archive: Pick<Archive, "members" | "look">;
  #built: Index | undefined;

  constructor(archive: Pick<Archive, "members" | "look">) {
    this.#archive = archive;
  }

  get #index(): Index {
    return (this.#built ??= indexOf(this.#archive.members));
  }

  /** Names that lead out of the archive: they count as not there. */
  get outside(): readonly string[] {
    return this.#index.outside;
  }

  /** The member of exactly that name; else of the same name but for "./" and the like, or for the kind of slash. */
  find(name: string): Found | undefined {
    const quick = this.#look(name);
    if (quick === "folder" || quick === "absent") return undefined;
    if (quick) return quick;
    const exact = this.#index.byName.get(name);
    if (exact && exact.member.kind !== "directory") return exact;
    if (name.endsWith("/")) return undefined;
    const normal = normalName(name);
    const found = this.#index.byNormal.get(normal);
    if (found) return found;
    let slashed: Found | undefined;
    for (const [key, other] of this.#index.byNormal) {
      if (key.includes("\\") && key.replaceAll("\\", "/") === normal) slashed = other;
    }
    return slashed;
  }

  /** Only of names that are plain, and not of the archive's root. */
  #look(name: string): Found | "folder" | "absent" | undefined {
    const isPlain = name !== "" && !this.#built && !leadsOut(name) && plainName(name) === name;
    return isPlain ? this.#archive.look?.(name) : undefined;
  }

  isFolder(name: string): boolean {
    const quick = this.#look(name);
    if (quick !== undefined) return quick === "folder";
    return this.#index.folders.has(plainName(name));
  }

  /** Sorted by code unit. */
  children(folder: string): readonly Child[] {
    const inside = plainName(folder);
    const prefix = inside === "" ? "" : `${inside}/`;
    const children: Child[] = [];
    const isChild = (path: string) =>
      path.length > prefix.length && path.startsWith(prefix) && !path.includes("/", prefix.length);
    for (const path of this.#index.folders) {
      if (isChild(path)) children.push({ name: path.slice(prefix.length), member: undefined });
    }
    for (const [path, { member }] of this.#index.byNormal) {
      if (isChild(path)) children.push({ name: path.slice(prefix.length), member });
    }
    const sortKey = ({ name, member }: Child) => (member ? name : `${name}/`);
    return children.sort((a, b) => compare(sortKey(a), sortKey(b)));
  }

  /** Names of the files at any depth, in path order. Links are left to what they lead to. */
  filesBelow(folder: string): readonly string[] {
    const inside = plainName(folder);
    const prefix = inside === "" ? "" : `${inside}/`;
    const files = [...this.#index.byNormal].filter(
      ([path, { member }]) => member.kind === "file" && path.startsWith(prefix),
    );
    return files.map(([path]) => path).sort(compare);
  }

  /**
   * What a link leads to: a hard link to the member of that name before it, a symbolic one from its own folder.
   * Undefined: out of the archive, or to nothing in it.
   */
  follow(link: Member, target: string): Member | "folder" | undefined {
    if (link.kind === "hard link") {
      const wanted = plainName(target);
      const from = this.#archive.members.indexOf(link);
      const before = this.#archive.members.findLast(
        (member, i) => i < from && !leadsOut(member.name) && plainName(member.name) === wanted,
      );
      return before ?? this.find(target)?.member;
    }
    const path = this.pathOf(link, target);
    if (path === undefined) return undefined;
    return (
      this.#index.byNormal.get(path)?.member ??
      (this.#index.folders.has(path) ? "folder" : undefined)
    );
  }

  /** Where a symbolic link leads; undefined: out of the archive. */
  pathOf(link: Member, target: string): string | undefined {
    const name = plainName(link.name);
    return within(folderOf(name), target);
  }

  /** Names that may have been meant, best first. */
  similar(name: string): readonly string[] {
    const wanted = lastSegment(normalName(name)).toLowerCase();
    if (wanted === "") return [];
    const most = Math.max(1, Math.floor(wanted.length / 3));
    const scored: { readonly name: string; readonly score: number }[] = [];
    for (const path of this.#index.byNormal.keys()) {
      const own = lastSegment(path).toLowerCase();
      const score = own === wanted ? 0 : slips(wanted, own, most);
      if (score <= most) scored.push({ name: path, score });
    }
    scored.sort((a, b) => a.score - b.score || compare(a.name, b.name));
    return scored.slice(0, limits.archiveSimilar).map((one) => one.name);
  }
}

function indexOf(members: readonly Member[]): Index {
  const byName = new Map<string, Found>();
  const byNormal = new Map<string, Found>();
  const folders = new Set<string>([""]);
  const outside: string[] = [];
  const addFolder = (folder: string) => {
    for (let at = folder; !folders.has(at); at = folderOf(at)) folders.add(at);
  };
  for (const member of members) {
    const { name } = member;
    if (leadsOut(name)) {
      outside.push(name);
      continue;
    }
    const normal = plainName(name);
    add(byName, name, member);
    if (member.kind === "directory") addFolder(normal);
    else if (normal !== "") {
      add(byNormal, normal, member);
      addFolder(folderOf(normal));
    }
  }
  return { byName, byNormal, folders, outside };
}

/** "" for what is at the top. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function add(map: Map<string, Found>, name: string, member: Member): void {
  map.set(name, { member, copies: (map.get(name)?.copies ?? 0) + 1 });
}

/** Normal, and without the slash that ends a folder's. */
function plainName(name: string): string {
  if (!/^\.|\/[./]|\/$|^\//.test(name)) return name;
  return normalName(name).replace(/\/$/, "");
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path from a folder of the archive; undefined where it leaves it. */
function within(folder: string, target: string): string | undefined {
  if (target.startsWith("/")) return undefined;
  const kept = folder === "" ? [] : folder.split("/");
  for (const segment of target.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept.join("/");
}

/** Contained in one another counts as one slip. */
function slips(wanted: string, own: string, most: number): number {
  if (wanted.length >= 3 && own.includes(wanted)) return 1;
  if (Math.abs(wanted.length - own.length) > most) return Infinity;
  return distance(wanted, own);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
