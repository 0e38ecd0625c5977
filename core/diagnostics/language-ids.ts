/** The protocol's name for a language, where it is not ours in small letters. */
const ids: Readonly<Record<string, string>> = {
  TSX: "typescriptreact",
  "C++": "cpp",
  "C#": "csharp",
  Bash: "shellscript",
  "OCaml interface": "ocaml.interface",
  HCL: "terraform",
  Make: "makefile",
};

/**
 * What a language server is told that a file is (LSP 3.17, "Text Document Language Identifiers").
 * @param language a name of core/syntax/languages.ts; undefined where none is known: the extension has to do
 */
export function languageIdOf(language: string | undefined, path: string): string {
  if (language === "JavaScript" && path.endsWith(".jsx")) return "javascriptreact";
  if (language !== undefined) return ids[language] ?? language.toLowerCase();
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "plaintext";
}
