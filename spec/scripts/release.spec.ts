import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { type Member, tarGz, zip } from "../../scripts/release/archives.ts";
import { notices } from "../../scripts/release/notices.ts";
import { platformManifest, wrapperManifest } from "../../scripts/release/npm.ts";
import { listPackages, shippedPackages } from "../../scripts/release/packages.ts";
import { lockedIntegrity } from "../../scripts/release/runtimes.ts";
import { sbom } from "../../scripts/release/sbom.ts";
import { targets } from "../../scripts/release/targets.ts";

const root = resolve(import.meta.dir, "../..");
const lockfile = readFileSync(join(root, "bun.lock"), "utf8");

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "atomic release "));
  const clean = () => rmSync(folder, { recursive: true });
  let done: T;
  try {
    done = work(folder);
  } catch (thrown) {
    clean();
    throw thrown;
  }
  if (done instanceof Promise) return done.finally(clean) as T;
  clean();
  return done;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const members: readonly Member[] = [
  { path: "a/z.txt", bytes: bytes("zzz\n"), executable: false },
  { path: "a/run", bytes: bytes("#!/bin/sh\n"), executable: true },
  { path: "a/empty", bytes: bytes(""), executable: false },
];
/** 2026-03-04 05:06:08 UTC */
const time = 1_772_600_768;

describe("archives", () => {
  test("a tar holds names, modes and one time, and nobody's name", () => {
    inFolder((folder) => {
      writeFileSync(join(folder, "x.tar.gz"), tarGz(members, time));
      const { stdout, stderr } = spawnSync("tar", ["-tvzf", "x.tar.gz", "--full-time"], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], TZ: "UTC" },
      });
      expect(stderr).toBe("");
      expect(stdout.replace(/ +/g, " ")).toBe(
        [
          "-rw-r--r-- 0/0 0 2026-03-04 05:06:08 a/empty",
          "-rwxr-xr-x 0/0 10 2026-03-04 05:06:08 a/run",
          "-rw-r--r-- 0/0 4 2026-03-04 05:06:08 a/z.txt",
          "",
        ].join("\n"),
      );
    });
  });

  test.skipIf(spawnSync("unzip", ["-v"]).error !== undefined)("a zip holds the same", () => {
    inFolder((folder) => {
      writeFileSync(join(folder, "x.zip"), zip(members, time));
      expect(spawnSync("unzip", ["-tq", "x.zip"], { cwd: folder }).status).toBe(0);
      const { stdout } = spawnSync("unzip", ["-ZT", "x.zip"], { cwd: folder, encoding: "utf8" });
      const rows = stdout.split("\n").filter((line) => line.includes(" a/"));
      expect(rows.map((row) => row.replace(/^(\S+) .* (\S+ \S+)$/, "$1 $2"))).toEqual([
        "-rw-r--r-- 20260304.050608 a/empty",
        "-rwxr-xr-x 20260304.050608 a/run",
        "-rw-r--r-- 20260304.050608 a/z.txt",
      ]);
    });
  });

  test("the same members give the same bytes, in whatever order they come", () => {
    for (const pack of [tarGz, zip]) {
      expect(Buffer.compare(pack(members, time), pack(members.toReversed(), time))).toBe(0);
    }
  });
});

test("every target's runtime has a checksum in the lockfile", () => {
  const { version } = JSON.parse(
    readFileSync(join(root, "node_modules/bun/package.json"), "utf8"),
  ) as { version: string };
  for (const { runtime } of targets) {
    expect(lockedIntegrity(lockfile, runtime, version)).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
  }
  expect(() => lockedIntegrity(lockfile, "@oven/bun-linux-x64", "0.0.1")).toThrow(
    "bun.lock has no checksum for @oven/bun-linux-x64 0.0.1.",
  );
});

