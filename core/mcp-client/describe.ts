// What a definition comes to, as a person may read it before trusting it: everything that is not a secret, and nothing
// that cannot be seen.

import type { Definition } from "./definition.ts";
import {
  looksRandom,
  secretNames,
  secretsOfArguments,
  secretsOfUrl,
  variablesOf,
} from "./expand.ts";
import { redactor } from "./redact.ts";
import { shellWord, visible } from "./words.ts";

export interface Described {
  /** "npx -y server", or the URL. */
  readonly target: string;
  /** Variables or headers that it is given: name and value, or name and "(hidden)". */
  readonly given: readonly string[];
  /** Variables of our environment that it gets to see, by the texts that name them. */
  readonly reads: readonly string[];
}

export function describeDefinition(definition: Definition): Described {
  const { transport } = definition;
  const reads = variablesOf(definition);
  if (transport.kind === "stdio") {
    const words = [transport.command, ...transport.args];
    const hide = redactor(secretsOfArguments(words));
    return {
      target: words.map((word) => shellWord(visible(hide(word)))).join(" "),
      given: Object.entries(transport.env).map(
        ([name, value]) =>
          `${visible(name)}=${mayShow(name, value) ? visible(value) : shownValue(value)}`,
      ),
      reads,
    };
  }
  const hide = redactor(secretsOfUrl(transport.url));
  return {
    target: visible(hide(transport.url)),
    given: [
      ...Object.entries(transport.headers).map(
        ([name, value]) => `${visible(name)}: ${shownValue(value)}`,
      ),
      ...Object.entries(transport.headersFrom).map(
        ([name, variable]) => `${visible(name)}: $${visible(variable)}`,
      ),
    ],
    reads,
  };
}

/** What a program is told of places and choices decides what it does; a key does not. */
function mayShow(name: string, value: string): boolean {
  return !secretNames.test(name) && secretsOfArguments([value]).length === 0 && !looksRandom(value);
}

/** The variable part of a value is no secret, what stands beside it may be one. */
function shownValue(value: string): string {
  const parts = value.split(/(\$\{[^}]*\}|\{env:[^}]*\}|\$[A-Za-z_]\w*)/);
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return visible(part.replace(/:-.*(?=\})/s, ":-(hidden)"));
      return /^(?:Bearer |Basic |[\s\w]{0,5})$/.test(part) ? visible(part) : "(hidden)";
    })
    .join("");
}

/** "starts a program", "is reached by URL (SSE)". */
export function kindText({ transport }: Definition): string {
  if (transport.kind === "stdio") return "stdio";
  return transport.kind === "any" ? "http or sse" : transport.kind;
}
