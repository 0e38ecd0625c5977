import { archiveSplits, archiveSuffix } from "../archives/suffixes.ts";
import type { ContainerKind } from "./container.ts";

/** Zip, tar and gzip files as containers of their members (tools.md §2.4). What reads them is loaded on first use. */
export const archiveKind: ContainerKind = {
  name: "archive",
  names: (file) => archiveSuffix(file) !== undefined,
  splits: archiveSplits,
  async claims(file, ports, call) {
    const { isArchive } = await import("./archive.ts");
    return isArchive(file, ports, call);
  },
  async open(...given) {
    const { openArchive } = await import("./archive.ts");
    return openArchive(...given);
  },
};
