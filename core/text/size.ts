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

/**
 * "42s", "5m", "3h", "12d" (below 30 days), "4mo" (months of 30 days, below 12), "2y" (12 months). Never negative.
 * @param age milliseconds
 */
export function formatAge(age: number): string {
  const seconds = Math.max(0, Math.floor(age / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  const days = Math.floor(seconds / 86_400);
  if (days < 30) return `${days}d`;
  const months = Math.floor(days / 30);
  return months < 12 ? `${months}mo` : `${Math.floor(months / 12)}y`;
}
