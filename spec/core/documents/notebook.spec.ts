import { expect, test } from "bun:test";
import fc from "fast-check";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { parseNotebook, writeNotebook } from "../../../core/documents/notebook.ts";
import type { AtomicError } from "../../../core/errors.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/cases/B044/${name}`, import.meta.url), "utf8");

let ids = 0;
const newId = () => `new${++ids}`;

function edit(json: string, change: (text: string) => string): string {
  const notebook = parseNotebook(json, "n.ipynb");
  return writeNotebook(notebook, change(notebook.text), "n.ipynb", newId);
}

/** The lines that one text has and the other has not. */
function changed(before: string, after: string) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function failure(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return `${(thrown as AtomicError).code}: ${(thrown as AtomicError).message}`;
  }
  throw new Error("it did not fail");
}

test("B044 cells are rows below markers with 0-based ids; outputs are counted, not shown", () => {
  const { text, cells, remarks } = parseNotebook(fixture("with_ids.ipynb"), "n.ipynb");
  expect(text).toBe(
    "# %% [markdown] cell:0\n# Tïtle\ntext\n# %% [code] cell:1\nx = 1\nx\n# %% [raw] cell:2\nraw\n",
  );
  expect(cells.map(({ type, first, last }) => [type, first, last])).toEqual([
    ["markdown", 1, 3],
    ["code", 4, 6],
    ["raw", 7, 8],
  ]);
  expect(remarks).toEqual(["[Outputs not shown: cell:1 (1); :raw gives the notebook's JSON]"]);
});

for (const name of ["with_ids.ipynb", "no_ids.ipynb", "missing_fields.ipynb"]) {
  test(`B044 an edit of ${name} changes its cell and no other byte`, () => {
    const json = fixture(name);
    expect(edit(json, (text) => text)).toBe(json);
    const after = edit(json, (text) => text.replace("x = 1\n", "x = 'é'\n"));
    const [gone, come] = changed(json, after);
    expect([gone!.join("\n").trim(), come!.join("\n").trim()]).toEqual([
      '"x = 1\\n",',
      `"x = 'é'\\n",`,
    ]);
    const title = edit(json, (text) => text.replace("text\n", "text\nmore\n"));
    expect(changed(json, title)[1]!.length).toBeLessThanOrEqual(2);
    expect(parseNotebook(title, "n").cells[0]!.source).toEndWith("text\nmore");
  });
}

test("the form of a source stays: string, list, one line; escapes of untouched rows too", () => {
  const cell = (source: string) =>
    `{"cells":[{"cell_type":"raw","metadata":{},"source":${source}}],"nbformat":4,"nbformat_minor":4}`;
  const add = (text: string) => text.replace("b\n", "c\n");
  expect(edit(cell('"a\\nb"'), add)).toBe(cell('"a\\nc"'));
  expect(edit(cell('["a\\n", "b"]'), add)).toBe(cell('["a\\n", "c"]'));
  expect(edit(cell('["\\u0061\\n","b"]'), add)).toBe(cell('["\\u0061\\n", "c"]'));
  expect(edit(cell('["\\u00e9\\n", "b"]'), (text) => text.replace("b", "ü"))).toBe(
    cell('["\\u00e9\\n", "\\u00fc"]'),
  );
});

test("cells are added where their marker stands, removed and moved", () => {
  const json = fixture("with_ids.ipynb");
  const added = edit(json, (text) =>
    text.replace("# %% [code] cell:1\n", "# %% [code]\nprint(1)\n# %% [code] cell:1\n"),
  );
  expect(changed(json, added)[1]!.join("\n")).toBe(
    `   "execution_count": null,
   "id": "new1",
   "metadata": {},
   "outputs": [],
   "source": [
    "print(1)"
   ]
  },
  {
   "cell_type": "code",`,
  );
  const cellsOf = (text: string) =>
    (JSON.parse(text) as { cells: { id: string; outputs?: unknown[] }[] }).cells;
  const removed = edit(json, (text) => text.replace("# %% [raw] cell:2\nraw\n", ""));
  expect(cellsOf(removed)).toEqual(cellsOf(json).slice(0, 2));
  const moved = edit(json, () => "# %% [raw] cell:2\nraw\n# %% [code] cell:1\nx = 1\nx\n");
  expect(cellsOf(moved)).toEqual([cellsOf(json)[2]!, cellsOf(json)[1]!]);
  expect(JSON.parse(edit(json, () => ""))).toEqual({ ...JSON.parse(json), cells: [] });
  const refilled = edit(
    edit(json, () => ""),
    () => "# %% [markdown]\nhi\n",
  );
  expect(cellsOf(refilled) as unknown).toEqual([
    { cell_type: "markdown", id: "new2", metadata: {}, source: ["hi"] },
  ]);
});

test("a cell that turns into another type gains and loses what belongs to code", () => {
  const json = fixture("with_ids.ipynb");
  const after = edit(json, (text) =>
    text.replace("[markdown] cell:0", "[code] cell:0").replace("[code] cell:1", "[raw] cell:1"),
  );
  const { cells } = JSON.parse(after) as { cells: Record<string, unknown>[] };
  expect(cells.map((cell) => Object.keys(cell))).toEqual([
    ["cell_type", "execution_count", "id", "metadata", "outputs", "source"],
    ["cell_type", "id", "metadata", "source"],
    ["cell_type", "id", "metadata", "source"],
  ]);
});

