// Manual pages in man(7), which groff and mandoc both read.

/** Text of a line: nothing in it is taken for markup, and what can be copied stays ASCII when shown. */
export function roff(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replace(/[^\n\u0020-\u007e]/gu, (character) => {
      const hex = character.codePointAt(0)!.toString(16).toUpperCase();
      return `\\[u${hex.padStart(4, "0")}]`;
    });
  return escaped.replace(/^\./gm, "\\&.");
}

/** Words that fill lines; each line of the text is a paragraph. */
export function paragraphs(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(filled)
    .join("\n.PP\n");
}

export function section(title: string, body: string): string {
  return `.SH ${title.toUpperCase()}\n${body}`;
}

/** @param term of roff already */
export function item(term: string, meaning: string): string {
  return `.TP\n.B ${term}\n${filled(meaning)}`;
}

/** Lines as they are. */
export function verbatim(text: string): string {
  return `.EX\n${roff(text)}\n.EE`;
}

export interface PageFacts {
  readonly name: string;
  readonly chapter: 1 | 7;
  readonly summary: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly version: string;
}

/** Begins every page that we write, and so tells them from what others wrote. */
export const pageMark = '.\\" Made by "atomic man"';

export function page(facts: PageFacts, sections: readonly string[]): string {
  const { name, chapter, summary, date, version } = facts;
  const shelf = chapter === 1 ? "User Commands" : "Miscellaneous Information";
  return [
    pageMark,
    `.TH ${roff(name.toUpperCase())} ${chapter} ${date} "atomic ${version}" "${shelf}"`,
    section("Name", filled(`${name} - ${summary}`)),
    ...sections,
    "",
  ].join("\n");
}

/** What mandoc's lint takes for a line of reasonable length, in bytes. */
const lineLength = 80;

function filled(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/\s+/).map(roff)) {
    if (line !== "" && line.length + 1 + word.length > lineLength) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => each.replace(/^\./, "\\&.")).join("\n");
}
