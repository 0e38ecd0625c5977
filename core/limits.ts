// Every number a user can run into, in one place. Bytes unless the name says otherwise.

const KiB = 1024;
const MiB = 1024 * KiB;
const DAY = 24 * 60 * 60 * 1000;

export const limits = {
  /** Rows of a text read (seed 000, "Documents and URLs"). */
  readLines: 3_000,
  readBytes: 50 * KiB,
  /** Context rows around a bounded range (seed 000, "Lines and local resources"). */
  contextBefore: 1,
  contextAfter: 3,
  /** Larger files are shown without a tag and cannot be edited (tools.md §14.3). */
  editableFile: 64 * MiB,
  /** The most that is read into memory at all. */
  readableFile: 1024 * MiB,
  /** A NUL in this many leading bytes makes a file binary (tools.md §3.10). */
  binaryProbe: 8 * KiB,
  /** Entries shown of the folder that is read, and of each one in it (tools.md §3.4). */
  directoryRoot: 500,
  directoryChildren: 12,
  /** Entries of one folder that are looked at for their age, and milliseconds after which no further folder is listed. */
  directoryScan: 20_000,
  directoryTime: 5_000,
  /** A file of ignore rules, or of git's configuration, is read up to here. */
  ignoreFile: 4 * MiB,
  /** Paths that one find answers with, and how long it may take, in milliseconds (seed 000, "Finding paths"). */
  findResults: 200,
  findMost: 1_000_000,
  findTime: 5_000,
  /** Bytes of one find's text where it is not written as it comes. */
  findBytes: 50 * KiB,
  /** What a member of an archive may hold, packed or unpacked (tools.md §5). */
  archiveMember: 64 * MiB,
  /** What a compressed archive may unpack to, where it can only be unpacked from its front. */
  archiveUnpacked: 256 * MiB,
  archiveEntries: 100_000,
  /** Bytes of a zip's directory. */
  archiveDirectory: 64 * MiB,
  /** Bytes of the long names and attributes of one tar member. */
  archiveHeader: MiB,
  /** Entries shown of one folder of an archive, similar names that a message offers, links that are followed inside. */
  archiveListing: 500,
  archiveSimilar: 5,
  archiveLinks: 40,
  /** Bytes of what a symbolic link leads to. */
  archiveLinkTarget: 4 * KiB,
  /** Files of one page of a search, hits shown of one of several files and of a single one (seed 000, "Searching contents"). */
  searchFiles: 20,
  searchFileHits: 20,
  searchSingleHits: 200,
  /** Paths of one page where only paths or counts are shown (seed 004, "find_files"). */
  searchPaths: 50,
  searchMostFiles: 10_000,
  /** Hits after which an answer advises to narrow the search (tools.md §7.4). */
  searchCollection: 2_000,
  searchBytes: 50 * KiB,
  /** UTF-16 units of a row, and context rows that may be asked for. */
  searchRow: 512,
  searchContext: 100,
  /** Larger files are left out unless named alone. */
  searchedFile: 4 * MiB,
  searchTime: 30_000,
  /** Members of an archive that one search reads, and their bytes in all. */
  searchMembers: 10_000,
  searchMemberBytes: 64 * MiB,
  /** A named file beyond what can be edited is searched in pieces of this size. */
  searchWindow: 8 * MiB,
  /** What is tried first, since lines are seldom that long and memory that was used before is fast. */
  searchFirstWindow: MiB,
  /** Lines one numeric range may name (seed 000, "Limits and caps"). */
  rangeLines: 100_000,
  /** Rows on either side of an anchor in an error (seed 000, "Limits and caps"). */
  anchorContext: 2,
  /** The attempt at which an identical no-op payload becomes an error (seed 000, "No-op edits"). */
  noopAttempts: 3,
  noopMemory: 60 * 60 * 1000,
  /** Rows of an edit's preview (hashline.md decision 21). */
  previewRows: 40,
  previewContext: 2,
  /** Characters of a line in an edit's preview or in an error; what is longer ends in "…". */
  shownLine: 512,
  patchContext: 4,
  /** Unchanged snapshot lines that must surround a recovered hunk (hashline.md decision 9). */
  recoveryContext: 3,
  /** What the session store keeps: compressed contents, and their age since last use. */
  storeBytes: 512 * MiB,
  storeAge: 30 * DAY,
  /** How long the mere names of forgotten tags are kept, so that they are called expired and not unknown. */
  expiredTagAge: 180 * DAY,
  /** How far the recorded last use may lag behind, so that reading a known file again writes nothing. */
  storeTouch: 10 * 60 * 1000,
  /** The most contents that one write drops to get below the limits, and records it looks over for age. */
  storeEvictions: 512,
  storeSweep: 32,
  /** A session's newest changes of a path that a stale edit may be carried over. */
  ownEdits: 4_096,
  /** How long looking for conflicts below a folder may take, in milliseconds, and the largest file that is looked at. */
  conflictScanTime: 10_000,
  conflictScanFile: 4 * MiB,
  /** Characters of a line that a FILE_MUTATION_CONFLICT quotes. */
  conflictExcerpt: 120,
  /** Where a generated file says that it is one: within so many bytes and lines (seed 003). */
  generatedBytes: 1_024,
  generatedLines: 40,
  sessionId: 128,
  /** How long finding one file's blocks may take, in milliseconds, before they are refused (hashline.md §9). */
  blockTime: 4_000,
  /** Staged files this old belong to no live edit; an edit in their folder removes them. */
  stagedFileAge: 15 * 60 * 1000,
  /** Bytes of one MCP message. */
  mcpMessage: 128 * MiB,
  /** Calls of one connection that are not answered yet. */
  mcpCalls: 1_000,
  /** Messages of one batch. */
  mcpBatch: 100,
  /**
   * Over MCP, in milliseconds: after which a call that is no command is stopped, since clients wait for 60 s; that it has to
   * stop in; and that what runs has to end in when the connection does.
   */
  mcpCallTime: 45_000,
  mcpCancelTime: 3_000,
  mcpFarewell: 10_000,
  /** How long a client may take to name its roots, in milliseconds. */
  mcpRootsTime: 5_000,
  /** Over HTTP: sessions at a time, and how long one is unused, in milliseconds, that makes room for another. */
  mcpSessions: 32,
  mcpSessionIdle: 10 * 60 * 1000,
  /** Characters of a bearer token, at least. */
  mcpToken: 16,
  /** Bytes of a line of diagnostics that is passed on. */
  mcpDiagnostic: 64 * KiB,
  configFile: MiB,
  /** How long a formatter or a language server may take after a write, in milliseconds (seed 003, "Limits"). */
  helperTime: 5_000,
  /** What is kept of a helper's error output, in characters. */
  helperErrors: 4_096,
  /** The header and the body of one message of a language server. */
  lspHeader: 4 * KiB,
  lspMessage: 64 * MiB,
  /** Answers that a server may leave unread. */
  lspReplies: 1_024,
  /** A server that publishes in parts has said all once it is quiet for so long, in milliseconds: at least, at most. */
  lspQuiet: 400,
  lspLongQuiet: 2_000,
  lspRetry: 100,
  /** How long a server may take to end in good order, in milliseconds. */
  lspFarewell: 500,
  /** Formatters that run at the same time. */
  helpersAtOnce: 4,
  /** Of a file's start, where its first line may say what it is. */
  firstLine: 256,
  /** Diagnostics that one answer shows. */
  diagnosticRows: 100,
  /** Of a database (seed 000, "SQLite limits and writes"): tables in a list, rows of a sample, of a read and of a query. */
  sqliteTables: 500,
  sqliteSample: 5,
  sqliteSampleMost: 100,
  sqliteRows: 20,
  sqliteRowsMost: 500,
  sqliteQueryRows: 1_000,
  /** Rows that a count looks at before it says "50000+". */
  /** Rows of a table that one search looks at. */
  sqliteScan: 1_000,
  sqliteProbe: 50_001,
  /** Bytes of a BLOB that are shown, of a value that is loaded at all, and of one answer. */
  sqliteBlob: 64,
  sqliteValue: 16 * MiB,
  sqliteOutput: 16 * MiB,
  /** Milliseconds that one statement waits for another connection (seed 003), and that a query may take. */
  sqliteBusy: 3_000,
  sqliteTime: 5_000,
  /** Seconds of processor time after which a query ends though nobody is left to end it. */
  sqliteCpu: 8,
  /** Below this every whole number is exact as a double. */
  exactNumber: 2 ** 53,
  /** Seconds that a command may take (seed 000, "bash"): unless it says so itself, and at most. */
  bashTimeout: 300,
  bashTimeoutMost: 3_600,
  /** The end of a command's output that is shown. */
  bashLines: 3_000,
  bashBytes: 50 * KiB,
  /** Raw output that waits in memory until it is known whether a log is needed. */
  bashReplay: 256 * KiB,
  /** After the shell's exit, a pipe that others hold open is left once it is quiet for so long, at most: milliseconds. */
  bashQuiet: 100,
  bashDrain: 1_000,
  /** Milliseconds between SIGTERM and SIGKILL, and for how long SIGKILL is repeated for what is started anew. */
  killGrace: 2_000,
  killRounds: 3_000,
  /** Processes left running that an answer names. */
  bashLeft: 10,
  /** Bytes of a file that tells of a task, of its log's last line, and of what is kept free for its last words. */
  taskFile: MiB,
  taskLastLine: 256,
  taskReserve: 128 * KiB,
  /** Milliseconds: for a supervisor to come up, to write down the end, and for a kill to wait for it (tools.md §14.4). */
  taskStart: 60_000,
  taskSettle: 10_000,
  killWait: 3_000,
  /** A supervisor that has been asked for so long is taken for dead: milliseconds. */
  killTakeover: 8_000,
  /** Finished tasks that a list shows unless asked for all. */
  taskList: 20,
  /** Seconds after which a command called over MCP becomes a task (issue 7). */
  mcpYield: 45,
  /** Scripts that a command runs are read ahead: characters of one, and how many. */
  policyScript: MiB,
  policyScripts: 200,
  /** How long a handler of commands may take, in milliseconds, and the bytes of its answer. */
  handlerTime: 60_000,
  handlerOutput: 16 * MiB,
  /** The size of the terminal of `pty` (issue 7). */
  ptyColumns: 120,
  ptyRows: 40,
  /** Output that is kept as a file (seed 000, "Persisted tool output"): the most of it, the text from which on it is, its preview. */
  persistedBytes: 64 * MiB,
  persistCharacters: 50_000,
  persistPreview: 2_000,
  /** Kept output goes when its newest file is older; that is looked at so often, for so long after an answer: milliseconds. */
  cleanupAge: 30 * DAY,
  cleanupPause: DAY,
  cleanupTime: 200,
  /** Of an MCP server that we are a client of. Milliseconds: to connect, without a sign of life in a call, for a call at most. */
  mcpConnectTime: 30_000,
  mcpQuietTime: 60_000,
  mcpWholeTime: 600_000,
  /** Milliseconds that a server may take to end once its input has, and to hear that a call was cancelled. */
  mcpParting: 500,
  /** Bytes of one message of a server's, and of all that it sends over one connection. */
  mcpServerMessage: 64 * MiB,
  mcpServerBytes: 256 * MiB,
  /** Lines of a server's that are no message, before it counts as none. */
  mcpServerJunk: 100,
  /** What is kept of a server's error output, in characters. */
  mcpServerErrors: 4_096,
  /** Pages of a list of a server's, and entries of it. */
  mcpPages: 64,
  mcpListed: 5_000,
  /** Characters of a tool's name, and of a description that is kept and that is shown in a search. */
  mcpName: 128,
  mcpDescription: 16 * KiB,
  mcpShownDescription: 1_000,
  /** Characters of an input schema that a search shows, and that is kept. */
  mcpShownSchema: 4 * KiB,
  mcpSchema: 128 * KiB,
  /** What is known of a server's tools counts as old after that many milliseconds, and is forgotten after that many. */
  mcpStale: DAY,
  mcpForgotten: 90 * DAY,
  /** Servers that are asked at the same time. */
  mcpServersAtOnce: 4,
  /** Servers of one file. */
  mcpServers: 500,
  /** Tools that one search gives (seed 004, "tool_search"). */
  toolSearch: 5,
  toolSearchMost: 10,
  /** Questions of one call, options of one question, and the UTF-16 units of their parts (tools.md §13.3). */
  questions: 4,
  questionOptions: 4,
  questionHeader: 16,
  questionLabel: 60,
  questionText: 4_000,
  questionPreview: 16_000,
  /** How long a client may take to answer, in milliseconds. */
  questionTime: 30 * 60 * 1000,
  lockTimeout: 30_000,
  storeBusyTimeout: 30_000,
} as const;
