// Completion scripts from the same tables as help. They are static: only what changes by itself, the ids of tasks, is asked
// of the program.

import type { Flag } from "./args.ts";
import type { Command } from "./command.ts";
import { globalFlags, rootFlags } from "./settings.ts";

export function bashScript(commands: readonly Command[]): string {
  const valued = takesValue([...rootFlags, ...commands.flatMap(({ flags }) => flags)]);
  const cases = commands.map(
    ({ name, flags, operands }) => `    ${name})
      flags=${quote(spellings([...flags, ...globalFlags]).join(" "))}
      operands=${quote(operands.flatMap(({ choices }) => choices ?? []).join(" "))}
      files=${operands.some(({ file }) => file) ? "yes" : ""}
      ask=${quote(operands.find(({ complete }) => complete)?.complete ?? "")}
      ;;`,
  );
  const choices = choiceFlags(commands).map(
    ({ name, choices: values }) =>
      `    --${name}) COMPREPLY=($(compgen -W ${quote(values!.join(" "))} -- "$cur")); return ;;`,
  );
  const asked = askingFlags(commands).map(
    ({ name, complete }) => `    --${name})
      COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" ${complete} 2>/dev/null </dev/null)" -- "$cur"))
      return
      ;;`,
  );
  const files = fileFlags(commands).map(
    ({ name }) => `    --${name})
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;`,
  );
  return `# bash completion for atomic
_atomic() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command= i flags operands files ask IFS=$' \\t\\n'
  COMPREPLY=()
  # "--flag=value" arrives as three words.
  if [[ $cur == "=" ]]; then cur=
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
    ${valued.join("|")}) [[ \${COMP_WORDS[i+1]} == "=" ]] && ((i++)); ((i++)) ;;
    -*) ;;
    *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $prev in
${[...choices, ...asked, ...files].join("\n")}
    ${valued.join("|")}) return ;;
  esac
  case $command in
    "")
      flags=${quote(spellings(rootFlags).join(" "))}
      operands=${quote(commands.map(({ name }) => name).join(" "))}
      files= ask=
      ;;
${cases.join("\n")}
    *) return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    return
  fi
  # What is there now, only the program knows.
  if [[ $ask ]]; then operands+=" $("\${COMP_WORDS[0]}" $ask 2>/dev/null </dev/null)"; fi
  COMPREPLY=($(compgen -W "$operands" -- "$cur"))
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _atomic atomic`;
}

export function zshScript(commands: readonly Command[]): string {
  const cases = commands.map(
    ({ name, flags, operands }) => `        ${name})
          _arguments ${[
            ...[...flags, ...globalFlags].map(zshFlag),
            ...operands.map((operand, at) => {
              const values = operand.choices
                ? `(${operand.choices.join(" ")})`
                : operand.file
                  ? "_files"
                  : operand.complete === undefined
                    ? " "
                    : zshQuestion(operand.complete);
              return quote(`${operand.repeat ? "*" : at + 1}:${operand.name}:${values}`);
            }),
          ].join(" \\\n            ")}
          ;;`,
  );
  return `#compdef atomic
_atomic() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("\n")}
  )
  _arguments -C \\
    ${rootFlags.map(zshFlag).join(" \\\n    ")} \\
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${cases.join("\n")}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _atomic ]]; then _atomic "$@"; else compdef _atomic atomic; fi`;
}

