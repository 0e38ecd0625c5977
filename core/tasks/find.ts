// Which tasks there are, and whose. Each belongs to the session that started it, and no other one may touch it.

import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { locateState } from "../session/locate.ts";
import type { Call } from "../tool.ts";
import { isPrivate, isTaskId, readTaskFile, type TaskFile } from "./files.ts";

export interface Task {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  readonly about: TaskFile<"task.json">;
}

export type FindPorts = Pick<Host, "fs" | "env">;
export type Owner = Pick<Call, "sessionId" | "sessionFolder">;

/**
 * A task of this session.
 * @throws AtomicError `task.unknown`, `task.foreign`
 */
export async function findTask(id: string, owner: Owner, ports: FindPorts): Promise<Task> {
  if (!isTaskId(id)) {
    const isPid = /^\s*-?\d+\s*$/.test(id);
    throw new AtomicError(
      "task.unknown",
      isPid
        ? `${id.trim()} is the number of a process, and no task's id. Nothing was ended.`
        : `${showName(id.slice(0, 80))} is no task's id: that is "task_" and 32 digits from 0 to f, as it was given back.`,
      { data: { id } },
    );
  }
  const session = await owner.sessionFolder();
  const task = await taskAt(`${session}/tasks/${id}`, id, ports);
  if (task?.about.session === owner.sessionId) return task;
  const other = task ?? (await taskOfAnother(id, ports));
  if (other) {
    throw new AtomicError(
      "task.foreign",
      `${id} belongs to the session ${other.about.session}, and this one is ${owner.sessionId}. Nothing was done.`,
      { data: { id, owner: other.about.session, session: owner.sessionId } },
    );
  }
  throw new AtomicError(
    "task.unknown",
    `There is no task ${id} in the session ${owner.sessionId}.`,
    {
      data: { id, session: owner.sessionId },
    },
  );
}

/** Those of this session, the newest first. */
export async function listTasks(owner: Owner, ports: FindPorts): Promise<readonly Task[]> {
  const all = await tasksIn(`${await owner.sessionFolder()}/tasks`, ports);
  return all.filter(({ about }) => about.session === owner.sessionId);
}

/** Those of any session that are kept there, the newest first. @param folder "…/tasks" */
export async function tasksIn(folder: string, ports: FindPorts): Promise<readonly Task[]> {
  const names = (await entries(folder, ports)).filter(isTaskId);
  const found = await Promise.all(names.map((id) => taskAt(`${folder}/${id}`, id, ports)));
  return found
    .filter((task) => task !== undefined)
    .toSorted((a, b) => b.about.at - a.about.at || (a.id < b.id ? -1 : 1));
}

/** Undefined where there is none, or not one that this program made: what is in it decides whom a kill hits. */
export async function taskAt(
  folder: string,
  id: string,
  ports: FindPorts,
): Promise<Task | undefined> {
  if (!(await isPrivate(folder, ports))) return undefined;
  const about = await readTaskFile(folder, "task.json", ports.fs);
  return about?.id === id ? { id, folder, about } : undefined;
}

async function taskOfAnother(id: string, ports: FindPorts): Promise<Task | undefined> {
  const sessions = `${locateState(ports.env).folder}/sessions`;
  for (const name of await entries(sessions, ports)) {
    const task = await taskAt(`${sessions}/${name}/tasks/${id}`, id, ports);
    if (task) return task;
  }
  return undefined;
}

async function entries(folder: string, { fs }: FindPorts): Promise<readonly string[]> {
  try {
    return ((await fs.list(folder)) ?? [])
      .filter(({ kind }) => kind === "directory")
      .map(({ name }) => name);
  } catch (thrown) {
    if (thrown instanceof FsError) return [];
    throw thrown;
  }
}
