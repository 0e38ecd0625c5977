import { expect, test } from "bun:test";

import { hardlineOf, hardPrograms } from "../../../core/shell/hardline.ts";
import { inspectCommand } from "../../../core/shell/runs.ts";

async function ruleFor(command: string): Promise<string | undefined> {
  const world = {
    cwd: "/w",
    home: "/home/u",
    variable: (name: string) => ({ PATH: "/usr/bin", HOME: "/home/u" })[name],
  };
  const { runs } = await inspectCommand(command, world, { names: hardPrograms });
  return runs.map(hardlineOf).find((found) => found !== undefined)?.rule;
}

test("each rule has its name", async () => {
  const names = Object.fromEntries(
    await Promise.all(
      ["rm -rf /", "dd of=/dev/sda", ":(){ :|:& };:", "reboot", "kill -9 -1", "chmod -R 777 /"].map(
        async (command) => [command, await ruleFor(command)] as const,
      ),
    ),
  );
  expect(names).toEqual({
    "rm -rf /": "remove-system",
    "dd of=/dev/sda": "overwrite-disk",
    ":(){ :|:& };:": "fork-bomb",
    reboot: "power-off",
    "kill -9 -1": "kill-all",
    "chmod -R 777 /": "open-system",
  });
});

test.each([
  "rm -rf /",
  "rm -rf /*",
  "rm -r -f ~",
  "rm -rf ~/",
  "rm -rf $HOME/*",
  "rm --recursive --force /etc",
  "rm -rf /usr/../etc/",
  "cd / && rm -rf *",
  "cd / ; rm -rf .",
  "rm -rf /home/u/.",
  "rm -rf /e?c",
  "rm -rf //",
  "find / -delete",
  "find ~ -type f -delete; find / -xdev -delete",
  "find / -exec rm -rf {} +",
  "dd if=/dev/zero of=/dev/sda bs=1M",
  "mkfs.ext4 /dev/sda1",
  "cat x > /dev/nvme0n1",
  "echo x | sudo tee /dev/sdb",
  ":(){ :|:& };:",
  "b(){ b|b& }; b",
  "shutdown -h now",
  "sudo reboot",
  "systemctl poweroff",
  "init 0",
  "kill -9 -1",
  "kill -- -1",
  "kill -s KILL -1",
  "chmod -R 777 /",
  "chown -R me:me /usr",
  "mv / /x",
  "rsync -a --delete e/ /",
  "rm -rf /bin /x",
  "echo b | xargs -I{} rm -rf /",
  "wipefs -a /dev/sda",
  "rm -rf /{etc,usr}",
  "rm -rf --no-preserve-root /",
  "unshare rm -rf /",
  "X=/; rm -rf $X",
  'rm -rf "${NOPE}/"',
  "rm -rf $NOPE/*",
  "bash -c \"sh -c 'rm -rf /'\"",
  "rm -fr -- /",
  "shred -n1 /dev/sda",
  "sh -c 'reboot'",
  "busybox reboot",
  "env X=1 nohup reboot &",
  "for d in / /x; do rm -rf $d; done",
  "rm -rf /home/bob",
  "echo cmVib290Cg== | base64 -d | sh",
])("never: %s", async (command) => {
  expect(await ruleFor(command)).toBeString();
});

test.each([
  "rm -rf build",
  "rm -rf ./build/*",
  "rm -rf /tmp/x",
  "rm -rf /var/lib/apt/lists/*",
  "rm -rf ~/.cache/x",
  "rm -rf node_modules dist",
  "rm -rf *",
  "rm -rf .",
  "rm /etc/x",
  "git commit -m 'rm -rf /'",
  "echo rm -rf /",
  "grep -r 'rm -rf /' .",
  "find / -name core -delete",
  "find . -delete",
  "find / -name x -exec rm -rf {} +",
  "dd if=/dev/zero of=x.img",
  "mkfs.ext4 x.img",
  "cat /dev/null > x",
  "echo > /dev/null",
  "kill -1 123",
  "kill -9 123",
  "pkill foo",
  "chmod -R 755 .",
  "chown -R me /home/u/x",
  "systemctl status x",
  "systemctl --user restart x",
  "shutdown -c",
  "man reboot",
  "apt-get install -y init",
  "f() { f; }",
  "python -c 'print(\"reboot\")'",
  "npm run halt",
  "echo $((1+1))",
  'rm -rf "$TMPDIR"',
  "rm -rf ${D:?}/x",
  "docker run x",
  "rm -rf /home/u/proj",
  "rm -rf /home/*/x",
  "ls /dev/sda",
  "fdisk -l /dev/sda",
  "wipefs /dev/sda",
  "hash -r",
  "rm -r $(mktemp -d)",
  "cat /dev/sda | head -c 512",
  "ssh h ls",
  "[ -d / ]",
  "rm -f /etc/*.bak",
  "history | grep reboot",
  "alias",
  "kill %1",
  "kill -0 1",
  "tar c / | wc",
  "while :; do a & done",
  "mv /etc/x /y",
  "init --help",
  "killall node",
  "cp /etc/passwd x",
  "rm -rf /opt/x /usr/share/doc/*",
  "rm -rf /usr/local/go",
])("of no concern: %s", async (command) => {
  expect(await ruleFor(command)).toBeUndefined();
});
