// The Markdown table.

import type { BenchCase, Pair } from "./bench-case.ts";
import type { Measured } from "./measure.ts";

export const head = [
  "| what | ours | peer | ratio | limit | peak memory, ours / peer |",
  "|---|---|---|---|---|---|",
].join("\n");

export function row(
  { title, target }: Pick<BenchCase, "title" | "target">,
  { ours, peer }: Pair,
  measured: { readonly ours: Measured; readonly peer: Measured },
): string {
  const ratio = measured.ours.median / measured.peer.median;
  const cells = [
    title,
    `${ours.name} ${milliseconds(measured.ours.median)}`,
    `${peer.name} ${milliseconds(measured.peer.median)}`,
    `${ratio.toFixed(2)}${target !== undefined && ratio > target ? " (over)" : ""}`,
    target === undefined ? "–" : `≤ ${target}`,
    `${mebibytes(measured.ours.peakMemory)} / ${mebibytes(measured.peer.peakMemory)}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function milliseconds(value: number): string {
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
}

function mebibytes(bytes: number | undefined): string {
  if (bytes === undefined) return "–";
  const value = bytes / (1024 * 1024);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MiB`;
}
