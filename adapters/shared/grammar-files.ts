// Where the packages keep each grammar's WebAssembly. The build embeds the same files.

const bundle = {
  "@cursorless/tree-sitter-wasms/out": [
    "elixir",
    "haskell",
    "hcl",
    "html",
    "json",
    "kotlin",
    "lua",
    "markdown",
    "scala",
    "yaml",
    "zig",
  ],
  "@repomix/tree-sitter-wasms/out": ["c", "cpp", "dart", "solidity", "swift", "vue"],
  "@vscode/tree-sitter-wasm/wasm": [
    "bash",
    "c-sharp",
    "css",
    "go",
    "java",
    "javascript",
    "php",
    "python",
    "ruby",
    "rust",
    "tsx",
    "typescript",
  ],
  "@tree-sitter-grammars/tree-sitter-toml": ["toml"],
  "tree-sitter-julia": ["julia"],
  "tree-sitter-make": ["make"],
  "tree-sitter-ocaml": ["ocaml", "ocaml_interface"],
  "tree-sitter-powershell": ["powershell"],
  "tree-sitter-svelte": ["svelte"],
};

/** Grammar name → module path of its file. */
export const grammarFiles: ReadonlyMap<string, string> = new Map(
  Object.entries(bundle).flatMap(([folder, names]) =>
    names.map((name): [string, string] => [name, `${folder}/tree-sitter-${name}.wasm`]),
  ),
);

/** Module path of the parser's own WebAssembly. */
export const runtimeFile = "web-tree-sitter/web-tree-sitter.wasm";
