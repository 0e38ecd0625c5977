// Words on lines of at most 80 columns. What cannot be broken, such as a command line, is left whole.

const width = 80;

export function wrap(text: string, indent = ""): string {
  return text
    .split("\n")
    .map((paragraph) =>
      fill(paragraph, width - indent.length)
        .map((line) => (line === "" ? "" : indent + line))
        .join("\n"),
    )
    .join("\n");
}

/**
 * Names on the left, what they mean on the right.
 * @param left columns for the names: the widest one's, within reason; a wider name has a line of its own
 */
export function columns(
  rows: readonly (readonly [string, string])[],
  indent = "  ",
  left = Math.min(26, Math.max(0, ...rows.map(([name]) => name.length))),
): string {
  const margin = `${indent}${" ".repeat(left)}  `;
  return rows
    .map(([name, text]) => {
      const [first = "", ...more] = fill(text, width - margin.length);
      const head =
        name.length > left
          ? `${indent}${name}\n${margin}${first}`
          : `${indent}${name.padEnd(left)}  ${first}`.trimEnd();
      return [head, ...more.map((line) => margin + line)].join("\n");
    })
    .join("\n");
}

function fill(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
