// Notebooks, read and edited by the built program (tools.md §3.7).

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { headers, inEditPlace, utf8 } from "./edit-place.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/cases/B044/${name}`, import.meta.url), "utf8");
const json = fixture("with_ids.ipynb");

test("B044: an edit of a notebook's rows changes that cell and no other byte", async () => {
  await inEditPlace({ "n.ipynb": json, "plain.ipynb": fixture("no_ids.ipynb") }, async (place) => {
    const shown = (await place.run(["read", "n.ipynb"])).stdout.text;
    expect(shown.slice(shown.indexOf("\n") + 1)).toBe(
      `1:# %% [markdown] cell:0
2:# Tïtle
3:text
4:# %% [code] cell:1
5:x = 1
6:x
7:# %% [raw] cell:2
8:raw

[Outputs not shown: cell:1 (1); :raw gives the notebook's JSON]
`,
    );
    await place.change("n.ipynb", "replace 5..5:", "+x = 2");
    expect(place.bytes("n.ipynb")).toBe(utf8(json.replace("x = 1", "x = 2")));
    await place.change("plain.ipynb", "replace 5..5:", "+x = 2");
    expect(place.bytes("plain.ipynb")).toBe(
      utf8(fixture("no_ids.ipynb").replace("x = 1", "x = 2")),
    );
  });
});

test("a new cell gets its number in the answer, whose tag the next edit goes by", async () => {
  await inEditPlace({ "n.ipynb": json }, async (place) => {
    const first = await place.change("n.ipynb", "insert before 4:", "+# %% [code]", "+y = 1");
    const [header] = headers(first);
    expect(header).toBe(await place.header("n.ipynb"));
    const again = await place.edit(header!, "replace 5..5:", "+y = 2");
    expect(again.status).toBe(0);
    const text = (await place.run(["read", "n.ipynb:cell:1"])).stdout.text;
    expect(text.slice(text.indexOf("\n") + 1)).toBe(
      `4:# %% [code] cell:1
5:y = 2

[5 lines remain; continue with :6]
[Outputs not shown: cell:2 (1); :raw gives the notebook's JSON]
`,
    );
  });
});

test("cells are selected, a missing one is beyond the end, :raw is the JSON", async () => {
  await inEditPlace({ "n.ipynb": json, "a.txt": "x\n" }, async (place) => {
    expect((await place.run(["read", "n.ipynb:cell:9"])).stdout.text).toBe(
      "Cell 9 is beyond EOF: n.ipynb has 3 cells; the last one is n.ipynb:cell:2\n",
    );
    expect((await place.run(["read", "n.ipynb:cell:1:raw"])).stdout.text).toBe("x = 1\nx");
    expect((await place.run(["read", "n.ipynb:raw"])).stdout.text).toBe(json);
    const other = await place.run(["read", "a.txt:cell:0"]);
    expect([other.status, other.stderr.text]).toEqual([
      2,
      'Bad selector ":cell:0": only notebooks (.ipynb) have cells, and a.txt is none.\n',
    ]);
  });
});

test("B044: damaged and old notebooks are refused by name, their bytes can be read", async () => {
  await inEditPlace(
    { "b.ipynb": fixture("broken.ipynb"), "v3.ipynb": fixture("v3.ipynb") },
    async (place) => {
      const broken = await place.run(["read", "b.ipynb"]);
      expect(broken.status).toBe(1);
      expect(broken.stderr.text).toStartWith("Notebook b.ipynb: its JSON does not parse (");
      const old = await place.run(["read", "v3.ipynb"]);
      expect(old.stderr.text).toStartWith(
        "Notebook v3.ipynb: it has nbformat 3, and only nbformat 4 is understood.",
      );
      expect((await place.run(["read", "b.ipynb:raw"])).stdout.text).toBe(fixture("broken.ipynb"));
    },
  );
});
