// Archives of other programs survive our writing bit for bit outside the member that is written, and those programs accept
// what we have written.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { archiveWorld } from "../../helpers/archive-world.ts";
import { inFolder } from "../../helpers/folder.ts";

setDefaultTimeout(120_000);

const compare = new URL("../../helpers/compare-archives.py", import.meta.url).pathname;
const has = (program: string) => Bun.which(program) !== null;

function sh(folder: string, script: string): string {
  const { status, stdout, stderr } = spawnSync("bash", ["-ec", script], {
    cwd: folder,
    encoding: "utf8",
    // The system's own programs first: a version manager's stand-ins take longer to start than the work does.
    env: {
      ...process.env,
      PATH: `/usr/bin:/bin:${process.env["PATH"]}`,
      TZ: "UTC",
      LC_ALL: "C.UTF-8",
    },
  });
  if (status !== 0) throw new Error(`${script}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Files, folders, links, modes, holes and names of every length and alphabet. */
const tree = `
mkdir -p in/dir in/$(printf 'long%.0s' {1..40})/$(printf 'name%.0s' {1..40})
cd in
echo one > a.txt; echo two > dir/b.txt; seq 1 2000 > dir/numbers; printf '' > empty
echo deep > "$(echo long*/name*)/deep.txt"; echo é > 'é 日本.txt'; echo r > raw; chmod 755 a.txt; chmod 600 raw
ln -s dir/b.txt sym; ln a.txt hard; touch -d 2001-02-03T04:05:06.789 dir/b.txt empty
`;

interface Made {
  readonly name: string;
  readonly needs: readonly string[];
  readonly make: string;
  /** What another program says to the result; its failure is the test's. */
  readonly accept: string;
}

const zipTest = 'unzip -tqq "$A"';
const tarTest =
  'tar tvf "$A" > /dev/null; mkdir out; tar xf "$A" -C out --no-same-owner; test "$(readlink out/sym)" = dir/b.txt';

const made: readonly Made[] = [
  {
    name: "i.zip",
    needs: ["zip", "unzip", "python3"],
    make: "cd in; zip -qry ../i.zip .; zip -q -0 ../i.zip raw; printf 'of a\\n' | zip -qc ../i.zip a.txt; echo all | zip -qz ../i.zip",
    accept: `zip -qT "$A"; ${zipTest}`,
  },
  {
    name: "stream.zip",
    needs: ["zip", "unzip", "python3"],
    make: "cd in; zip -qry - . | cat > ../stream.zip",
    accept: `zip -qT "$A"; ${zipTest}`,
  },
  {
    name: "stub.zip",
    needs: ["zip", "unzip", "python3"],
    make: "cd in; zip -qry ../x.zip .; (printf '#!/bin/sh\\nexit\\n'; cat ../x.zip) > ../stub.zip; zip -qA ../stub.zip",
    accept: zipTest,
  },
  {
    name: "py.zip",
    needs: ["python3", "unzip"],
    make: `cd in; python3 - <<'PY'
import zipfile, time
z = zipfile.ZipFile("../py.zip", "w", zipfile.ZIP_DEFLATED)
z.write("a.txt"); z.write("dir/numbers", compress_type=zipfile.ZIP_BZIP2); z.write("raw", compress_type=zipfile.ZIP_LZMA)
with z.open("dir/b.txt", "w", force_zip64=True) as f: f.write(b"two\\n")
i = zipfile.ZipInfo("tail.txt"); i.comment = b"c" * 300; i.extra = b"\\x99\\x99\\x04\\0abcd"; i.create_system = 0; i.internal_attr = 1
z.writestr(i, "tail"); z.comment = b"of all"
z.writestr("a.txt", "another a\\n")
z.close()
PY`,
    accept:
      'python3 -c "import sys,zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None" "$A"',
  },
  {
    name: "seven.zip",
    needs: ["7z", "unzip", "python3"],
    make: "cd in; 7z a -bso0 -bsp0 -mtc=on ../seven.zip . > /dev/null",
    accept: `7z t "$A" > /dev/null; ${zipTest}`,
  },
  ...["gnu", "pax", "ustar", "oldgnu"].map((format) => ({
    name: `${format}.tar`,
    needs: ["tar", "python3"],
    make: `cd in; rm -rf ${format === "ustar" ? "long*" : "nothing"}; truncate -s 300K holes; echo end >> holes; tar ${format === "ustar" ? "" : "-S"} --format=${format} --owner=joe:1234 --group=staff:99 -cf ../${format}.tar a.txt ${format === "ustar" ? "" : "long*"} dir empty é* raw sym hard holes`,
    accept: tarTest,
  })),
  {
    name: "t.tgz",
    needs: ["tar", "python3"],
    make: "cd in; tar --xattrs --format=pax -czf ../t.tgz a.txt long* dir empty é* raw sym hard",
    accept: tarTest,
  },
  {
    name: "py.tar",
    needs: ["python3", "tar"],
    make: `cd in; python3 - <<'PY'
import tarfile
t = tarfile.open("../py.tar", "w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "global"})
for name in ["a.txt", "dir", "raw", "sym"]: t.add(name)
i = t.gettarinfo("raw", "late.txt"); i.pax_headers = {"SCHILY.xattr.user.k": "v", "mtime": "1000000000.5"}; t.addfile(i, open("raw", "rb"))
t.close()
PY`,
    accept: tarTest,
  },
  {
    name: "seven.tar",
    needs: ["7z", "python3"],
    make: "cd in; 7z a -bso0 -bsp0 ../seven.tar a.txt dir empty > /dev/null",
    accept: '7z t "$A" > /dev/null; tar tf "$A" > /dev/null',
  },
];

const writes = [
  ["a.txt", "replaced\n"],
  ["dir/b.txt", "x".repeat(5000)],
  ["dir/new é.txt", "added\n"],
] as const;

describe("an archive of another program", () => {
  for (const { name, needs, make, accept } of made) {
    const missing = needs.filter((program) => !has(program));
    const title = `${name}${missing.length > 0 ? ` (skipped: no ${missing.join(", ")})` : ""}`;
    test.skipIf(missing.length > 0)(title, async () => {
      await inFolder(async (folder) => {
        sh(folder, `${tree}\ncd ..\n${make}`);
        const before = new Uint8Array(readFileSync(join(folder, name)));
        const compared = [name];
        for (const [i, [member, content]] of writes.entries()) {
          const it = await archiveWorld({ [name]: before });
          expect(await it.write(`${name}:${member}`, content, { force: true })).toMatch(
            /^Successfully wrote/,
          );
          expect(await it.read(`${name}:${member}:raw`)).toBe(content);
          mkdirSync(join(folder, `r${i}`));
          writeFileSync(join(folder, `r${i}`, name), it.host.fs.bytesOf(`/work/${name}`)!);
          compared.push(`r${i}/${name}`, member);
        }
        const args = compared.map((one) => `'${one}'`).join(" ");
        expect(sh(folder, `python3 '${compare}' ${args}`)).toBe("");
        sh(folder, `for r in r?; do (cd $r; A=${name}; ${accept}); done`);
      });
    });
  }
});

describe("an archive that is made by writing", () => {
  for (const [name, check] of [
    ["z.zip", `${zipTest}; unzip -qq "$A"`],
    ["z.tar", 'tar xf "$A"'],
    ["z.tar.gz", 'gzip -t "$A"; tar xf "$A"'],
  ] as const) {
    const missing = ["unzip", "python3", "tar"].filter((program) => !has(program));
    test.skipIf(missing.length > 0)(
      `${name} is unpacked by others to what was written`,
      async () => {
        await inFolder(async (folder) => {
          const it = await archiveWorld({});
          const long = `${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(120)}.txt`;
          const contents = {
            "a.txt": "one\n",
            "dir/é.txt": "zwei\n",
            [long]: "three\n",
            empty: "",
          };
          for (const [member, content] of Object.entries(contents)) {
            expect(await it.write(`${name}:${member}`, content)).toMatch(/^Successfully/);
          }
          writeFileSync(join(folder, name), it.host.fs.bytesOf(`/work/${name}`)!);
          sh(folder, `A=${name}; ${check}`);
          if (has("7z")) sh(folder, `7z t ${name} > /dev/null`);
          for (const [member, content] of Object.entries(contents)) {
            expect(existsSync(join(folder, member))).toBe(true);
            expect(readFileSync(join(folder, member), "utf8")).toBe(content);
          }
        });
      },
    );
  }
});

test.skipIf(!has("python3"))("a zip of 70,000 entries keeps its longer records", async () => {
  await inFolder(async (folder) => {
    sh(
      folder,
      `python3 -c "
import zipfile
z = zipfile.ZipFile('many.zip', 'w')
for i in range(70000): z.writestr(zipfile.ZipInfo('n%d.txt' % i), str(i))
z.close()"`,
    );
    const it = await archiveWorld({
      "many.zip": new Uint8Array(readFileSync(join(folder, "many.zip"))),
    });
    expect(await it.read("many.zip:n69999.txt")).toBe("1:69999");
    await it.write("many.zip:n5.txt", "longer\n", { force: true });
    writeFileSync(join(folder, "after.zip"), it.host.fs.bytesOf("/work/many.zip")!);
    const facts = sh(
      folder,
      `python3 -c "
import zipfile
z = zipfile.ZipFile('after.zip')
print(len(z.namelist()), z.read('n5.txt'), z.read('n69999.txt'))"`,
    );
    expect(facts).toBe("70000 b'longer\\n' b'69999'\n");
  });
});
