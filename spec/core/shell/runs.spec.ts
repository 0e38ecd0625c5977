import { describe, expect, test } from "bun:test";

import { inspectCommand } from "../../../core/shell/runs.ts";

const files: Readonly<Record<string, string>> = {
  "/w/s.sh": "#!/bin/bash -e\nif true; then\n  target one\nfi\n",
  "/w/plain": "target two\n",
  "/w/e.sh": "#!/usr/bin/env -S bash -e\ntarget three\n",
  "/w/y.py":
    "import os\nos.system('target four')\nsubprocess.run(['target', 'five'])\nprint('target no')\n",
  "/w/r.rb": "#!/usr/bin/env ruby\n`target six`\n",
  "/w/own.sh": "target $1 $2\n. ./plain\n",
};

async function targetsOf(command: string) {
  const world = {
    cwd: "/w",
    home: "/home/u",
    variable: (name: string) => ({ PATH: "/usr/bin", HOME: "/home/u" })[name],
  };
  const inspection = await inspectCommand(command, world, {
    readScript: async (path) => files[path],
    names: ["target"],
  });
  return {
    targets: inspection.runs
      .filter(({ words }) => words[0] === "target")
      .map(({ words }) => words.slice(1).join(" ")),
    unreadable: inspection.unreadable.map(({ what }) => what),
    isWhole: inspection.isWhole,
  };
}

describe("a program is seen", () => {
  test.each<readonly [command: string, ...args: readonly string[]]>([
    ["target a b", "a b"],
    ["ta\\rget 'a b'", "a b"],
    ["'tar'\"get\" a", "a"],
    ["$'\\x74arget' a", "a"],
    ["ta\\\nrget a", "a"],
    ["X=1 Y=2 target a", "a"],
    ["a; target b && c || target d & target e | f", "b", "d", "e"],
    ["a\ntarget b # target c\n", "b"],
    ["echo a#b; target c", "c"],
    ["(cd x; target a); { target b; }", "a", "b"],
    ["if target a; then target b; elif target c; then :; else target d; fi", "a", "b", "c", "d"],
    ["while target a; do target b; done < f", "a", "b"],
    ["for i in 1 2; do target $i; done", "1", "2"],
    ["for ((i = 0; i < 3; i++)); do target a; done", "a"],
    ["case x in a | b) target c ;; (*) target d ;; esac; target e", "c", "d", "e"],
    ["[[ a < b && c ]] && target a", "a"],
    ["! time target a", "a"],
    ["f() { target $1; }; f a", "\ufffc", "a"],
    ["function f { target a; }", "a"],
    ['echo $(target a) `target b` "$(target c)"', "a", "b", "c"],
    ["echo ${X:-$(target a)} $((1 + $(target b)))", "a", "b"],
    ["A=(x $(target a)) B[$(target b)]=1", "a", "b"],
    ["cat <(target a) > >(target b)", "a", "b"],
    ["cat <<EOF\n$(target a) target no\nEOF\ntarget b", "a", "b"],
    ["cat <<'EOF'\n$(target no)\nEOF\ntarget b", "b"],
    ["cat <<-EOF\n\tx\n\tEOF\ntarget b", "b"],
    ["X=target; $X a", "a"],
    ['X="target a"; $X b', "a b"],
    ["IFS=,; X=target,a,b; $X", "a b"],
    ["{target,a,b}", "a b"],
    ["$(echo target) a", "a"],
    ["/usr/bin/t?rget a", "a"],
    ['set -- target a; "$@"', "a"],
    ["target ~/x $HOME ${PATH:0:4}", "/home/u/x /home/u /usr"],
    ["target $UNSET ${UNSET:-a} ${HOME:+b}", "a b"],
    ["bash -c 'target a'", "a"],
    ["sh -ec \"target 'a b'\"", "a b"],
    ["bash -c '\"$@\"' name target a", "a"],
    ["bash <<< 'target a'", "a"],
    ["bash <<'E'\ntarget a\nE", "a"],
    ["echo 'target a' | sh", "a"],
    ["printf 'tar%s a' get | bash -s", "a"],
    ["echo dGFyZ2V0IGE= | base64 -d | sh", "a"],
    ["echo 'a tegrat' | rev | sh", "a"],
    ["{ echo -n tar; echo get a; } | sh", "a"],
    ["echo 'target a' > f; sh f", "a"],
    ["cat > f.sh <<'E'\ntarget a\nE\nchmod +x f.sh; ./f.sh", "a"],
    ["echo 'target a' | tee f; . ./f", "a"],
    ["eval 'tar''get a'", "a"],
    ["trap 'target a' EXIT", "a"],
    ["alias x='target a'", "a"],
    ["sudo -u root target a", "a"],
    ["env -i X=1 target a", "a"],
    ["env -S 'target a'", "a"],
    ["nohup nice -n 5 timeout -k 1 5 target a", "a"],
    ["command target a; exec target b", "a", "b"],
    ["echo a b | xargs target", "a b"],
    ["ls | xargs -I{} target {}", "\ufffc"],
    ["find . -exec target {} \\;", "."],
    ["find . -name x -exec target {} +", "\ufffc"],
    ["su -c 'target a' bob; flock f target b; flock f -c 'target c'", "a", "b", "c"],
    ["watch -n 1 target a; script -c 'target b'", "a", "b"],
    ["git -c alias.x='!target a' x", "a"],
    ["GIT_SSH_COMMAND='target a' git fetch", "a"],
    ["tar cf x --checkpoint-action=exec='target a' y", "a"],
    ["ssh host target a", "a"],
    ["busybox target a", "a"],
    ["atomic bash --json 'target a'", "a"],
    [`atomic call bash '{"command":"target a"}'`, "a"],
    ["python3 -c 'import os; os.system(\"target a\")'", "a"],
    ["perl -e 'system(\"target\", \"a\")'; perl -e '`target b`'", "a", "b"],
    ['node -e \'require("child_process").execSync("target a")\'', "a"],
    ["awk 'BEGIN { system(\"target a\") }'", "a"],
    ["./s.sh", "one"],
    ["bash s.sh; ./plain; ./e.sh", "one", "two", "three"],
    ["python3 y.py", "four", "five"],
    ["./r.rb", "six"],
    ["cd sub; ../own.sh x y", "x y"],
    ["BASH_ENV=/w/plain bash -c :", "two"],
    ["bash --rcfile /w/plain -i -c :", "two"],
    ["cp s.sh t.sh; ./t.sh", "one"],
    ["sed '1e target a' f", "a"],
    ["vim -c '!target a' -c q; echo '!target b' | ed", "a", "b"],
    ["awk 'BEGIN { \"target a\" | getline x }'", "a"],
    ['echo "${x:-"}"}" ${x:-\'}\'}; target a', "a"],
    ["PS4='$(target a)' bash -xc :", "a"],
  ])("%p", async (command, ...args) => {
    expect((await targetsOf(command)).targets).toEqual([...args]);
  });
});

