// Ranking of short texts by the words of a query (Okapi BM25), over fields of different weight.

export interface RankedField {
  readonly text: string;
  /** How much a word of it counts. */
  readonly weight: number;
}

export interface Ranked<T> {
  readonly item: T;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.75;

/**
 * Those that have at least one word of the query, the best first; equal ones stay in the order in which they were given.
 * @param fieldsOf what of an item is searched
 */
export function rank<T>(
  items: readonly T[],
  query: string,
  fieldsOf: (item: T) => readonly RankedField[],
): readonly Ranked<T>[] {
  const wanted = [...new Set(wordsOf(query))];
  if (wanted.length === 0 || items.length === 0) return [];
  const documents = items.map((item) => documentOf(fieldsOf(item)));
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length || 1;
  const rarity = new Map(
    wanted.map((word) => {
      const having = documents.filter(({ counts }) => counts.has(word)).length;
      return [word, Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))];
    }),
  );
  return documents
    .map(({ counts, length }, at) => {
      let score = 0;
      for (const word of wanted) {
        const count = counts.get(word);
        if (count === undefined) continue;
        const norm = K1 * (1 - B + (B * length) / average);
        score += (rarity.get(word)! * count * (K1 + 1)) / (count + norm);
      }
      return { item: items[at]!, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

interface Document {
  /** Word → how often it is there, by the weight of where. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

function documentOf(fields: readonly RankedField[]): Document {
  const counts = new Map<string, number>();
  let length = 0;
  for (const { text, weight } of fields) {
    for (const word of wordsOf(text)) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length++;
    }
  }
  return { counts, length };
}

/** "createIssues_v2" → create, issue, v2. Accents, case and a plural's end do not count. */
export function wordsOf(text: string): readonly string[] {
  const parts = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (parts ?? []).map(singular);
}

function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ch|sh|x|z|ss)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}