export function fishScript(commands: readonly Command[]): string {
  const lines = ["# fish completion for atomic", "complete -c atomic -f"];
  const names = commands.map(({ name }) => name).join(" ");
  const none = `not __fish_seen_subcommand_from ${names}`;
  for (const { name, summary } of commands) {
    lines.push(`complete -c atomic -n ${quote(none)} -a ${name} -d ${fishQuote(summary)}`);
  }
  for (const flag of globalFlags) lines.push(`complete -c atomic ${fishFlag(flag)}`);
  for (const flag of rootFlags.filter((one) => !globalFlags.includes(one))) {
    lines.push(`complete -c atomic -n ${quote(none)} ${fishFlag(flag)}`);
  }
  for (const { name, flags, operands } of commands) {
    const seen = `complete -c atomic -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    for (const flag of flags) lines.push(`${seen} ${fishFlag(flag)}`);
    for (const { choices, file, complete } of operands) {
      if (complete !== undefined) {
        lines.push(`${seen} -a ${fishQuestion(complete)}`);
      }
      if (file) lines.push(`${seen} -F`);
      if (choices) lines.push(`${seen} -a ${fishQuote(choices.join(" "))}`);
    }
  }
  return lines.join("\n");
}

/** Where nothing is offered, PowerShell offers names of files by itself. */
export function powershellScript(commands: readonly Command[]): string {
  const list = (words: readonly string[]) => `@(${words.map(powershellQuote).join(", ")})`;
  const rows = commands.map(
    ({ name, flags, operands }) =>
      `    ${powershellQuote(name)} = @{ flags = ${list(spellings([...flags, ...globalFlags]))}; operands = ${list(operands.flatMap(({ choices }) => choices ?? []))}; ask = ${powershellQuote(operands.find(({ complete }) => complete)?.complete ?? "")} }`,
  );
  const all = [...rootFlags, ...commands.flatMap(({ flags }) => flags)];
  const choices = new Map(choiceFlags(commands).map((flag) => [flag.name, flag.choices!]));
  const asked = new Map(askingFlags(commands).map((flag) => [flag.name, flag.complete!]));
  return `# PowerShell completion for atomic
Register-ArgumentCompleter -Native -CommandName atomic -ScriptBlock {
  param($word, $ast, $position)
  $commands = @{
${rows.join("\n")}
  }
  $valued = ${list(takesValue(all))}
  $choices = @{
${[...choices].map(([name, values]) => `    ${powershellQuote(`--${name}`)} = ${list(values)}`).join("\n")}
  }
  $asked = @{
${[...asked].map(([name, words]) => `    ${powershellQuote(`--${name}`)} = ${powershellQuote(words)}`).join("\n")}
  }
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  $command = $null
  for ($i = 0; $i -lt $words.Count; $i++) {
    if ($valued -ccontains $words[$i]) { $i++ }
    elseif (-not $words[$i].StartsWith('-')) { $command = $words[$i]; break }
  }
  $previous = if ($words.Count -gt 0) { $words[-1] } else { '' }
  $offered = @()
  if ($choices.ContainsKey($previous)) { $offered = $choices[$previous] }
  elseif ($asked.ContainsKey($previous)) { $offered = @(& atomic $asked[$previous].Split(' ') 2>$null) }
  elseif ($valued -ccontains $previous) { return }
  elseif ($null -eq $command) {
    $offered = if ($word.StartsWith('-')) { ${list(spellings(rootFlags))} } else { ${list(commands.map(({ name }) => name))} }
  }
  elseif ($commands.ContainsKey($command)) {
    $row = $commands[$command]
    if ($word.StartsWith('-')) { $offered = $row.flags }
    else {
      $offered = $row.operands
      if ($row.ask -ne '') { $offered += @(& atomic $row.ask.Split(' ') 2>$null) }
    }
  }
  $offered | Where-Object { $_.StartsWith($word, [StringComparison]::Ordinal) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;
}

/** As they are typed: what is on by default, by what turns it off. */
function spelling({ name, type, default: fallback }: Flag): string {
  return type === "boolean" && fallback === true ? `no-${name}` : name;
}

function spellings(flags: readonly Flag[]): readonly string[] {
  return flags.flatMap((flag) => [
    `--${spelling(flag)}`,
    ...(flag.short === undefined ? [] : [`-${flag.short}`]),
  ]);
}

function takesValue(flags: readonly Flag[]): readonly string[] {
  const valued = flags.filter(({ type }) => type !== "boolean");
  return [...new Set(spellings(valued))];
}

function choiceFlags(commands: readonly Command[]): readonly Flag[] {
  const flags = [...rootFlags, ...commands.flatMap((one) => one.flags)];
  return flags.filter(({ type }) => type === "choice");
}

function fileFlags(commands: readonly Command[]): readonly Flag[] {
  return [...rootFlags, ...commands.flatMap((one) => one.flags)].filter(({ file }) => file);
}

/** Each flag once, by its name. */
function askingFlags(commands: readonly Command[]): readonly Flag[] {
  const flags = [...globalFlags, ...commands.flatMap((one) => one.flags)];
  return flags.filter(({ complete }) => complete !== undefined);
}

function zshFlag(flag: Flag): string {
  const description = flag.description.replace(/[[\]\\:]/g, "\\$&");
  const values =
    flag.type === "choice"
      ? `(${flag.choices!.join(" ")})`
      : flag.file
        ? "_files"
        : flag.complete === undefined
          ? " "
          : zshQuestion(flag.complete);
  const value = flag.type === "boolean" ? "" : `:${flag.placeholder ?? flag.name}:${values}`;
  const many = flag.type === "list" ? "*" : "";
  const long = quote(
    `${many}--${spelling(flag)}${flag.type === "boolean" ? "" : "="}[${description}]${value}`,
  );
  return flag.short === undefined
    ? long
    : `${long} ${quote(`-${flag.short}[${description}]${value}`)}`;
}

function zshQuestion(words: string): string {
  return `{compadd -- ${"$"}{(f)"$(atomic ${words} 2>/dev/null </dev/null)"}}`;
}

function fishQuestion(words: string): string {
  return fishQuote(`(atomic ${words} 2>/dev/null </dev/null)`);
}

function fishFlag(flag: Flag): string {
  const parts = [`-l ${spelling(flag)}`];
  if (flag.short !== undefined) parts.push(`-s ${flag.short}`);
  if (flag.type === "choice") parts.push(`-x -a ${fishQuote(flag.choices!.join(" "))}`);
  else if (flag.file) parts.push("-r -F");
  else if (flag.complete !== undefined) parts.push(`-x -a ${fishQuestion(flag.complete)}`);
  else if (flag.type !== "boolean") parts.push("-x");
  return `${parts.join(" ")} -d ${fishQuote(flag.description)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function powershellQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
