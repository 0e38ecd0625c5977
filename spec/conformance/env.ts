import assert from "node:assert/strict";

import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";

export function envSuite(body: Body): readonly Case[] {
  return casesOf(body, {
    async "a variable that is not set is undefined, whatever objects inherit"({ host: { env } }) {
      for (const name of ["ATOMIC_NO_SUCH_VARIABLE", "toString", "constructor", "__proto__", ""]) {
        assert.equal(env.get(name), undefined);
      }
    },

    async "folders are absolute"({ host: { env } }) {
      assert.match(env.cwd, /^\//);
      assert.match(env.home ?? "/", /^\//);
    },

    async "numbers and names are there, and stay"({ host: { env } }) {
      assert.ok(Number.isInteger(env.pid) && env.pid > 0);
      assert.ok(Number.isInteger(env.uid) && env.uid >= -1);
      assert.notEqual(env.host, "");
      assert.ok(["linux", "macos", "windows", "other"].includes(env.platform));
      const { pid, uid, host, cwd, home } = env;
      assert.deepEqual(
        { pid, uid, host, cwd, home },
        {
          pid: env.pid,
          uid: env.uid,
          host: env.host,
          cwd: env.cwd,
          home: env.home,
        },
      );
    },

    async "the folder one makes belongs to the user it names"({ host: { env, fs }, folder }) {
      await fs.makeDirectory(`${folder}/own`);
      assert.equal((await fs.stat(`${folder}/own`))?.uid, env.uid);
    },
  });
}
