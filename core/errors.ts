// Every failure a caller may meet, in one table. Code branches on `code`; people and agents read the message.

/** Exit statuses of the command line (`atomic help exit-codes`). */
export const exitStatus = {
  success: 0,
  failed: 1,
  usage: 2,
  conflict: 3,
  "not found": 4,
  refused: 5,
  "needs a person": 6,
  unavailable: 7,
  "time limit": 124,
  "cannot run": 126,
  "hung up": 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitClass = keyof typeof exitStatus;

interface ErrorRow {
  readonly exit: ExitClass;
  /** When it happens, for `atomic help exit-codes`. */
  readonly when: string;
  /** What to do next, where the message itself does not say so. */
  readonly hint?: string;
}

function table<Code extends string>(rows: Record<Code, ErrorRow>) {
  return rows;
}

export const errors = table({
  "usage.command": {
    exit: "usage",
    when: "a command, flag or argument is unknown, missing or misspelt",
  },
  "usage.input": {
    exit: "usage",
    when: "the tool's input has a wrong type, an unknown field or a value out of range",
  },
  "usage.json": { exit: "usage", when: "the JSON input does not parse" },
  "edit.script": {
    exit: "usage",
    when: "the edit script is malformed: header, operation, range, body or hunks that collide",
  },
  "edit.line": { exit: "usage", when: "an edit names a line that does not exist" },
  "edit.block": { exit: "usage", when: "no syntactic block begins on the named line" },
  "edit.no_change": {
    exit: "failed",
    when: "an edit changes nothing, in a call that changes other files or for the third time",
  },
  "edit.stale": {
    exit: "conflict",
    when: "the file changed since it was read and the edit cannot be carried over",
  },
  "edit.unknown_tag": {
    exit: "conflict",
    when: "the tag was never handed out for this file in this session, or has expired",
  },
  "edit.changed_during": {
    exit: "conflict",
    when: "the file changed while the edit was being prepared",
  },
  "edit.inaccessible": {
    exit: "failed",
    when: "the file to edit cannot be opened for reading and writing",
  },
  "edit.encoding": { exit: "failed", when: "a new row cannot be written in the file's encoding" },
  "file.conflict": {
    exit: "conflict",
    when: "FILE_MUTATION_CONFLICT: the file is not what this session last saw, or went out of reach",
  },
  "file.not_found": { exit: "not found", when: "the file or folder does not exist" },
  "file.not_regular": {
    exit: "failed",
    when: "the target is a folder, pipe, socket or device where a file is needed",
  },
  "file.unreadable": { exit: "failed", when: "the operating system refused to read the target" },
  "file.write": { exit: "failed", when: "the operating system refused a write" },
  "file.too_large": { exit: "failed", when: "the file is larger than this tool handles" },
  "undo.nothing": { exit: "not found", when: "there is no change to take back" },
  "undo.lost": {
    exit: "failed",
    when: "the content that an undo needs has been dropped from the log by age or size",
  },
  "write.generated": {
    exit: "refused",
    when: "a file that says near its top that it is generated was to be overwritten",
    hint: "To overwrite it all the same, use --force on the command line.",
  },
  "write.no_handler": {
    exit: "unavailable",
    when: "the target of a write is a URL or a resource that cannot be written",
  },
  "config.invalid": {
    exit: "usage",
    when: "a configuration file cannot be read, is not JSON, or has a wrong key or value",
  },
  "read.no_handler": {
    exit: "unavailable",
    when: "the target is a URL or a resource of a scheme that this build cannot read",
  },
  "find.empty_entry": { exit: "usage", when: "one of the paths to find is empty" },
  "find.path_missing": { exit: "not found", when: "none of the paths to find exists" },
  "find.no_path": {
    exit: "usage",
    when: "find was given something that is no file or folder, such as a conflict",
  },
  "find.glob": { exit: "usage", when: "a glob is too large to be used" },
  "search.pattern_empty": { exit: "usage", when: "the pattern to search for is blank" },
  "search.regex": {
    exit: "usage",
    when: "the pattern is no regular expression, or one that cannot be matched in linear time",
  },
  "search.path_missing": { exit: "not found", when: "none of the paths to search exists" },
  "search.range_target": {
    exit: "usage",
    when: "lines of a folder or a glob were to be searched",
  },
  "search.range_syntax": {
    exit: "usage",
    when: "a path to search ends in a selector that is no line range",
  },
  "notebook.invalid": {
    exit: "failed",
    when: "a notebook's JSON is damaged or of another format, or an edit would leave text outside its cells",
  },
  "archive.member_not_found": { exit: "not found", when: "an archive has no member of that name" },
  "archive.member_path": {
    exit: "refused",
    when: "a member's path is empty, absolute, leads out of the archive, or names no file",
  },
  "archive.bounds": {
    exit: "failed",
    when: "an archive is damaged or cut short: its records contradict each other or the file's size",
  },
  "archive.checksum": { exit: "failed", when: "what an archive holds does not match its checksum" },
  "archive.method": {
    exit: "failed",
    when: "a member is packed or stored in a way that this build cannot read",
  },
  "archive.encrypted": {
    exit: "failed",
    when: "a member, or the archive's directory, is encrypted",
  },
  "archive.too_large": {
    exit: "failed",
    when: "an archive or a member is larger, or has more entries, than this tool handles",
  },
  "archive.read_only": {
    exit: "failed",
    when: "archives of this kind can be read but not written",
  },
  "conflict.target": {
    exit: "usage",
    when: "a conflict:// target names no conflict: it must be conflict://N or conflict://*",
  },
  "conflict.scoped": { exit: "usage", when: "a single side of a conflict was to be written" },
  "conflict.none": { exit: "not found", when: "there are no conflict markers to resolve" },
  "conflict.id": { exit: "not found", when: "no conflict has that number" },
  "conflict.stale": {
    exit: "conflict",
    when: "the conflict is no longer in its file as it was when it was numbered",
    hint: "Read FILE:conflicts again and use the new numbers.",
  },
  "conflict.ambiguous": {
    exit: "failed",
    when: "a side of a conflict was asked for, and several of its lines may be the separator",
    hint: "Give the resolution as literal text.",
  },
  "conflict.no_base": { exit: "failed", when: "@base was asked for and the conflict has no base" },
  "sqlite.query": {
    exit: "usage",
    when: "a ?q= query is not one SELECT that only reads tables and views",
  },
  "sqlite.where": { exit: "usage", when: "a ?where= condition does more than compare" },
  "sqlite.order": { exit: "usage", when: "an ?order= list is malformed" },
  "sqlite.param": {
    exit: "usage",
    when: "a parameter of a database selector is unknown, malformed or does not go with another",
  },
  "sqlite.no_table": { exit: "not found", when: "the database has no such table or view" },
  "sqlite.no_key": { exit: "failed", when: "the rows of a view or table cannot be named by a key" },
  "sqlite.composite_pk": {
    exit: "failed",
    when: "a row of a table with a primary key of several columns was named by one value",
  },
  "sqlite.sql": { exit: "failed", when: "SQLite does not accept a statement; its own message" },
  "sqlite.busy": {
    exit: "conflict",
    when: "another connection held the database past the time limit",
    hint: "Try again.",
  },
  "sqlite.damaged": { exit: "failed", when: "the database is damaged" },
  "sqlite.unavailable": {
    exit: "failed",
    when: "the database or its log cannot be opened, read or written",
  },
  "sqlite.time": {
    exit: "time limit",
    when: "a query had given nothing when its time was over, or a write was not done",
    hint: "Narrow it with WHERE and LIMIT.",
  },
  "sqlite.not_found": { exit: "not found", when: "the database to write a row of does not exist" },
  "sqlite.target": { exit: "usage", when: "a write to a database names no table, or a view" },
  "sqlite.params": { exit: "usage", when: "a write to a database has query parameters" },
  "sqlite.key": {
    exit: "usage",
    when: "the row to write has an empty key, or one of several rows",
  },
  "sqlite.payload": {
    exit: "usage",
    when: "the content of a row is no JSON5 object, or names a column twice",
  },
  "sqlite.column": {
    exit: "usage",
    when: "a row's content names a column that the table lacks, or that is computed",
  },
  "sqlite.value": {
    exit: "usage",
    when: "a row's content has a value that is no string, number, boolean or null, or that SQLite cannot hold",
  },
  "sqlite.empty_update": { exit: "usage", when: "an update of a row names no column" },
  "sqlite.without_rowid": {
    exit: "failed",
    when: "a row of a WITHOUT ROWID table was to be updated or deleted by its key",
  },
  "sqlite.unsure": {
    exit: "failed",
    when: "a write was cut off while it was being committed, so that it was either made or not",
  },
  "selector.line": {
    exit: "usage",
    when: "a line selector is malformed, reversed or out of range",
  },
  "selector.escape": {
    exit: "refused",
    when: "a confined target leads out of the workspace, by its text or through a link",
  },
  "session.unavailable": {
    exit: "unavailable",
    when: "the session's state cannot be opened or written",
    hint: "Run `atomic doctor` to see what is wrong with the state folder.",
  },
  "session.unsafe": {
    exit: "unavailable",
    when: "the state folder belongs to someone else, is a link, or cannot be made private",
    hint: "Make the folder yours and private (chmod 700), or set ATOMIC_HOME to another one.",
  },
  "lock.timeout": {
    exit: "conflict",
    when: "another process held the file's lock until the time limit",
    hint: "Try again; nothing was written.",
  },
  "policy.read_only": { exit: "refused", when: "a write was asked for in read-only mode" },
  "policy.plan": {
    exit: "refused",
    when: "in plan mode, a write outside the allowed paths or a command was asked for",
    hint: "Write inside the allowed paths, or ask for them to be widened (--plan PATH, ATOMIC_PLAN).",
  },
  "policy.command": {
    exit: "refused",
    when: "a command is one of those that never run, or matches the deny list of the command policy",
  },
  "policy.ask": {
    exit: "needs a person",
    when: "the command policy asks a person before this command, and there is none, or the answer was no",
    hint: "This is not approval. A person can run the command, or change the policy.",
  },
  "bash.intercepted": {
    exit: "refused",
    when: "the interceptor knows a tool for what the command does",
  },
  "bash.handler": {
    exit: "failed",
    when: "a configured handler of commands failed, so that it is not known whether it took the command",
  },
  "bash.url": {
    exit: "usage",
    when: "a command holds an internal URL among quotes, redirections or the like",
    hint: "Use the path of the file instead, or pass it in --env or --cwd.",
  },
  "bash.cwd": {
    exit: "usage",
    when: "the folder that a command is to run in does not exist or is none",
  },
  "bash.spawn": {
    exit: "cannot run",
    when: "a command could not be started: there is no shell, or the system refused",
  },
  "install.invalid": {
    exit: "failed",
    when: "an agent's settings file is not what it must be, so that nothing can be put into it",
  },
  "install.foreign": {
    exit: "refused",
    when: "an agent has another server, or a skill folder other files, under our name",
  },
  "question.no_ui": {
    exit: "needs a person",
    when: "a question was to be asked and nobody can be asked",
    hint: "This is not approval. Go on with the safest reading and state the assumption.",
  },
  "question.cancelled": {
    exit: "needs a person",
    when: "the person left a question without an answer, or did not answer in time",
    hint: "This is not approval. Go on with the safest reading and state the assumption.",
  },
  "question.chat": {
    exit: "needs a person",
    when: "the person wants to talk before anything is decided",
    hint: "Nothing is decided: stop and wait for what they say.",
  },
  "question.duplicate": {
    exit: "usage",
    when: "two questions, or two options of one question, are the same",
  },
  "question.reserved": {
    exit: "usage",
    when: "an option is named as a row that every question has",
  },
  "question.preview": {
    exit: "usage",
    when: "an option has a preview where several may be chosen",
  },
  "question.declined": {
    exit: "needs a person",
    when: "what needs a person's yes was declined, or the question was cancelled or not answered",
    hint: "This is not approval.",
  },
  "mcp.busy": {
    exit: "unavailable",
    when: "over MCP, a connection asked for more calls at a time than it may",
    hint: "Nothing was done. Wait for answers before calling again.",
  },
  "mcp.listen": {
    exit: "failed",
    when: "the MCP server cannot listen on the address or port that it was given",
    hint: "Name another port, or 0 for a free one.",
  },
  "mcp.process": {
    exit: "failed",
    when: "over MCP, the process that does a connection's calls ended during one of them",
    hint: "Read what the call was to change before calling again: it may have been done.",
  },
  "mcp.time": {
    exit: "time limit",
    when: "over MCP, a call was not done when clients stop waiting",
    hint: "Ask for less at a time: fewer paths, a narrower glob, lines of a file.",
  },
  "mcp.unknown": {
    exit: "not found",
    when: "no MCP server, or no tool, prompt or resource of it, has that name",
  },
  "mcp.definition": {
    exit: "usage",
    when: "what a file says of an MCP server cannot be used: a variable is not set, or a value is missing or wrong",
  },
  "mcp.not_trusted": {
    exit: "needs a person",
    when: "a workspace's own file defines the MCP server, and the user has not trusted that definition",
  },
  "mcp.ask": {
    exit: "needs a person",
    when: "a tool of an untrusted MCP server that does not declare itself read-only was not approved",
  },
  "mcp.input": {
    exit: "needs a person",
    when: "an MCP server asks for input that this client cannot give",
  },
  "mcp.offline": {
    exit: "refused",
    when: "an MCP server is reached by URL, and --offline was given",
  },
  "mcp.start": { exit: "unavailable", when: "the program of an MCP server could not be started" },
  "mcp.unavailable": {
    exit: "unavailable",
    when: "an MCP server cannot be reached, has ended, or does not keep to the protocol",
  },
  "mcp.too_large": { exit: "failed", when: "an MCP server sent more than is taken from one" },
  "mcp.timeout": {
    exit: "time limit",
    when: "an MCP server did not connect or answer in time",
  },
  "mcp.answer": { exit: "failed", when: "an MCP server answered a request with an error" },
  "mcp.tool": { exit: "failed", when: "a tool of an MCP server says that it failed" },
  "task.unknown": {
    exit: "not found",
    when: "no background task of this session has that id; a process's number is none",
    hint: "`atomic tasks` lists those of a session.",
  },
  "task.foreign": {
    exit: "refused",
    when: "the background task belongs to another session",
    hint: "On the command line, --session names the session.",
  },
  "task.unavailable": {
    exit: "unavailable",
    when: "a background task's folder or supervisor could not be made",
  },
  "output.failed": {
    exit: "failed",
    when: "the answer could not be written to standard output; the call itself was carried out",
  },
  aborted: { exit: "interrupted", when: "the call was cancelled before it was done" },
  internal: {
    exit: "failed",
    when: "a fault of atomic itself",
    hint: "Set ATOMIC_DEBUG=1 to see where, and report it.",
  },
});

export type ErrorCode = keyof typeof errors;

export interface ErrorOptionsOf extends ErrorOptions {
  /** Facts a program may want, such as `{ path, line }`; part of the JSON details. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Replaces the table's hint. */
  readonly hint?: string;
  /** What the command line prints on standard output all the same, for a program to take up. */
  readonly output?: string;
}

/** A failure with an identity. Its message stands by itself: what was attempted, what was found, what to do. */
export class AtomicError extends Error {
  override readonly name = "AtomicError";
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hint: string | undefined;
  readonly output: string;
  constructor(code: ErrorCode, message: string, options: ErrorOptionsOf = {}) {
    super(message, options);
    this.code = code;
    this.data = options.data ?? {};
    this.hint = options.hint ?? errors[code as ErrorCode].hint;
    this.output = options.output ?? "";
  }

  /** The exit status of the command line. */
  get status(): number {
    return exitStatus[errors[this.code].exit];
  }
}

/** The seed's text for a cancelled call. */
export function aborted(cause?: unknown): AtomicError {
  return new AtomicError("aborted", "Operation aborted", { cause });
}

/** Any thrown value as one of ours: what is foreign becomes `internal`, with its message and cause kept. */
export function asAtomicError(thrown: unknown): AtomicError {
  if (thrown instanceof AtomicError) return thrown;
  if (thrown instanceof DOMException && thrown.name === "AbortError") return aborted(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AtomicError("internal", `Internal error: ${message}`, { cause: thrown });
}
