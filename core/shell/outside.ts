// Commands that act outside the machine in the user's name, or print the means to do so: a person is asked each time, where
// the command policy is on (seed 004, "Commands").

import type { Run } from "./runs.ts";

/** @returns what it would do, as the end of "it would …" */
export function actsOutside({ words }: Pick<Run, "words">): string | undefined {
  const [first = "", ...args] = words;
  const program = first.slice(first.lastIndexOf("/") + 1).toLowerCase();
  const rule = Object.hasOwn(rules, program) ? rules[program] : undefined;
  return rule?.(
    args,
    args.filter((arg) => !arg.startsWith("-")),
  );
}

export const outsidePrograms: readonly string[] = ["gh", "gws", "gcloud"];

type Rule = (args: readonly string[], operands: readonly string[]) => string | undefined;

const READS =
  /^(?:list|ls|view|status|diff|checks|browse|search|clone|checkout|download|watch|get|show|read|query|info|version|help|describe|export-default)$/;

const rules: Readonly<Record<string, Rule>> = {
  gh(args, [group = "", verb = ""]) {
    if (args.length === 0 || args.some((arg) => /^--?(?:help|version|h)$/.test(arg)))
      return undefined;
    if (
      group === "auth" &&
      (verb === "token" || args.some((arg) => /^(?:-t|--show-token)$/.test(arg)))
    ) {
      return "print a token";
    }
    if (group === "api") {
      const method = args.findIndex((arg) => /^(?:-X|--method)$/.test(arg));
      const named =
        args.map((arg) => /^(?:-X|--method=)(\w+)$/.exec(arg)?.[1]).find(Boolean) ??
        (method < 0 ? undefined : args[method + 1]);
      const hasFields = args.some((arg) => /^(?:-[fF]|--(?:raw-)?field|--input)/.test(arg));
      const isGet = named === undefined ? !hasFields : /^(?:get|head)$/i.test(named);
      return isGet ? undefined : "write through gh";
    }
    if (/^(?:search|status|browse|help|version|completion)$/.test(group)) return undefined;
    return READS.test(verb) ? undefined : "write through gh";
  },
  gcloud(_, operands) {
    if (operands.some((word) => word.startsWith("print-"))) return "print a token";
    return reads(operands, "gcloud");
  },
  gws: (_, operands) => reads(operands, "gws"),
};

const WRITES =
  /^(?:create|delete|update|deploy|set|unset|add|remove|start|stop|reset|resize|ssh|scp|import|export|enable|disable|submit|cancel|apply|patch|insert|send|move|copy|write|append|clear|login|revoke|activate|configure|undelete|restore|rollback|promote|replace|upload|trash|modify|batch\w*)(?:-|$)/i;

function reads(operands: readonly string[], program: string): string | undefined {
  if (operands.length === 0) return undefined;
  const isRead = operands.some((word) => READS.test(word) || /^(?:get|list)/i.test(word));
  const isWrite = operands.some((word) => WRITES.test(word));
  return isRead && !isWrite ? undefined : `write through ${program}`;
}
