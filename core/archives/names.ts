// Member names: bytes to text in the tables that archives use, and the spellings that count as one name.

/** Code page 437, upper half: what a zip's names are in where nothing says otherwise (APPNOTE appendix D). */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** As UTF-8 where they are that, else by the table. */
export function decodeName(bytes: Uint8Array, table: "cp437" | "latin1"): string {
  try {
    return utf8.decode(bytes);
  } catch {
    let name = "";
    for (const byte of bytes) {
      name += byte >= 0x80 && table === "cp437" ? CP437[byte - 0x80]! : String.fromCharCode(byte);
    }
    return name;
  }
}

/** Without "./", "." segments and repeated slashes; a final slash stays. */
export function normalName(name: string): string {
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  const end = segments.length > 0 && /(?:^|\/)\.?$/.test(name) ? "/" : "";
  return segments.join("/") + end;
}

/** Absolute or with "..": such a name may lead anywhere once it is unpacked, and is neither shown nor read nor written. */
export function leadsOut(name: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\)/.test(name) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(name);
}
