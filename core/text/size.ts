// Sizes and counts as people read them (tools.md §1.5).

/** "12B", "1.9KB", "3.4MB"; 1 KB is 1024 bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

/** "1 line", "3,000 lines". */
export function formatCount(count: number, one: string, many: string): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** "50,000". */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