describe("licences", () => {
  const listing = (licence: string) => ({
    [licence]: [{ name: "x", versions: ["1.0.0"], paths: ["/nowhere"] }],
  });

  test("what is shipped is under licences that allow it", () => {
    const shipped = shippedPackages(listPackages(root));
    const names = shipped.map(({ name }) => name);
    expect(names).toContain("valibot");
    expect(names).not.toContain("node-gyp-build");
    expect(names).toEqual(names.toSorted());
  });

  test("others stop the release, but for a choice that is allowed", () => {
    for (const licence of ["GPL-3.0", "AGPL-3.0-only", "UNKNOWN", "MIT AND GPL-2.0"]) {
      expect(() => shippedPackages(listing(licence))).toThrow(
        `Not under a licence that may be shipped:\nx 1.0.0: ${licence}`,
      );
    }
    for (const licence of ["MIT", "(MIT OR GPL-3.0)", "MIT AND ISC"]) {
      expect(shippedPackages(listing(licence))).toHaveLength(1);
    }
  });

  test("the notices have each package's text, and say where there is none", () => {
    const text = notices(
      [
        { name: "a", version: "1.0.0", licence: "MIT", text: "Copyright A" },
        { name: "b", version: "2.0.0", licence: "ISC" },
      ],
      { version: "9.9.9", licences: "Bun itself is free.\n" },
    );
    expect(text).toContain("a 1.0.0\nLicence: MIT\n\nCopyright A\n");
    expect(text).toContain("Licence: ISC\n\nThe package comes without a licence text; ISC is");
    expect(text).toContain("Bun 9.9.9, with JavaScriptCore");
    expect(text).toContain("Bun itself is free.");
  });
});

test("the bill of materials is CycloneDX, with checksums, and the same each time", () => {
  const release = { version: "1.2.3", commit: "abc", time, bun: "1.4.5" };
  const packages = [{ name: "@a/b", version: "1.0.0", licence: "MIT" }];
  const lock = `"@a/b": ["@a/b@1.0.0", "", {}, "sha512-${Buffer.alloc(64, 1).toString("base64")}"],`;
  const text = sbom(release, packages, lock);
  expect(sbom(release, packages, lock)).toBe(text);
  const { serialNumber, ...rest } = JSON.parse(text);
  expect(serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(rest).toEqual({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: "2026-03-04T05:06:08Z",
      component: {
        type: "application",
        "bom-ref": "pkg:generic/atomic@1.2.3",
        name: "atomic",
        version: "1.2.3",
        purl: "pkg:generic/atomic@1.2.3",
        licenses: [{ license: { id: "MIT" } }],
        properties: [{ name: "commit", value: "abc" }],
      },
    },
    components: [
      {
        type: "library",
        "bom-ref": "pkg:npm/bun@1.4.5",
        name: "bun",
        version: "1.4.5",
        purl: "pkg:npm/bun@1.4.5",
        licenses: [{ license: { id: "MIT" } }],
      },
      {
        type: "library",
        "bom-ref": "pkg:npm/%40a/b@1.0.0",
        name: "@a/b",
        version: "1.0.0",
        purl: "pkg:npm/%40a/b@1.0.0",
        hashes: [{ alg: "SHA-512", content: "01".repeat(64) }],
        licenses: [{ license: { id: "MIT" } }],
      },
    ],
    dependencies: [
      {
        ref: "pkg:generic/atomic@1.2.3",
        dependsOn: ["pkg:npm/bun@1.4.5", "pkg:npm/%40a/b@1.0.0"],
      },
    ],
  });
});

