import { expect, test } from "bun:test";
import fc from "fast-check";

import { dropEntry, putEntry, readEntry } from "../../../core/install/json-entry.ts";
import { parseJsonc } from "../../../core/text/jsonc.ts";

const path = ["mcpServers", "atomic"];
const entry = { command: "atomic", args: ["mcp", "serve"] };
const loose = { isStrict: false, replaces: false };

const put: readonly (readonly [string, string, string])[] = [
  [
    "no file",
    "",
    `{
  "mcpServers": {
    "atomic": {
      "command": "atomic",
      "args": [
        "mcp",
        "serve"
      ]
    }
  }
}
`,
  ],
  [
    "an empty object",
    "{}",
    `{
  "mcpServers": {
    "atomic": {
      "command": "atomic",
      "args": [
        "mcp",
        "serve"
      ]
    }
  }
}`,
  ],
  [
    "one line",
    `{"a":1}\n`,
    `{"a":1, "mcpServers": { "atomic": { "command": "atomic", "args": ["mcp", "serve"] } }}\n`,
  ],
  [
    "tabs, line ends of Windows, comments and a comma behind the last one",
    `// mine\r\n{\r\n\t"mcpServers": {\r\n\t\t"x": {}, // keep\r\n\t\t/* more */\r\n\t},\r\n\t"z": [1,2],\r\n}`,
    `// mine\r\n{\r\n\t"mcpServers": {\r\n\t\t"x": {}, // keep\r\n\t\t/* more */\r\n\t\t"atomic": {\r\n\t\t\t"command": "atomic",\r\n\t\t\t"args": [\r\n\t\t\t\t"mcp",\r\n\t\t\t\t"serve"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n\t"z": [1,2],\r\n}`,
  ],
  [
    "a comment behind the last one",
    `{\n    "mcpServers": {\n        "x": {} // keep\n    }\n}\n`,
    `{\n    "mcpServers": {\n        "x": {}, // keep\n        "atomic": {\n            "command": "atomic",\n            "args": [\n                "mcp",\n                "serve"\n            ]\n        }\n    }\n}\n`,
  ],
  [
    "an empty object with a comment",
    `{\n  "mcpServers": {\n    // none yet\n  }\n}\n`,
    `{\n  "mcpServers": {\n    // none yet\n    "atomic": {\n      "command": "atomic",\n      "args": [\n        "mcp",\n        "serve"\n      ]\n    }\n  }\n}\n`,
  ],
  [
    "our entry with a key of the user's",
    `{"mcpServers": {"atomic": {"command": "/old/atomic", "env": {"A": "b"}, "args": ["mcp","serve"]}}}`,
    `{"mcpServers": {"atomic": {"command": "atomic", "env": {"A": "b"}, "args": ["mcp","serve"]}}}`,
  ],
];

test.each(put)("put into %s", (_, before, after) => {
  const text = putEntry(before, path, entry, loose);
  expect(text).toBe(after);
  expect(putEntry(text, path, entry, loose)).toBe(text);
});

const dropped: readonly (readonly [string, string, string])[] = [
  ["the only one", `{\n  "a": {\n    "atomic": {}\n  }\n}\n`, `{\n  "a": {\n  }\n}\n`],
  [
    "the last one",
    `{\n  "a": {\n    "x": 1, // keep\n    "atomic": {}\n  }\n}\n`,
    `{\n  "a": {\n    "x": 1 // keep\n  }\n}\n`,
  ],
  [
    "the first one",
    `{\n  "a": {\n    "atomic": {},\n    // of y\n    "y": 1\n  }\n}\n`,
    `{\n  "a": {\n    // of y\n    "y": 1\n  }\n}\n`,
  ],
  ["one of a line", `{"a":{"x":1, "atomic":{}, "y":2}}`, `{"a":{"x":1, "y":2}}`],
  ["the last of a line", `{"a":{"x":1, "atomic":{}}}`, `{"a":{"x":1}}`],
  [
    "with a comma behind it",
    `{\n "a": {\n  "x": 1,\n  "atomic": {},\n },\n}`,
    `{\n "a": {\n  "x": 1,\n },\n}`,
  ],
  [
    "with a comment behind it",
    `{\n "a": {\n  "atomic": {}, // why\n  "x": 1\n }\n}`,
    `{\n "a": {\n  // why\n  "x": 1\n }\n}`,
  ],
];

test.each(dropped)("drop %s", (_, before, after) => {
  expect(dropEntry(before, ["a", "atomic"], false)).toBe(after);
});

test("what stands in the way is told with its place", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["{\n  x\n}", 'line 2, column 3: unexpected "x"'],
    ["[]", 'line 1, column 1: there must be an object for "mcpServers" here'],
    ['{"mcpServers": []}', 'line 1, column 16: there must be an object for "atomic" here'],
    ['{"mcpServers": {},\n "mcpServers": {}}', 'line 2, column 2: "mcpServers" is there twice'],
    ['{"a": 1 /* ', "line 1, column 9: a comment that does not end"],
    ['{"a": "x\ny"}', "line 1, column 7: unexpected a broken string"],
    [`${"[".repeat(300)}`, "line 1, column 202: values more than 200 deep"],
  ];
  for (const [text, message] of refused) {
    expect(() => putEntry(text, path, entry, loose)).toThrow(message);
  }
  const strict = { isStrict: true, replaces: false };
  expect(() => putEntry('{"a": 1,}', path, entry, strict)).toThrow(
    'line 1, column 9: unexpected "}"',
  );
  expect(() => putEntry("{\n// c\n}", path, entry, strict)).toThrow(
    "line 2, column 1: a comment, which this file cannot have",
  );
});

/** JSON with comments, odd blanks and commas where none are needed. */
const space = fc.constantFrom(
  "",
  " ",
  "\n",
  "\n  ",
  "\r\n\t",
  " // c\n",
  "/* c */",
  "\n/* c\n */ ",
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("1", "null", '"a // b"', '"\\"}"', "{}", "[]"),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "atomic"), tie("value"), space, space), {
          maxLength: 3,
        }),
        space,
        fc.boolean(),
      )
      .map(([members, end, comma]) => {
        const unique = [...new Map(members.map((one) => [one[0], one])).values()];
        const parts = unique.map(([key, inner, s, t]) => `${s}"${key}"${t}:${s}${inner}${t}`);
        const tail = comma && parts.length > 0 ? "," : "";
        return `{${parts.join(",")}${tail}${end}}`;
      }),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
  ),
}));

test("whatever the file looks like, only the entry comes and goes", () => {
  fc.assert(
    fc.property(value, (text) => {
      const root = parseJsonc(text, false);
      fc.pre(root.kind === "object");
      const before = root.value as Record<string, unknown>;
      fc.pre(!("mcpServers" in before));
      const after = putEntry(text, path, entry, loose);
      expect(readEntry(after, [], false)).toEqual({ ...before, mcpServers: { atomic: entry } });
      const gone = dropEntry(after, path, false);
      expect(readEntry(gone, [], false)).toEqual({ ...before, mcpServers: {} });
      const letters = (one: string) => one.replace(/[\s,]/g, "");
      expect(letters(gone).replace('"mcpServers":{}', "")).toBe(letters(text));
    }),
  );
});
