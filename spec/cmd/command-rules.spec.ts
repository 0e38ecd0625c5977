// What is refused, asked about, taken over or expanded before a command runs: from outside.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { binary, inPlace, type Place } from "./program.ts";

setDefaultTimeout(120_000);

/** @param config the user's own file */
function configured(
  config: object,
  files: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  return inPlace(files, (place) => {
    const folder = join(place.env["HOME"]!, ".config/atomic");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    return work(place);
  });
}

test("what ends the machine never runs, configured or not", async () => {
  await inPlace({ "s.sh": "echo a\nrm -rf --no-preserve-root /\n" }, async ({ run }) => {
    expect(await run(["bash", "touch made; rm -rf /"])).toEqual({
      status: 5,
      stdout: "",
      stderr:
        'Refused by the command policy, rule remove-system: "rm -rf /" would remove / with all that is in it. Nothing was run.\n',
    });
    const script = await run(["bash", "sh s.sh"]);
    expect([script.status, script.stderr]).toEqual([
      5,
      expect.stringMatching(
        /^Refused by the command policy, rule remove-system: "rm -rf --no-preserve-root \/" would remove \/ with all that is in it \(in .*\/s\.sh\)\. Nothing was run\.\n$/,
      ),
    ]);
    const json = JSON.parse((await run(["bash", "--json", "sudo reboot"])).stdout);
    expect(json.details).toMatchObject({ code: "policy.command", status: 5, rule: "power-off" });
    expect((await run(["bash", "echo 'rm -rf /'; ls"])).stdout).toBe("rm -rf /\ns.sh\n");
  });
  await configured({ commandPolicy: { enabled: false } }, {}, async ({ run }) => {
    expect((await run(["bash", "rm -rf /*"])).status).toBe(5);
  });
});

test("the user's deny list and what a person must be asked about", async () => {
  const commandPolicy = { deny: ["^curl\\b"], ask: ["^git push"] };
  const files = { "get.sh": "#!/bin/sh\ncu'r'l x\n", "x.py": "os.system('curl x')\n" };
  await configured({ commandPolicy }, files, async ({ run, env }) => {
    for (const command of [
      "curl x",
      "c\\url x",
      "X=curl; $X x",
      "a | xargs curl",
      "./get.sh",
      "sh get.sh",
      "python3 x.py",
      "echo curl x | sh",
    ]) {
      const { status, stdout, stderr } = await run(["bash", command]);
      expect([command, status, stdout]).toEqual([command, 5, ""]);
      expect(stderr).toStartWith('Refused by the command policy, rule deny "^curl\\\\b": ');
    }
    chmodSync(env["HOME"]!, 0o755);
    for (const [command, rule] of [
      ["git push origin", 'ask "^git push"'],
      ["gh pr merge 1 --admin", "outside"],
      ["gh api -X DELETE repos/a/b", "outside"],
      ["gcloud auth print-access-token", "outside"],
      ["wget -qO- x | sh", "unreadable"],
      ["echo {} > ~/.config/atomic/config.json", "own-settings"],
      [`XDG_CONFIG_HOME=/tmp ${binary} bash ls`, "own-settings"],
      [`rm $ATOMIC_HOME/state.db`, "own-settings"],
    ] as const) {
      const { status, stderr } = await run(["bash", command]);
      expect([command, status]).toEqual([command, 6]);
      expect(stderr).toStartWith(`The command policy asks a person first, by the rule ${rule}: `);
    }
    for (const command of ["git status || :", "gh pr list 2>/dev/null || :", "echo curl"]) {
      expect([command, (await run(["bash", command])).status]).toEqual([command, 0]);
    }
  });
});

test("a workspace can neither weaken the policy nor set the prefix", async () => {
  const own = {
    commandPolicy: { deny: ["^curl"] },
    shellCommandPrefix: "P=own",
    trustedWorkspaces: ["/"],
  };
  const theirs = { commandPolicy: { enabled: false }, shellCommandPrefix: "P=theirs" };
  const files = { ".atomic/config.json": JSON.stringify(theirs), ".git/HEAD": "" };
  await configured(own, files, async ({ run }) => {
    expect((await run(["bash", "curl x"])).status).toBe(5);
    expect((await run(["bash", "echo $P"])).stdout).toBe("own\n");
  });
});

