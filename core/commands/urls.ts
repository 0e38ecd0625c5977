// Internal URLs in a command: each becomes the quoted path of what it names, where the command is so plain that nothing can
// go wrong with that (seed 000, "Bash interception"; tools.md §11.6).

import { AtomicError } from "../errors.ts";
import { resolvePath, showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import { confine } from "../resources/confine.ts";
import type { TargetCall, TargetPorts } from "../resources/resource.ts";
import { schemeHandlers } from "../resources/schemes.ts";
import type { ShellDialect } from "../shell/choose.ts";
import { quoteLiteral } from "../shell/quote.ts";

/** Those that name a file of the disk. */
const URL_TEXT = /(?<![\w./-])(local|skill|artifact):\/\/([^\s;|&<>"'`()$\\\u2018-\u201e]+)/g;

/** What cannot stand beside a resolved URL, and how a message calls it. */
const faults: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/["'\u2018-\u201e]/, "a quote"],
  [/[`$]/, "a substitution"],
  [/[\\^]/, "an escape"],
  [/[\r\n\u0085\u2028\u2029]/, "a new line"],
  [/[<>]/, "a redirection"],
  [/[(){}[\]]/, "a bracket"],
  [/(?:^|[\s;|&])#/, "a comment"],
  [/(?:^|\s)--%/, 'the word "--%"'],
];

/**
 * @returns the command with paths in place of URLs; unchanged where none names anything that is there
 * @throws AtomicError `bash.url` where one does, in a command that is not plain; `selector.escape`
 */
export async function expandCommand(
  command: string,
  dialect: ShellDialect,
  ports: TargetPorts,
  call: TargetCall,
): Promise<string> {
  const found = await resolved(command, ports, call);
  if (found.length === 0) return command;
  const fault = faults.find(([pattern]) => pattern.test(command));
  if (fault) {
    const { url } = found[0]!;
    throw new AtomicError(
      "bash.url",
      `The command holds ${showName(url)}, which stands for a path only among plain unquoted words, with blanks and ; | & between them; but it holds ${fault[1]} as well. Nothing was run.`,
      { data: { url } },
    );
  }
  return replaced(command, found, (path) => quoteLiteral(path, dialect));
}

/** The same for a folder or the value of a variable, which no shell reads. */
export async function expandValue(
  value: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<string> {
  // A name with blanks is one where it is all of the value.
  const whole = /^(local|skill|artifact):\/\/([\s\S]+)$/.exec(value);
  const path = whole && (await pathOf(whole[1]!, whole[2]!, value, ports, call));
  if (path) return path;
  return replaced(value, await resolved(value, ports, call), (each) => each);
}

interface Found {
  readonly at: number;
  readonly url: string;
  readonly path: string;
}

async function resolved(
  text: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  if (!text.includes("://")) return found;
  for (const match of text.matchAll(URL_TEXT)) {
    const [url, scheme = "", rest = ""] = match;
    const path = await pathOf(scheme, rest, url, ports, call);
    if (path !== undefined) found.push({ at: match.index, url, path });
  }
  return found;
}

function replaced(text: string, found: readonly Found[], as: (path: string) => string): string {
  let all = "";
  let end = 0;
  for (const { at, url, path } of found) {
    all += text.slice(end, at) + as(path);
    end = at + url.length;
  }
  return all + text.slice(end);
}

/** Undefined where there is nothing of that name. @throws AtomicError `selector.escape` */
async function pathOf(
  scheme: string,
  rest: string,
  url: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<string | undefined> {
  try {
    const opened = await schemeHandlers.get(scheme)!(rest, url, ports, call);
    if (opened.kind !== "places") return undefined;
    for (const { root, readings } of opened.places) {
      for (const { path: typed, modifiers } of readings) {
        // A path and nothing of it: a command takes no line numbers.
        if (modifiers.length > 0) continue;
        const path = resolvePath(typed, root.path);
        if ((await ports.fs.stat(path)) === undefined) continue;
        await confine(root, path, url, ports.fs);
        return path;
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
  return undefined;
}
