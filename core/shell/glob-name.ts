/** Whether a shell's pattern for one name means it. Classes are taken for "some character". */
export function globMatches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/\[[!^]?\]?[^\]]*\]|[\s\S]/g, (part) => {
      if (part === "*") return "[^/]*";
      if (part === "?" || part.length > 1) return "[^/]";
      return part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    })
    // Many in a row mean what one does, and would take forever.
    .replace(/(?:\[\^\/\]\*)+/g, "[^/]*");
  return new RegExp(`^${source}$`, "s").test(name);
}
