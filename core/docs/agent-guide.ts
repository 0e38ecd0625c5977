// What an agent should know of atomic, in the three forms that agents read: a guide, a skill, a few lines for AGENTS.md. The
// tools come from the registry; spec/cmd/agent-guide.spec.ts holds every command and flag that is named here to the real ones.

import { exitStatus } from "../errors.ts";
import { registry } from "../registry.ts";

/** The compact guide: under 1,500 tokens. */
export function agentGuide(): string {
  const tools = registry.map(({ name, summary }) => `- ${commandOf(name)}: ${summary}`);
  return `# atomic for agents

Tools to read, search, change and run, made so that nothing is written to the wrong line. Output is plain text; \`--json\` gives {"text", "details", "isError"}.

${tools.join("\n")}

## Read and edit

\`\`\`sh
atomic read src/a.ts:40-80     # [src/a.ts#0A3B], then numbered lines
atomic edit <<'EOF'
[src/a.ts#0A3B]
replace 52..53:
+  const x = 1;
insert after 60:
+// new line
delete 70..71
EOF
\`\`\`

- The header [path#TAG] is that of your latest read, search or edit of the file. Never invent one. Line numbers are as of that header and do not shift within one script.
- Every row of a body begins with "+". Rows are new text only, with their indentation.
- Each edit answers with a fresh header and the lines around the change: use it for the next edit instead of reading again.
- \`replace block N:\`, \`delete block N\` and \`insert after block N:\` take a whole function or class by its first line. Several files may stand in one script: all are written, or none.
- Ask for the lines that you need (\`a.ts:40-80\`) rather than whole files; \`a.ts:raw\` gives exact bytes.
- \`atomic write PATH\` is for new files, with the content on standard input; over an existing file only after reading it. \`atomic undo\` takes the latest change back.
- \`atomic search 'regex' src\` shows hits under headers that edits take; \`atomic find 'src/**/*.ts'\` lists paths.

## Run

- \`atomic bash 'npm test'\` ends with the command's own status; long output is kept in a file that is named. \`--background\` prints an id: \`atomic tasks ID\` shows its output, \`atomic kill ID\` ends it.

## When something is refused

A refusal says what was wrong and what to do next; nothing was written then. Status ${exitStatus.usage}: the command line, input or script is wrong. ${exitStatus.conflict}: stale tag or someone else's change, so read again. ${exitStatus["not found"]}: not found. ${exitStatus.refused}: refused by policy, so do not look for a way around it. ${exitStatus["needs a person"]}: needs a person.

## Asking the user

- All questions to the user go through ask_user_question (\`atomic ask-user-question\`), not plain text: clarifications, preferences, confirmations, approvals, permission to proceed.
- Ask only when a decision is needed. Do not ask again for work that is already authorized. Group related questions in one call: one to four, with two to four options each.
- For a confirmation, name the concrete action and its scope in the question, and offer explicit options to proceed and to decline.
- A cancelled or unanswered question is not approval. Where nobody can be asked (status ${exitStatus["needs a person"]}), go on with the safest reading and state the assumption; that is no approval either.

More: \`atomic help hashline\`, \`atomic help selectors\`, \`atomic help exit-codes\`, \`atomic COMMAND --help\`.`;
}

/** A section for AGENTS.md. */
export function agentsMd(): string {
  return `## atomic

Use the \`atomic\` command line for files; \`atomic help --agent\` explains it in one page.

- \`atomic read PATH:A-B\` shows numbered lines under a header [path#TAG]; \`atomic edit\` takes that header with \`replace N..M:\`, \`insert after N:\` or \`delete N..M\`. Use the fresh header of each answer for the next edit.
- \`atomic search PATTERN PATH\` and \`atomic find GLOB\` instead of grep and find; \`atomic bash COMMAND\` for commands.
- What is refused was not written: do what the message says. Status ${exitStatus.conflict} means stale, so read again.
- Questions to the user go through \`atomic ask-user-question\`. What is cancelled or not answered is not approved.`;
}

/** The text of the skill's SKILL.md (agentskills.io), without the mark that tells our own text from a changed one. */
export function skillText(): { readonly front: readonly string[]; readonly body: string } {
  return {
    front: [
      "name: atomic",
      "description: Read, search, edit and write files and run commands with the atomic command line. Use it for every change to files, above all for several edits in one file, large files, archives, notebooks, SQLite databases or merge conflicts, and to ask the user a question.",
    ],
    body: agentGuide(),
  };
}

function commandOf(tool: string): string {
  return `\`atomic ${tool.replaceAll("_", "-")}\``;
}
