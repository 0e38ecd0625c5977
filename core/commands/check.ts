// Whether a command may run: interceptor first, since it says what to do instead, then the command policy (seed 000, "Bash
// interception"; seed 004, "Commands"). Both judge words; what a program does by itself they cannot know.

import { type Config, settingOf, userSettingOf } from "../config/config.ts";
import type { CommandPolicyConfig } from "../config/command-keys.ts";
import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { confirm } from "../questions/question.ts";
import { touchesOwn } from "./own-places.ts";
import type { Call } from "../tool.ts";
import { scriptReader } from "./read-script.ts";
import { hardlineOf, hardPrograms } from "../shell/hardline.ts";
import { intercept } from "../shell/interceptor.ts";
import { actsOutside, outsidePrograms } from "../shell/outside.ts";
import { inspectPowerShell } from "../shell/powershell.ts";
import { type Inspection, inspectCommand, type Run } from "../shell/runs.ts";
import { UNKNOWN, type World } from "../shell/scope.ts";

export interface CheckedCommand {
  readonly tool: "bash" | "powershell";
  /** As it was given; with paths for URLs; with the configured prefix, as it will run. */
  readonly forms: { readonly given: string; readonly expanded: string; readonly whole: string };
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Ports = Pick<Host, "fs" | "env">;
type CheckCall = Pick<Call, "hasTool" | "ask" | "signal">;

/** @throws AtomicError `bash.intercepted`, `policy.command`, `policy.ask` */
export async function checkCommand(
  checked: CheckedCommand,
  config: Config,
  ports: Ports,
  call: CheckCall,
): Promise<void> {
  const world = worldOf(checked, ports);
  if (checked.tool === "bash") await checkInterceptor(checked, config, world, call);
  await checkPolicy(checked, config, world, ports, call);
}

function worldOf({ cwd, env }: CheckedCommand, ports: Ports): World {
  const own = (name: string) => (Object.hasOwn(env, name) ? env[name] : ports.env.get(name));
  return { cwd, home: own("HOME") || ports.env.home, variable: own };
}

async function checkInterceptor(
  { forms: { given, expanded, whole } }: CheckedCommand,
  config: Config,
  world: World,
  { hasTool }: CheckCall,
): Promise<void> {
  const interceptor = settingOf(config, "bashInterceptor");
  if (!interceptor?.enabled) return;
  // What the prefix itself does, its author wants.
  const prefix = whole.endsWith(expanded) ? whole.slice(0, whole.length - expanded.length) : "";
  const own = new Set((await inspectCommand(prefix, world)).runs.map(({ text }) => text));
  for (const form of new Set([given, expanded, whole].map((text) => text.trim()))) {
    const { runs } = await inspectCommand(form, world);
    const asked = form === whole.trim() ? runs.filter(({ text }) => !own.has(text)) : runs;
    const found = intercept(asked, interceptor.rules, hasTool);
    if (!found) continue;
    const { tool, rule, message } = found.interception;
    const reason = message ?? `Use the tool ${tool} instead.`;
    throw new AtomicError(
      "bash.intercepted",
      `${reason} Not run: ${shown(found.run.text)}${found.run.text.trim() === given.trim() ? "" : `, in: ${shown(given)}`}`,
      { data: { tool, rule, command: given } },
    );
  }
}

async function checkPolicy(
  checked: CheckedCommand,
  config: Config,
  world: World,
  { fs, env }: Ports,
  call: CheckCall,
): Promise<void> {
  const { tool, forms } = checked;
  const inspection: Inspection =
    tool === "bash"
      ? await inspectCommand(forms.whole, world, {
          readScript: scriptReader(fs),
          names: [...hardPrograms, ...outsidePrograms],
        })
      : inspectPowerShell(forms.whole, world);
  for (const run of inspection.runs) {
    const hard = hardlineOf(run);
    if (hard) throw refusal(hard.rule, `${quoted(run)} would ${hard.problem}`, run);
  }
  const policy = policyOf(config);
  if (!policy) return;
  const texts = (run: Run) => new Set(textsOf(run));
  const whole: Run | undefined = inspection.runs[0] && {
    ...inspection.runs[0],
    words: [forms.given],
    text: forms.given,
    source: undefined,
  };
  const all = whole ? [...inspection.runs, whole] : inspection.runs;
  for (const pattern of policy.deny) {
    const expression = new RegExp(pattern, "u");
    const run = all.find((each) => [...texts(each)].some((text) => expression.test(text)));
    if (run) throw refusal(`deny ${JSON.stringify(pattern)}`, `${quoted(run)} matches it`, run);
  }
  const reason = askReason(policy, all, inspection, { env, texts });
  if (!reason) return;
  await askPerson(forms.given, reason, call);
}

/** Rules of all files that may set some; switched off only by the user's own. */
function policyOf(config: Config): CommandPolicyConfig | undefined {
  const own = userSettingOf(config, "commandPolicy");
  const set = config.layers
    .map(({ values }) => values.commandPolicy)
    .filter((one) => one !== undefined);
  if (set.length === 0 || (own && !own.enabled)) return undefined;
  const on = set.filter(({ enabled }) => enabled);
  if (on.length === 0) return undefined;
  return {
    enabled: true,
    deny: on.flatMap(({ deny }) => deny),
    ask: on.flatMap(({ ask }) => ask),
  };
}

interface AskReason {
  readonly rule: string;
  readonly why: string;
}

function askReason(
  policy: CommandPolicyConfig,
  runs: readonly Run[],
  { unreadable, isWhole }: Inspection,
  { env, texts }: { readonly env: Host["env"]; texts(run: Run): ReadonlySet<string> },
): AskReason | undefined {
  for (const pattern of policy.ask) {
    const expression = new RegExp(pattern, "u");
    const run = runs.find((each) => [...texts(each)].some((text) => expression.test(text)));
    if (run) return { rule: `ask ${JSON.stringify(pattern)}`, why: `${quoted(run)} matches it` };
  }
  for (const run of runs) {
    const outside = actsOutside(run);
    if (outside) return { rule: "outside", why: `${quoted(run)} would ${outside}` };
    if (touchesOwn(run, env)) {
      return {
        rule: "own-settings",
        why: `${quoted(run)} touches the settings or the state of atomic`,
      };
    }
  }
  // A script is full of what only its run decides; the command itself is not.
  const [first] = unreadable.filter(({ source }) => source === undefined);
  if (first)
    return {
      rule: "unreadable",
      why: `it cannot be told ${first.what}, in ${shown(first.text)}`,
    };
  if (!isWhole) return { rule: "unreadable", why: "there is too much of it to be read" };
  return undefined;
}

async function askPerson(
  command: string,
  { rule, why }: AskReason,
  call: CheckCall,
): Promise<void> {
  const verdict = await confirm(call, {
    header: "Command",
    question: `The command policy asks before this command runs (rule ${rule}: ${why}): ${shown(command)}`,
    proceed: "The command runs, this once",
    decline: "Nothing runs",
  });
  if (verdict === "yes") return;
  const end = verdict === "nobody" ? "nobody can be asked" : "the answer was no";
  throw new AtomicError(
    "policy.ask",
    `The command policy asks a person first, by the rule ${rule}: ${why}; ${end}. Nothing was run.`,
    { data: { rule, command } },
  );
}

function refusal(rule: string, why: string, { source }: Run): AtomicError {
  const place = source === undefined ? "" : ` (in ${showName(source)})`;
  return new AtomicError(
    "policy.command",
    `Refused by the command policy, rule ${rule}: ${why}${place}. Nothing was run.`,
    { data: { rule, ...(source !== undefined && { source }) } },
  );
}

/** A run as patterns see it: by its words, with the program's bare name too, and as written. */
function* textsOf({ words, text }: Run): Generator<string> {
  const joined = words.join(" ");
  yield joined;
  yield joined.replace(/^\S*\//, "");
  yield text;
}

function quoted({ words, text, source }: Run): string {
  return shown(source === undefined ? text : words.join(" ") || text);
}

function shown(text: string): string {
  const plain = text.trim().replaceAll(UNKNOWN, "…");
  return JSON.stringify(plain.length <= 200 ? plain : `${plain.slice(0, 199)}…`);
}