describe("npm packages", () => {
  const facts = { name: "@x/atomic", version: "1.2.3", description: "Tools" };
  const musl = targets.find(({ id }) => id === "linux-x64-musl")!;

  test("each system's package says where it may be installed, and none runs a script", () => {
    expect(platformManifest(musl, facts)).toEqual({
      name: "@x/atomic-linux-x64-musl",
      version: "1.2.3",
      description: "Tools (executable for linux-x64-musl)",
      license: "MIT",
      os: ["linux"],
      cpu: ["x64"],
      libc: ["musl"],
      files: ["bin", "LICENSE", "THIRD-PARTY-NOTICES"],
      preferUnplugged: true,
    });
    const wrapper = wrapperManifest(targets, facts);
    expect(wrapper).not.toHaveProperty("scripts");
    expect(Object.keys(wrapper.optionalDependencies)).toHaveLength(8);
    expect(wrapper.optionalDependencies["@x/atomic-windows-arm64"]).toBe("1.2.3");
  });

  /** The wrapper, and beside it a package for this system whose program is a script. */
  function wrapped<T>(script: string | undefined, work: (wrapper: string) => T): T {
    return inFolder((folder) => {
      const wrapper = join(folder, "node_modules/@x/atomic");
      mkdirSync(join(wrapper, "bin"), { recursive: true });
      cpSync(join(root, "scripts/release/npm-wrapper.cjs"), join(wrapper, "bin/atomic.js"));
      writeFileSync(join(wrapper, "package.json"), '{"name":"@x/atomic"}');
      if (script !== undefined) {
        const glibc = spawnSync("getconf", ["GNU_LIBC_VERSION"]).status === 0;
        const id = `${process.platform}-${process.arch}${process.platform === "linux" && !glibc ? "-musl" : ""}`;
        const program = join(folder, `node_modules/@x/atomic-${id}/bin/atomic`);
        mkdirSync(dirname(program), { recursive: true });
        writeFileSync(program, script, { mode: 0o755 });
      }
      return work(join(wrapper, "bin/atomic.js"));
    });
  }
  const node = (args: readonly string[], input = "") =>
    spawnSync("node", [...args], { input, encoding: "utf8" });

  test("the wrapper passes on words, input, output and status", () => {
    wrapped('#!/bin/sh\nprintf "%s|" "$@"; cat; exit 9\n', (wrapper) => {
      const { status, stdout, stderr } = node([wrapper, "a b", "", "--x"], "in");
      expect([status, stdout, stderr]).toEqual([9, "a b||--x|in", ""]);
    });
  });

  test("the wrapper says which signal ended the program, as a shell would", () => {
    wrapped("#!/bin/sh\nkill -KILL $$\n", (wrapper) => {
      expect(node([wrapper]).status).toBe(137);
    });
  });

  test("a signal to the wrapper reaches the program, and its status comes back", async () => {
    const script =
      '#!/bin/sh\ntrap "echo told; exit 143" TERM\necho up\nwhile :; do sleep 0.05; done\n';
    await wrapped(script, async (wrapper) => {
      const child = Bun.spawn(["node", wrapper], { stdout: "pipe" });
      const reader = child.stdout.getReader();
      const first = await reader.read();
      expect(new TextDecoder().decode(first.value)).toBe("up\n");
      child.kill("SIGTERM");
      expect(await child.exited).toBe(143);
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("told\n");
    });
  });

  test("without the package for this system, the wrapper says what is missing", () => {
    wrapped(undefined, (wrapper) => {
      const { status, stderr } = node([wrapper]);
      expect(status).toBe(7);
      expect(stderr).toMatch(/^atomic: the package @x\/atomic-\S+ is not installed\.\nIt is an/);
    });
  });
});

