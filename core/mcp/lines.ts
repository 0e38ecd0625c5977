// A byte stream as lines, of which none is held that is too long.

/** Without their ends; undefined for one of more than `most` bytes. A last line without an end counts. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  const taken = () => {
    const line = length > most ? undefined : decoder.decode(joined(parts, length));
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      keep(chunk.subarray(from, at));
      yield taken();
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield taken();

  function keep(part: Uint8Array): void {
    length += part.length;
    // Of a line that is too long only the length is known.
    if (length > most) parts = [];
    else if (part.length > 0) parts.push(part.slice());
  }
}

const LF = 0x0a;

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