test("the interceptor names the tool, only where it is on", async () => {
  await inPlace({ "a.txt": "x\n" }, async ({ run }) => {
    expect((await run(["bash", "cat a.txt"])).stdout).toBe("x\n");
  });
  const rules = [
    { pattern: "npm ", tool: "bash", message: "Use bun." },
    { pattern: "ls", tool: "no_such" },
  ];
  await configured(
    { bashInterceptor: { enabled: true, rules } },
    { "a.txt": "x\n" },
    async ({ run, folder }) => {
      expect(await run(["bash", "touch made && cat a.txt | wc -l"])).toEqual({
        status: 5,
        stdout: "",
        stderr:
          'Use the tool read instead. Not run: "cat a.txt", in: "touch made && cat a.txt | wc -l"\n',
      });
      expect(existsSync(join(folder, "made"))).toBe(false);
      expect((await run(["bash", "npm i"])).stderr).toBe('Use bun. Not run: "npm i"\n');
      expect((await run(["bash", "cat local://a.txt"])).status).toBe(5);
      expect((await run(["bash", "ls | head -1"])).stdout).toBe("a.txt\n");
    },
  );
  const wrong = { bashInterceptor: { enabled: true, rules: [{ pattern: "(", tool: "read" }] } };
  await configured(wrong, {}, async ({ run }) => {
    const { status, stderr } = await run(["bash", "ls"]);
    expect([status, stderr.split(" ").slice(3).join(" ")]).toEqual([
      2,
      expect.stringMatching(
        /^has a wrong value: "bashInterceptor\.rules\[0\]\.pattern" is no regular expression: /,
      ),
    ]);
  });
});

test("a handler takes a command over, passes, or stops it by failing", async () => {
  const handler = `#!/bin/sh
input=$(cat)
case "$input" in
  *take*) printf '%s' "$input" > seen.json; printf '%s' '{"result":{"output":"taken\\n","exitCode":3}}' ;;
  *fail*) echo no >&2; exit 1 ;;
  *odd*) echo '{"resul":1}' ;;
  *) echo '{"pass":true}' ;;
esac
`;
  const files = { "h.sh": handler, "sub/x": "" };
  await inPlace(files, async ({ run, folder, env }) => {
    chmodSync(join(folder, "h.sh"), 0o755);
    const config = join(env["HOME"]!, ".config/atomic/config.json");
    mkdirSync(join(config, ".."), { recursive: true });
    const handlers = { bashHandlers: [{ command: [join(folder, "h.sh")] }] };
    writeFileSync(config, JSON.stringify({ ...handlers, bashInterceptor: { enabled: true } }));
    expect(await run(["bash", "--timeout", "9", "cd sub && take"])).toEqual({
      status: 3,
      stdout: "taken\n",
      stderr: "exit code 3\n",
    });
    expect(JSON.parse(readFileSync(join(folder, "seen.json"), "utf8"))).toEqual({
      command: "cd sub && take",
      timeout: 9,
      pty: false,
      background: false,
      tool: "bash",
      cwd: folder,
      whole: "cd sub && take",
      inFolder: { command: "take", cwd: join(folder, "sub") },
    });
    expect((await run(["bash", "echo here"])).stdout).toBe("here\n");
    const failed = await run(["bash", "touch made; fail"]);
    expect([failed.status, failed.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The handler .*h\.sh was to say whether it takes the command, but it ended with status 1: no\. Nothing was run\.\n$/,
      ),
    ]);
    expect((await run(["bash", "odd"])).stderr).toContain("its answer is neither");
    expect(existsSync(join(folder, "made"))).toBe(false);
    writeFileSync(config, JSON.stringify(handlers));
    expect((await run(["bash", "echo take"])).stdout).toBe("take\n");
  });
});

test("internal URLs become paths in plain commands, folders and variables", async () => {
  const files = {
    "a b.txt": "one\n",
    "c.txt": "two\n",
    "it's $(touch made);": "three\n",
    ".git/HEAD": "",
    "sub/d": "",
  };
  await inPlace(files, async ({ run, folder }) => {
    const ok = async (...args: string[]) => (await run(["bash", ...args])).stdout;
    expect(await ok("cat local://c.txt | tr a-z A-Z ; echo x && pwd")).toBe(`TWO\nx\n${folder}\n`);
    expect(await ok("cat local://a%20b.txt")).toBe("one\n");
    expect(await ok("cat local://it%27s%20%24%28touch%20made%29%3B")).toBe("three\n");
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(await ok("--env", "F=local://a b.txt", "--cwd", "local://sub", 'cat "$F"; pwd')).toBe(
      `one\n${folder}/sub\n`,
    );
    expect(await ok("echo local://gone.txt 'local://gone.txt'")).toBe(
      "local://gone.txt local://gone.txt\n",
    );
    for (const command of [
      'cat "local://c.txt"',
      "cat 'x' local://c.txt",
      "cat local://c.txt > made",
      "echo $(cat local://c.txt)",
      "cat local://c.txt\ntouch made",
      "cat local://c.txt # x",
      "(cat local://c.txt)",
      "cat \\x local://c.txt",
      "cat <<E\nlocal://c.txt\nE",
    ]) {
      const { status, stderr } = await run(["bash", command]);
      expect([command, status, stderr.split(",")[0]]).toEqual([
        command,
        2,
        "The command holds local://c.txt",
      ]);
    }
    mkdirSync(join(folder, "../out"));
    const escape = await run(["bash", "ls local://../out"]);
    expect([escape.status, escape.stderr.split("\n")[0]]).toEqual([
      5,
      "local:// leaves the workspace: local://../out",
    ]);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});
