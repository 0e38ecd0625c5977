import * as v from "valibot";

import { writeKinds, type WriteAnswer, type WritePorts } from "../changes/write-kinds.ts";
import { aborted, AtomicError } from "../errors.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject({
  path: v.pipe(
    v.string(),
    v.nonEmpty("A path must not be empty."),
    v.description(
      "File to write, absolute or relative to the working folder; also local://PATH, skill://NAME/PATH, conflict://N, or a member of an archive: a.zip:dir/b.txt",
    ),
  ),
  content: v.pipe(v.string(), v.description("The whole new content, written as it is")),
});

type Input = v.InferOutput<typeof input>;

async function run({ path, content }: Input, ports: WritePorts, call: Call): Promise<WriteAnswer> {
  if (call.signal.aborted) throw aborted(call.signal.reason);
  if (!content.isWellFormed()) {
    throw new AtomicError(
      "usage.input",
      'Field "content" holds half a surrogate pair, or a byte that is not UTF-8, and so is no text.',
      {
        data: { field: "content" },
        hint: "On the command line, pipe it in: standard input is written byte for byte.",
      },
    );
  }
  const bytes = call.contentBytes ?? new TextEncoder().encode(content);
  for (const kind of writeKinds) {
    const write = await kind.claim({ target: path, content: bytes }, ports, call);
    if (write) return write();
  }
  throw new TypeError("the last kind of write takes every target");
}

export const write = defineTool({
  name: "write",
  summary: "Write a whole file: a new one, or over one that this session has read",
  description:
    "Writes a file as a whole, and makes the folders it needs. Use edit for changes to existing files; write is for new files and full rewrites. " +
    "An existing file must have been read in this session and be unchanged since: read it first. Generated files are refused. " +
    "The content is written exactly as given, except that a copy of tool output (a [path#TAG] header with its LINE: rows) is turned back into the text it shows. " +
    "Content that begins with #! makes the file executable. The answer carries a fresh [path#TAG] header for the next edit. " +
    "a.zip:dir/b.txt (also .jar, .tar, .tar.gz, .tgz; a.gz:a) adds or replaces a member of an archive, or makes the archive; every other member stays as it is. " +
    "app.db:users inserts a row given as a JSON5 object; app.db:users:42 updates the row with that key, or deletes it where the content is empty. " +
    "local://PATH is a path in the workspace; conflict://N replaces a conflict that FILE:conflicts has numbered, conflict://* all of them, with @ours, @theirs, @base or @both standing for the sides. " +
    "Do not create README or other *.md files unless asked to. No emojis unless asked for.",
  effect: "write",
  input,
  run,
  render: ({ text }) => ({ text }),
  details: ({ details }) => details,
  cli: {
    positional: "path",
    content: "content",
    placeholder: "TARGET",
    options: ["dryRun", "force"],
  },
  examples: [
    { title: "A new file", input: { path: "notes/todo.txt", content: "first\nsecond\n" } },
    { title: "Over a file that was read", input: { path: "src/a.ts", content: "export {};\n" } },
  ],
});