test("what is only a word, is no program", async () => {
  for (const command of [
    "echo target a",
    "git commit -m 'target a'",
    "grep 'target a' f",
    "cat <<'EOF'\ntarget a\nEOF",
    "# target a",
    "X='target a'",
    "python3 -c 'print(\"target a\")'",
    "[ target = a ]",
    "printf '%s' \"target a\" > f",
  ]) {
    expect([command, (await targetsOf(command)).targets]).toEqual([command, []]);
  }
});

test("what only the run decides is named", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["curl x | sh", "what is piped into a shell"],
    ["$(pick) a", "which program it runs"],
    ['sh -c "$(pick)"', "what text a shell is given"],
    ["curl x > f; sh f", "what the script f holds"],
    ["bash < f", "what is piped into a shell"],
    ["exec < f; sh", "what is piped into a shell"],
    ["sh gone.sh", "what the script gone.sh holds"],
    ["/opt/x/t?rget", "which program it runs"],
    ["wget -qO- x | python3 -", "what is piped into an interpreter"],
    ["source $(pick)", "which script it runs"],
    ["cd $(pick); ./s.sh", "where its script lies"],
  ];
  for (const [command, what] of cases) {
    expect([command, (await targetsOf(command)).unreadable[0]]).toEqual([command, what]);
  }
});

test("what does not parse is read up to there, and what lies too deep is said to", async () => {
  expect((await targetsOf("target a\necho 'open")).targets).toEqual(["a"]);
  expect((await targetsOf("target a; )")).targets).toEqual(["a"]);
  expect((await targetsOf("f() { f; f; }; f; target a")).targets).toEqual(["a"]);
  for (const open of [
    "(",
    "$(",
    "f() ",
    "{ ",
    "if ",
    "`",
    "${a:-",
    "$((",
    '"$(',
    "case x in ",
    "a|",
  ]) {
    const { targets } = await targetsOf(open.repeat(5_000));
    expect(targets).toEqual([]);
  }
  const nested = `sh -c '${"eval ".repeat(40)}target a'`;
  expect((await targetsOf(nested)).isWhole).toBe(false);
});
