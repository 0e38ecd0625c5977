export const commandRules = `COMMAND RULES
  What bash and powershell refuse, ask about, hand over or expand before a
  command runs. A command is read as a shell would read it: quotes, escapes,
  variables that it sets, substitutions, here-documents, pipes into a shell,
  what sudo, env, xargs, find -exec and the like run, scripts that it names or
  writes, and calls in Python, Perl, Ruby, Node, PHP and awk that start a
  program. What is only a word, as in echo 'rm -rf /', is none.

NEVER
  Whatever the configuration, these are refused (status 5, policy.command):
    remove-system   remove or move /, a system folder or the home folder
    overwrite-disk  write over a disk
    fork-bomb       a function that multiplies itself
    power-off       stop the machine
    kill-all        end every process
    open-system     change permissions of a system folder with all in it

POLICY
  Off unless the user's config.json has the key "commandPolicy":

    { "commandPolicy": { "deny": ["^curl\\\\b"], "ask": ["^git push\\\\b"] } }

  Regular expressions, held against each program with its arguments (quotes
  gone), the same with the program's bare name, and the text as it stands.
  In this order:
    1. never, as above
    2. "deny": refused, status 5; the message names the pattern
    3. a person is asked each time; where there is none, status 6:
         "ask"         what matches one of these
         outside       writes through gh, gcloud and gws, and printing tokens
         own-settings  touching the settings or the state of atomic
         unreadable    what cannot be read ahead, such as curl ... | sh
    4. everything else runs
  Files of trusted workspaces can add patterns, never take any away. In a
  script, what only its run decides is passed.

INTERCEPTOR
  Off unless "bashInterceptor": { "enabled": true }. Then a command is refused
  (status 5, bash.intercepted) where a tool does the same and can be called:
  cat, head, tail, less, more (read); grep, rg, ag, ack (search); find, fd,
  locate (find); sed -i, perl -i, gawk -i inplace (edit); echo, printf and
  cat << with a redirection (write). Each command of a list or pipeline counts;
  one that reads a pipe (| head), one in a substitution, and what the tool
  cannot do (tail -f, find -exec) does not.
  Own rules: "rules": [{ "pattern": "npm ", "tool": "bash", "message": "..." }],
  the pattern held against each command from its start.

HANDLERS
  With the interceptor on, "bashHandlers": [{ "command": ["prog"] }] are asked
  in turn, unless one takes longer than "timeout" seconds (60). Each gets one
  JSON object on standard input: the tool's input, and "tool", "cwd", "whole"
  (the command as it would run) and, where it begins with cd, "inFolder"
  {command, cwd}. It answers {"pass": true}, or nothing, or
  {"result": {"output": "...", "exitCode": 0}}. One that fails stops the call.

PREFIX
  "shellCommandPrefix", in the user's own file only, stands before every bash
  command, on a line of its own. It is shell text, and judged with the command.

INTERNAL URLS
  local://, skill:// and artifact:// that name something that is there become
  its quoted path, in a command of plain words, blanks and ; | & only. With
  quotes, substitutions, escapes, new lines, redirections, brackets or comments
  beside one, the command is refused (status 2). In --cwd and --env they always
  stand for the path.

WHAT THIS CANNOT PROMISE
  Rules judge words, not deeds. They keep an honest agent from a mistake and
  make many tricks fail, but they are no sandbox. Not seen: what a program does
  by itself (make, npm run, a compiler, a test, a binary), text that is put
  together while it runs, a script that is changed after it was read, a program
  that was given another name, what runs later (cron), languages not listed, and
  in PowerShell anything beyond its words. Where that matters, run atomic as a
  user with fewer rights, or in a container.`;
