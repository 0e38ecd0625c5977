// Programs whose output follows from their arguments and input alone: echo, printf, and what decodes them.

import { UNKNOWN } from "./scope.ts";

const MOST = 1024 * 1024;

/** @param name without its folder. Undefined where only running it would tell */
export function outputOfProgram(
  name: string,
  args: readonly string[],
  input: string | undefined,
): string | undefined {
  const output = Object.hasOwn(producers, name) ? producers[name]!(args, input) : undefined;
  return output !== undefined && output.length <= MOST ? output : undefined;
}

type Producer = (args: readonly string[], input: string | undefined) => string | undefined;

const producers: Readonly<Record<string, Producer>> = {
  ":": () => "",
  true: () => "",
  echo(args) {
    const flags = args.findIndex((word) => !/^-[neE]+$/.test(word));
    const words = flags < 0 ? [] : args.slice(flags);
    const given = (flags < 0 ? args : args.slice(0, flags)).join("");
    const text = words.join(" ");
    return (given.includes("e") ? unescaped(text) : text) + (given.includes("n") ? "" : "\n");
  },
  printf([format = "", ...args]) {
    if (format === "--") [format = "", ...args] = args;
    if (format.startsWith("-") || format.includes(UNKNOWN)) return undefined;
    let output = "";
    let next = 0;
    let isKnown = true;
    do {
      output += unescaped(format).replace(/%(?:%|-?\d*(?:\.\d+)?[a-zA-Z])/g, (found) => {
        if (found === "%%") return "%";
        const value = args[next++] ?? "";
        if (found === "%s" || found === "%d" || found === "%i") return value;
        if (found === "%b") return unescaped(value);
        isKnown = false;
        return "";
      });
    } while (next > 0 && next < args.length && output.length < MOST);
    return isKnown ? output : undefined;
  },
  cat: (args, input) => (args.every((word) => word === "-") ? input : undefined),
  tee: (_, input) => input,
  base64(args, input) {
    if (!args.some((word) => /^(?:-[dDi]+|--decode|--d\w*)$/.test(word))) return undefined;
    return decoded(input, (text) => atob(text.replace(/\s+/g, "")));
  },
  xxd(args, input) {
    if (!/r/.test(args.join("")) || !/p/.test(args.join(""))) return undefined;
    return decoded(input, (text) =>
      (text.match(/[\da-fA-F]{2}/g) ?? [])
        .map((pair) => String.fromCharCode(parseInt(pair, 16)))
        .join(""),
    );
  },
  rev: (_, input) =>
    input
      ?.split("\n")
      .map((line) => [...line].toReversed().join(""))
      .join("\n"),
  tr([first = "", second = "", ...others], input) {
    if (input === undefined || others.length > 0) return undefined;
    if (first === "-d") {
      const gone = new Set(setOf(second));
      return [...input].filter((char) => !gone.has(char)).join("");
    }
    if (first.startsWith("-") || second === "") return undefined;
    const [from, to] = [setOf(first), setOf(second)];
    const map = new Map(from.map((char, at) => [char, to[at] ?? to.at(-1) ?? ""]));
    return [...input].map((char) => map.get(char) ?? char).join("");
  },
};

function setOf(text: string): readonly string[] {
  return [
    ...unescaped(text).replace(/(.)-(.)/gs, (all, from: string, to: string) => {
      const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
      if (last < first || last - first > 256) return all;
      return Array.from({ length: last - first + 1 }, (_, at) =>
        String.fromCharCode(first + at),
      ).join("");
    }),
  ];
}

function decoded(input: string | undefined, decode: (text: string) => string): string | undefined {
  if (input === undefined || input.includes(UNKNOWN)) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(decode(input), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{1,2}|0?[0-7]{1,3}|[abefnrtv\\"'])/g, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(parseInt(code, 8) & 0xff);
    if (code.length > 1) return String.fromCharCode(parseInt(code.slice(1), 16));
    return (
      { a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }[code] ?? code
    );
  });
}