test("rows that look like markers are escaped, and the last row's end is kept", () => {
  const source = "a=1\n# %% [code] cell:9\n# %%% [raw]\n# %% note\n";
  const json = JSON.stringify({ cells: [{ cell_type: "code", source }], nbformat: 4 });
  const { text } = parseNotebook(json, "n.ipynb");
  expect(text).toBe("# %% [code] cell:0\na=1\n# %%% [code] cell:9\n# %%%% [raw]\n# %% note\n\n");
  expect(edit(json, () => text)).toBe(json);
});

test("B044 what is no notebook of format 4 is refused by name, never empty", () => {
  expect(failure(() => parseNotebook(fixture("v3.ipynb"), "v3.ipynb"))).toBe(
    "notebook.invalid: Notebook v3.ipynb: it has nbformat 3, and only nbformat 4 is understood.",
  );
  expect(failure(() => parseNotebook(fixture("broken.ipynb"), "b.ipynb"))).toStartWith(
    "notebook.invalid: Notebook b.ipynb: its JSON does not parse (",
  );
  expect(failure(() => parseNotebook("[]", "b"))).toEndWith("its JSON is no object.");
  expect(failure(() => parseNotebook("{}", "b"))).toEndWith('it has no list "cells".');
  expect(failure(() => parseNotebook('{"cells":[{"cell_type":"x"}]}', "b"))).toEndWith(
    'cell 0 has the unknown type "x".',
  );
  expect(failure(() => edit(fixture("with_ids.ipynb"), (text) => `stray\n${text}`))).toEndWith(
    "the edit would leave text above the first cell marker.",
  );
});

test("property: any notebook in any layout comes back byte for byte, and takes any sources", () => {
  const row = fc.constantFrom(
    "",
    "a",
    "# %% [code]",
    "# %%% [raw] cell:3",
    "é\u2028",
    '"\\',
    "x\r",
    "{[,]}",
  );
  const source = fc.array(row, { maxLength: 4 }).map((rows) => rows.join("\n"));
  const cell = fc.record({
    cell_type: fc.constantFrom("code", "markdown", "raw"),
    source: fc
      .tuple(source, fc.boolean())
      .map(([text, list]) => (list ? text.split(/(?<=\n)/) : text)),
    z: fc.constant([{}, "]}"]),
  });
  const indent = fc.constantFrom(0, 1, 2, "\t");
  const cells = fc.array(fc.tuple(cell, source), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(cells, indent, (pairs, space) => {
      const value = { nbformat: 4, cells: pairs.map(([each]) => each), x: { y: 1 } };
      const json = JSON.stringify(value, null, space);
      const notebook = parseNotebook(json, "n");
      expect(writeNotebook(notebook, notebook.text, "n", newId)).toBe(json);
      const wanted = pairs.map(([{ cell_type }, text]) => ({ cell_type, source: text }));
      const other = parseNotebook(JSON.stringify({ nbformat: 4, cells: wanted }), "n");
      const written = writeNotebook(notebook, other.text, "n", newId);
      expect(parseNotebook(written, "n").cells.map((each) => each.source)).toEqual(
        wanted.map((each) => each.source),
      );
      expect({ ...JSON.parse(written), cells: 0 }).toEqual({ ...value, cells: 0 });
    }),
    { numRuns: 500, seed: 7 },
  );
});

/** What the format asks of every cell, by its type and the notebook's minor version. */
function fieldsAsked(type: string, minor: number): readonly string[] {
  const code = type === "code" ? ["execution_count", "outputs"] : [];
  return ["cell_type", "metadata", "source", ...code, ...(minor >= 5 ? ["id"] : [])].toSorted();
}

const changes: readonly ((text: string) => string)[] = [
  (text) => text.replace("x = 1\n", "x = 'é'\n"),
  (text) => `${text}\n# %% [code] cell:9\nnew\n# %% [markdown]\nmd\n# %% [raw]\n`,
  (text) => text.replace("# %% [markdown] cell:0", "# %% [code] cell:0"),
  (text) => text.replace("# %% [code] cell:1", "# %% [raw] cell:1"),
  () => "",
  () => "# %% [code] cell:2\na\n# %% [code] cell:2\nb\n",
];

test("B044 a notebook that is valid stays valid, whatever is done to its cells", () => {
  const files = ["with_ids.ipynb", "no_ids.ipynb"].map((name) => {
    const notebook = JSON.parse(fixture(name));
    // The one field of these that the format does not know.
    delete notebook.x_vendor;
    return JSON.stringify(notebook, null, 1);
  });
  const results = files.flatMap((json) => changes.map((change) => edit(json, change)));
  for (const json of results) {
    const { cells, nbformat_minor: minor } = JSON.parse(json);
    const ids = cells.flatMap(({ id }: { id?: string }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const cell of cells) {
      const names = Object.keys(cell).filter((name) => name !== "attachments");
      expect(names.toSorted()).toEqual([...fieldsAsked(cell.cell_type, minor)]);
      if (minor >= 5) expect(cell.id).toMatch(/^[\w-]{1,64}$/);
    }
  }
  const python =
    "import json, sys, nbformat\nfor text in json.load(sys.stdin): nbformat.validate(nbformat.reads(text, 4))";
  const { status, stderr } = spawnSync("/usr/bin/python3", ["-c", python], {
    input: JSON.stringify([...files, ...results]),
    encoding: "utf8",
  });
  if (status !== 0 && /No module named|ENOENT/.test(stderr || "ENOENT")) {
    console.warn("The validator of Jupyter is not installed; only the structure was checked.");
  } else expect([status, stderr]).toEqual([0, ""]);
});