describe("install.sh", () => {
  const script = join(root, "scripts/release/install.sh");
  const archive = "atomic-1.2.3-linux-x64.tar.gz";
  const program = '#!/bin/sh\necho "atomic 1.2.3"\n';

  /** A release for one system, and a home; both with a blank in their names. */
  function withRelease(
    work: (place: { release: string; home: string; run: (...args: string[]) => Ran }) => void,
    content = program,
  ): void {
    inFolder((folder) => {
      const release = join(folder, "the release");
      const home = join(folder, "my home");
      mkdirSync(release);
      mkdirSync(home);
      cpSync(script, join(release, "install.sh"));
      const name = archive.replace(".tar.gz", "");
      const file = (path: string, text: string, executable = false): Member => ({
        path: `${name}/${path}`,
        bytes: bytes(text),
        executable,
      });
      const packed = tarGz(
        [
          file("atomic", content, true),
          file("completions/atomic.bash", "# bash\n"),
          file("completions/_atomic", "# zsh\n"),
          file("completions/atomic.fish", "# fish\n"),
          file("man/man1/atomic.1", ".TH ATOMIC 1\n"),
        ],
        time,
      );
      writeFileSync(join(release, archive), packed);
      const sum = createHash("sha256").update(packed).digest("hex");
      writeFileSync(join(release, "SHA256SUMS"), `${sum}  ${archive}\n${sum}  other-1.tar.gz\n`);
      const run = (...args: string[]): Ran => {
        const { status, stdout, stderr } = spawnSync(
          "sh",
          [join(release, "install.sh"), "--target", "linux-x64", ...args],
          { encoding: "utf8", env: { PATH: "/usr/bin:/bin", HOME: home } },
        );
        return { status, stdout, stderr };
      };
      work({ release, home, run });
    });
  }
  interface Ran {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }
  const filesBelow = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted();
  const installed = [
    ".local/bin/atomic",
    ".local/share/atomic/installed",
    ".local/share/bash-completion/completions/atomic",
    ".local/share/fish/vendor_completions.d/atomic.fish",
    ".local/share/man/man1/atomic.1",
    ".local/share/zsh/site-functions/_atomic",
  ];

  test("installs from the folder that it lies in, again over itself, and removes all of it", () => {
    withRelease(({ home, run }) => {
      const first = run();
      expect([first.status, first.stderr]).toEqual([0, ""]);
      expect(first.stdout).toBe(
        `Installed atomic 1.2.3 as ${home}/.local/bin/atomic.\n${home}/.local/bin is not on your PATH. Add it: export PATH="${home}/.local/bin:$PATH"\n`,
      );
      expect(filesBelow(home)).toEqual(installed);
      expect(run().status).toBe(0);
      expect(filesBelow(home)).toEqual(installed);
      writeFileSync(join(home, ".local/share/man/man1/other.1"), "");
      expect(run("--uninstall").status).toBe(0);
      expect(filesBelow(home)).toEqual([".local/share/man/man1/other.1"]);
      expect(run("--uninstall").status).toBe(1);
    });
  });

  test("an archive that is not what was released is never unpacked", () => {
    withRelease(({ release, home, run }) => {
      const packed = readFileSync(join(release, archive));
      packed[40]! ^= 1;
      writeFileSync(join(release, archive), packed);
      for (const args of [[], ["--verify"], ["--force"]]) {
        const { status, stderr } = run(...args);
        expect(status).toBe(1);
        expect(stderr).toContain(`${archive} is damaged or not what was released:`);
        expect(filesBelow(home)).toEqual([]);
      }
    });
  });

  test("--verify installs nothing", () => {
    withRelease(({ home, run }) => {
      expect(run("--verify").stdout).toBe(`${archive} is what SHA256SUMS says.\n`);
      expect(filesBelow(home)).toEqual([]);
    });
  });

  test("a program that does not run here is not installed, and the old one stays", () => {
    withRelease(({ release, home, run }) => {
      expect(run("--no-extras").status).toBe(0);
      const broken = tarGz(
        [
          {
            path: "atomic-1.2.3-linux-x64/atomic",
            bytes: bytes("#!/bin/sh\necho no such library >&2\nexit 127\n"),
            executable: true,
          },
        ],
        time,
      );
      writeFileSync(join(release, archive), broken);
      const sum = createHash("sha256").update(broken).digest("hex");
      writeFileSync(join(release, "SHA256SUMS"), `${sum}  ${archive}\n`);
      const { status, stderr } = run("--no-extras");
      expect([status, stderr]).toEqual([
        1,
        "The program for linux-x64 does not run on this machine:\n  no such library\nName another build with --target. Nothing was installed.\n",
      ]);
      expect(readFileSync(join(home, ".local/bin/atomic"), "utf8")).toBe(program);
      expect(readdirSync(join(home, ".local/bin"))).toEqual(["atomic"]);
    });
  });

  test("what others put there is left alone, unless --force says otherwise", () => {
    withRelease(({ home, run }) => {
      const place = join(home, ".local/bin/atomic");
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, "another atomic");
      chmodSync(place, 0o755);
      expect(run().stderr).toContain("exists and was not installed by this script.");
      expect(filesBelow(home)).toEqual([".local/bin/atomic"]);
      expect(readFileSync(place, "utf8")).toBe("another atomic");
      expect(run("--force").status).toBe(0);
      expect(readFileSync(place, "utf8")).toBe(program);
    });
    withRelease(({ home, run }) => {
      const page = join(home, ".local/share/man/man1/atomic.1");
      mkdirSync(dirname(page), { recursive: true });
      writeFileSync(page, "theirs");
      const { status, stdout } = run();
      expect(status).toBe(0);
      expect(stdout).toContain(`Left alone: ${page} is there already, and not from here.`);
      expect(run("--uninstall").status).toBe(0);
      expect(filesBelow(home)).toEqual([".local/share/man/man1/atomic.1"]);
    });
  });

  test("what cannot be found is named", () => {
    withRelease(({ release, run }) => {
      expect(run("--target", "linux-arm64").stderr).toBe(
        `The release in ${release} has no archive for linux-arm64.\n`,
      );
      expect(run("--from", "/nowhere").stderr).toBe("There is no SHA256SUMS in /nowhere.\n");
      expect(run("--frm", "x").stderr).toBe('Unknown option "--frm". See --help.\n');
      expect(run("--from").stderr).toBe("--from needs a value. See --help.\n");
      rmSync(join(release, archive));
      expect(run().stderr).toBe(`There is no ${archive} in ${release}.\n`);
      rmSync(join(release, "SHA256SUMS"));
      expect(run().stderr).toContain("Where is the release?");
      expect(existsSync(join(release, "SHA256SUMS"))).toBe(false);
    });
  });
});
