// The languages with block resolution, one row each.

import type { Rules } from "./rules.ts";
import type { Scan } from "./scanned.ts";
import { sqlRanges } from "./sql.ts";
import { styleRanges } from "./styles.ts";

interface Names {
  readonly name: string;
  /** Without the dot, lower case; matched whatever the case. */
  readonly extensions: readonly string[];
  /** Well-known file names, lower case; matched whatever the case, before extensions. */
  readonly files?: readonly string[];
  /** Programs of a `#!` line; asked only for files whose name says nothing. */
  readonly interpreters?: readonly string[];
}

/** Found with a grammar. */
export interface ParsedLanguage extends Names {
  /** The grammar's name at the grammars port. */
  readonly grammar: string;
  readonly rules: Rules;
  /** A language of the same extensions: taken instead for a text that it parses with fewer errors. */
  readonly rival?: string;
  readonly scan?: undefined;
}

/** Found by a scanner of our own. */
export interface ScannedLanguage extends Names {
  readonly scan: Scan;
}

export type Language = ParsedLanguage | ScannedLanguage;

const script: Rules = {
  lists: [
    "statement_block",
    "class_body",
    "object",
    "object_pattern",
    "array",
    "array_pattern",
    "arguments",
    "formal_parameters",
    "switch_body",
    "switch_case.body",
    "switch_default.body",
    "interface_body",
    "object_type",
    "enum_body",
    "named_imports",
    "export_clause",
    "jsx_element",
    "jsx_opening_element!name",
    "jsx_self_closing_element!name",
    "type_parameters",
    "type_arguments",
    "tuple_type",
    "lexical_declaration",
    "variable_declaration",
  ],
  bodies: [
    "if_statement.consequence",
    "else_clause",
    "for_statement.body",
    "for_in_statement.body",
    "while_statement.body",
    "do_statement.body",
    "labeled_statement.body",
  ],
  clauses: [
    "else_clause",
    "catch_clause",
    "finally_clause",
    "switch_case",
    "switch_default",
    "jsx_element",
    "jsx_self_closing_element",
  ],
  never: ["jsx_opening_element", "jsx_closing_element", "jsx_text"],
  folds: ["decorator"],
  comments: ["comment", "html_comment"],
};

const braced = ["if_statement.consequence", "for_statement.body", "while_statement.body"];

const c: Rules = {
  lists: [
    "compound_statement",
    "field_declaration_list",
    "enumerator_list",
    "argument_list",
    "parameter_list",
    "initializer_list",
    "case_statement!value",
    "declaration_list",
    "preproc_if!condition",
    "preproc_ifdef!name",
    "preproc_elif!condition",
    "preproc_elifdef!name",
    "preproc_else",
  ],
  bodies: [...braced, "else_clause", "do_statement.body", "labeled_statement!label"],
  clauses: ["else_clause", "preproc_else", "preproc_elif", "preproc_elifdef"],
  // The colon of `public:` is no part of the node.
  tail: /^[;:]/,
};

const css: Rules = {
  lists: ["block", "keyframe_block_list", "arguments"],
  comments: ["comment", "js_comment"],
};

const markup: Rules = {
  lists: ["element", "template_element", "start_tag", "self_closing_tag"],
  never: ["start_tag", "end_tag", "erroneous_end_tag", "tag_name", "text", "raw_text", "entity"],
  embeds: [
    { node: "script_element", text: "raw_text", language: "js" },
    { node: "style_element", text: "raw_text", language: "css" },
  ],
};

const svelteClauses = [
  "else_if_statement",
  "else_statement",
  "else_each_statement",
  "then_statement",
  "catch_statement",
];

const svelteTags = ["if", "each", "await", "key"].flatMap((kind) => [
  `${kind}_start_expr`,
  `${kind}_end_expr`,
]);

/** One of several definitions that `and` holds together. */
const ocamlBindings = [
  "let_binding",
  "type_binding",
  "class_binding",
  "class_type_binding",
  "module_binding",
];

const json: Rules = { lists: ["object", "array"] };

/** In the order of the documentation: by family, the most used first. */
export const languages: readonly Language[] = [
  {
    name: "TypeScript",
    extensions: ["ts", "mts", "cts"],
    interpreters: ["deno", "bun", "tsx", "ts-node"],
    grammar: "typescript",
    rules: script,
  },
  { name: "TSX", extensions: ["tsx"], grammar: "tsx", rules: script },
  {
    name: "JavaScript",
    extensions: ["js", "jsx", "mjs", "cjs", "es6"],
    files: ["jakefile"],
    interpreters: ["node", "nodejs"],
    grammar: "javascript",
    rules: script,
  },
  {
    name: "Python",
    extensions: ["py", "pyi", "pyw"],
    files: ["sconstruct", "sconscript", "wscript", "build", "build.bazel", "workspace", "tiltfile"],
    interpreters: ["python", "python2", "python3", "pypy", "pypy3", "uv"],
    grammar: "python",
    rules: {
      lists: [
        "argument_list",
        "parameters",
        "lambda_parameters",
        "list",
        "dictionary",
        "set",
        "tuple",
        "import_from_statement.name",
        "with_clause",
        "decorated_definition",
        "type_parameter",
        "list_pattern",
        "tuple_pattern",
        "dict_pattern",
        "match_statement",
      ],
      wrappers: ["block"],
      clauses: ["elif_clause", "else_clause", "except_clause", "finally_clause", "case_clause"],
    },
  },
  {
    name: "Rust",
    extensions: ["rs"],
    interpreters: ["rust-script"],
    grammar: "rust",
    rules: {
      lists: [
        "block",
        "declaration_list",
        "field_declaration_list",
        "ordered_field_declaration_list",
        "enum_variant_list",
        "match_block",
        "arguments",
        "parameters",
        "closure_parameters",
        "use_list",
        "array_expression",
        "tuple_expression",
        "tuple_type",
        "field_initializer_list",
        "type_parameters",
        "type_arguments",
        "where_clause",
        "struct_pattern!type",
        "macro_definition",
        "foreign_mod_item",
      ],
      clauses: ["else_clause"],
      comments: ["line_comment", "block_comment"],
    },
  },
  {
    name: "Go",
    extensions: ["go"],
    grammar: "go",
    rules: {
      lists: [
        "block",
        "import_spec_list",
        "const_declaration",
        "var_spec_list",
        "type_declaration",
        "field_declaration_list",
        "interface_type",
        "argument_list",
        "parameter_list",
        "type_parameter_list",
        "literal_value",
      ],
      wrappers: ["statement_list"],
      bodies: ["labeled_statement!label"],
      clauses: ["expression_case", "type_case", "default_case", "communication_case"],
    },
  },
  {
    name: "Java",
    extensions: ["java", "jsh"],
    grammar: "java",
    rules: {
      lists: [
        "class_body",
        "interface_body",
        "annotation_type_body",
        "enum_body",
        "block",
        "constructor_body",
        "switch_block",
        "switch_block_statement_group",
        "argument_list",
        "formal_parameters",
        "array_initializer",
        "element_value_array_initializer",
        "annotation_argument_list",
        "module_body",
        "resource_specification",
      ],
      wrappers: ["enum_body_declarations"],
      bodies: [
        ...braced,
        "if_statement.alternative",
        "enhanced_for_statement.body",
        "do_statement.body",
        "labeled_statement",
      ],
      clauses: [
        "catch_clause",
        "finally_clause",
        "switch_block_statement_group",
        "switch_rule",
        "annotation",
        "marker_annotation",
      ],
      never: ["switch_label"],
      // Only the `;` after an enum's constants is no part of a node.
      tail: /^$/,
      comments: ["line_comment", "block_comment"],
    },
  },
  {
    name: "C",
    extensions: ["c", "h"],
    interpreters: ["tcc"],
    grammar: "c",
    rules: c,
    rival: "C++",
  },
  {
    name: "C++",
    extensions: ["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "ino"],
    grammar: "cpp",
    rules: {
      ...c,
      lists: [
        ...c.lists,
        "template_parameter_list",
        "template_argument_list",
        "field_initializer_list",
        "lambda_capture_specifier",
      ],
      bodies: [...c.bodies!, "for_range_loop.body"],
      clauses: [...c.clauses!, "catch_clause"],
    },
  },
  {
    name: "C#",
    extensions: ["cs", "csx"],
    interpreters: ["dotnet-script"],
    grammar: "c-sharp",
    rules: {
      lists: [
        "declaration_list",
        "block",
        "enum_member_declaration_list",
        "accessor_list",
        "argument_list",
        "bracketed_argument_list",
        "parameter_list",
        "initializer_expression",
        "anonymous_object_creation_expression",
        "attribute_argument_list",
        "property_pattern_clause",
        "type_parameter_list",
        "type_argument_list",
        "switch_body",
        "switch_section",
      ],
      bodies: [
        ...braced,
        "if_statement.alternative",
        "foreach_statement.body",
        "do_statement.body",
      ],
      clauses: [
        "catch_clause",
        "finally_clause",
        "switch_section",
        "switch_expression_arm",
        "attribute_list",
      ],
    },
  },
  {
    name: "Ruby",
    extensions: ["rb", "rake", "gemspec", "ru", "podspec", "jbuilder", "rbi"],
    files: [
      "rakefile",
      "gemfile",
      "guardfile",
      "podfile",
      "vagrantfile",
      "capfile",
      "fastfile",
      "appraisals",
      "brewfile",
      "berksfile",
      "dangerfile",
    ],
    interpreters: ["ruby", "jruby", "macruby", "rake"],
    grammar: "ruby",
    rules: {
      lists: [
        "begin",
        "begin_block",
        "end_block",
        "else",
        "ensure",
        "do",
        "argument_list",
        "array",
        "hash",
        "hash_pattern",
        "array_pattern",
        "method_parameters",
        "block_parameters",
        "parenthesized_statements",
        "string_array",
        "symbol_array",
      ],
      heredoc: { opening: "heredoc_beginning", body: "heredoc_body" },
      wrappers: ["body_statement", "then", "block_body"],
      clauses: ["elsif", "else", "rescue", "ensure", "when", "in_clause"],
      // The grammar nests each alternative in the one before it.
      openEnded: ["elsif", "else"],
    },
  },
  {
    name: "PHP",
    extensions: ["php", "phtml", "php3", "php4", "php5", "phps", "inc"],
    interpreters: ["php"],
    grammar: "php",
    rules: {
      lists: [
        "compound_statement",
        "declaration_list",
        "enum_declaration_list",
        "arguments",
        "formal_parameters",
        "array_creation_expression",
        "list_literal",
        "match_block",
        "switch_block",
        "case_statement!value",
        "default_statement",
        "use_list",
        "namespace_use_group",
        "property_hook_list",
        "colon_block",
        "attribute_list",
      ],
      bodies: [
        "if_statement.body",
        "for_statement.body",
        "foreach_statement.body",
        "while_statement.body",
        "do_statement.body",
        "else_clause.body",
        "else_if_clause.body",
      ],
      clauses: [
        "else_clause",
        "else_if_clause",
        "catch_clause",
        "finally_clause",
        "case_statement",
        "default_statement",
        "attribute_list",
      ],
      never: ["php_tag", "text", "text_interpolation", "colon_block"],
      // The last comma of a grouped `use`.
      forgives: { within: ["namespace_use_group"], text: /^,$/ },
    },
  },
  {
    name: "Kotlin",
    extensions: ["kt", "kts", "ktm"],
    interpreters: ["kotlin"],
    grammar: "kotlin",
    rules: {
      lists: [
        "class_body",
        "enum_class_body",
        "value_arguments",
        "function_value_parameters",
        "primary_constructor",
        "collection_literal",
        "type_parameters",
        "type_arguments",
        "lambda_parameters",
        "when_expression",
      ],
      wrappers: ["statements", "import_list", "control_structure_body"],
      joins: {
        property_declaration: ["getter", "setter"],
        getter: ["setter"],
        label: ["for_statement", "while_statement", "do_while_statement", "call_expression"],
      },
      halves: ["label"],
      continues: { try_expression: /^finally\b/ },
      openEnded: ["import_header"],
      clauses: ["when_entry", "catch_block", "finally_block", "annotation"],
      never: ["when_subject"],
      tail: /^$/,
      comments: ["line_comment", "multiline_comment"],
    },
  },
  {
    name: "Scala",
    extensions: ["scala", "sc", "sbt"],
    interpreters: ["scala", "scala-cli", "amm"],
    grammar: "scala",
    rules: {
      lists: [
        "template_body",
        "enum_body",
        "block",
        "arguments",
        "parameters",
        "class_parameters",
        "type_parameters",
        "type_arguments",
        "tuple_expression",
        "namespace_selectors",
        "case_block",
        "case_clause.body",
        "extension_definition.body",
      ],
      wrappers: ["indented_block", "indented_cases", "with_template_body", "enumerators"],
      // The marker `end Name`, `end if`.
      joins: {
        "*": ["end"],
        end: [
          "_end_ident",
          "if",
          "for",
          "while",
          "match",
          "try",
          "given",
          "extension",
          "new",
          "this",
          "val",
        ],
      },
      clauses: ["case_clause", "catch_clause", "finally_clause", "annotation"],
      comments: ["comment", "block_comment"],
    },
  },
  {
    name: "Swift",
    extensions: ["swift"],
    interpreters: ["swift"],
    grammar: "swift",
    rules: {
      lists: [
        "class_body",
        "protocol_body",
        "enum_class_body",
        "computed_property",
        "protocol_property_requirements",
        "value_arguments",
        "array_literal",
        "willset_didset_block",
        "switch_statement",
        "type_parameters",
        "tuple_expression",
        "function_declaration",
        "dictionary_literal.key",
      ],
      keys: ["dictionary_literal.key"],
      wrappers: ["statements"],
      clauses: ["switch_entry", "catch_block", "attribute"],
      comments: ["comment", "multiline_comment"],
    },
  },
  {
    name: "Dart",
    extensions: ["dart"],
    interpreters: ["dart"],
    grammar: "dart",
    rules: {
      lists: [
        "class_body",
        "enum_body",
        "extension_body",
        "block",
        "arguments",
        "formal_parameter_list",
        "optional_formal_parameters",
        "list_literal",
        "set_or_map_literal",
        "switch_block",
        "record_literal",
        "type_parameters",
        "switch_statement_case",
        "switch_statement_default",
      ],
      bodies: [
        "if_statement.consequence",
        "if_statement.alternative",
        "for_statement.body",
        "while_statement.body",
        "do_statement.body",
      ],
      clauses: [
        "switch_statement_case",
        "switch_statement_default",
        "switch_expression_case",
        "finally_clause",
      ],
      never: ["function_body", "selector"],
      folds: ["annotation"],
      halves: [
        "final_builtin",
        "const_builtin",
        "inferred_type",
        "type_identifier",
        "type_arguments",
        "nullable_type",
      ],
      joins: {
        "*": [
          "selector",
          "cascade_section",
          "static_final_declaration_list",
          "initialized_identifier_list",
        ],
        final_builtin: ["type_identifier"],
        const_builtin: ["type_identifier"],
        type_identifier: ["type_arguments", "nullable_type"],
        type_arguments: ["nullable_type"],
        function_signature: ["function_body"],
        method_signature: ["function_body"],
        getter_signature: ["function_body"],
        setter_signature: ["function_body"],
      },
      comments: ["comment", "documentation_comment"],
    },
  },
  {
    name: "Bash",
    extensions: ["sh", "bash", "zsh", "ksh", "bats", "ebuild", "command"],
    files: [
      ".bashrc",
      ".bash_profile",
      ".bash_aliases",
      ".bash_login",
      ".bash_logout",
      ".profile",
      ".zshrc",
      ".zshenv",
      ".zprofile",
      ".zlogin",
      ".zlogout",
      ".kshrc",
      ".envrc",
      "pkgbuild",
      "apkbuild",
    ],
    interpreters: ["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "bats"],
    grammar: "bash",
    rules: {
      lists: [
        "compound_statement",
        "do_group",
        "subshell",
        "array",
        "command_substitution",
        "if_statement!condition",
        "elif_clause",
        "else_clause",
        "case_item!value",
      ],
      clauses: ["elif_clause", "else_clause", "case_item"],
    },
  },
  {
    name: "PowerShell",
    extensions: ["ps1", "psm1", "psd1"],
    interpreters: ["pwsh", "powershell"],
    grammar: "powershell",
    rules: {
      lists: ["class_statement", "enum_statement", "param_block"],
      wrappers: [
        "parameter_list",
        "class_method_parameter_list",
        "catch_clauses",
        "elseif_clauses",
        "switch_clauses",
        "statement_list",
        "script_block",
        "script_block_body",
        "named_block_list",
        "hash_literal_body",
      ],
      // An empty script block.
      forgives: { within: ["empty_statement"], text: /^$/ },
      clauses: [
        "elseif_clause",
        "else_clause",
        "catch_clause",
        "finally_clause",
        "switch_clause",
        "named_block",
      ],
    },
  },
  {
    name: "Lua",
    extensions: ["lua", "rockspec"],
    files: [".luacheckrc"],
    interpreters: ["lua", "luajit"],
    grammar: "lua",
    rules: {
      lists: ["table_constructor", "arguments", "parameters"],
      wrappers: ["block"],
      clauses: ["elseif_statement", "else_statement"],
    },
  },
  {
    name: "Elixir",
    extensions: ["ex", "exs"],
    interpreters: ["elixir"],
    grammar: "elixir",
    rules: {
      lists: [
        "do_block",
        "else_block",
        "rescue_block",
        "catch_block",
        "after_block",
        "anonymous_function",
        "block",
        "arguments",
        "list",
        "tuple",
        "map",
        "bitstring",
      ],
      wrappers: ["body", "keywords", "map_content"],
      clauses: ["stab_clause", "else_block", "rescue_block", "catch_block", "after_block"],
      never: ["do_block"],
    },
  },
  {
    name: "Haskell",
    extensions: ["hs", "hs-boot"],
    interpreters: ["runghc", "runhaskell", "stack", "cabal"],
    grammar: "haskell",
    rules: {
      lists: [
        "do",
        "list",
        "tuple",
        "fields",
        "exports",
        "import_list",
        "where",
        "case",
        "record.field",
      ],
      leaders: ["|", ","],
      wrappers: [
        "declarations",
        "imports",
        "class_declarations",
        "instance_declarations",
        "local_binds",
        "alternatives",
        "data_constructors",
        "gadt_constructors",
      ],
      comments: ["comment", "haddock"],
    },
  },
  {
    name: "Julia",
    extensions: ["jl"],
    interpreters: ["julia"],
    grammar: "julia",
    rules: {
      lists: [
        "module_definition!name",
        "function_definition",
        "macro_definition",
        "struct_definition",
        "if_statement!condition",
        "argument_list",
        "vector_expression",
        "tuple_expression",
        "elseif_clause!condition",
        "else_clause",
        "for_statement",
        "while_statement!condition",
        "try_statement",
        "catch_clause",
        "finally_clause",
        "let_statement",
        "do_clause",
        "compound_statement",
        "quote_statement",
      ],
      clauses: ["elseif_clause", "else_clause", "catch_clause", "finally_clause"],
      never: ["signature", "for_binding"],
      // Between a call's arguments a `;` parts the keywords: no row may lose it unsaid.
      tail: /^$/,
      comments: ["line_comment", "block_comment"],
    },
  },
  {
    name: "OCaml",
    extensions: ["ml"],
    files: [".ocamlinit"],
    interpreters: ["ocaml"],
    grammar: "ocaml",
    rules: {
      lists: [
        "structure",
        "signature",
        "record_declaration",
        "record_expression",
        "list_expression",
        "array_expression",
        "object_expression",
        "class_body_type",
        // Where a sequence may stand: an expression alone there is a body of one statement.
        "let_expression.body",
        "let_binding.body",
        "fun_expression.body",
        "method_definition.body",
        "class_initializer.initializer",
        "match_case.body",
        "then_clause",
        "else_clause",
        "do_clause",
        "try_expression.expression",
        "parenthesized_expression",
      ],
      wrappers: ["sequence_expression", "let_expression", "variant_declaration"],
      clauses: [
        "match_case",
        "else_clause",
        "constructor_declaration",
        "item_attribute",
        ...ocamlBindings,
      ],
      joins: { value_definition: ["in"], open_module: ["in"] },
      leaders: ["|", "and"],
      tail: /^;;?/,
    },
  },
  {
    name: "OCaml interface",
    extensions: ["mli"],
    grammar: "ocaml_interface",
    rules: {
      lists: ["structure", "signature", "record_declaration", "class_body_type"],
      wrappers: ["variant_declaration"],
      clauses: ["constructor_declaration", "item_attribute", ...ocamlBindings],
      leaders: ["|", "and"],
    },
  },
  {
    name: "Zig",
    extensions: ["zig", "zon"],
    grammar: "zig",
    rules: {
      lists: [
        "block",
        "struct_declaration",
        "enum_declaration",
        "union_declaration",
        "error_set_declaration",
        "parameters",
        "arguments",
        "initializer_list",
        "switch_expression",
      ],
      bodies: [
        "if_statement.body",
        "else_clause.alternative",
        "while_statement.body",
        "for_statement.body",
      ],
      clauses: ["switch_case", "else_clause"],
    },
  },
  {
    name: "HTML",
    extensions: ["html", "htm", "xhtml"],
    grammar: "html",
    rules: markup,
  },
  { name: "CSS", extensions: ["css"], grammar: "css", rules: css },
  { name: "SCSS", extensions: ["scss"], scan: styleRanges },
  { name: "Less", extensions: ["less"], scan: styleRanges },
  {
    name: "Vue",
    extensions: ["vue"],
    grammar: "vue",
    rules: markup,
  },
  {
    name: "Svelte",
    extensions: ["svelte"],
    grammar: "svelte",
    rules: {
      ...markup,
      lists: [
        ...markup.lists,
        ...svelteClauses,
        "if_statement",
        "each_statement",
        "await_statement",
        "key_statement",
      ],
      clauses: svelteClauses,
      pairs: { node: "expression", open: /^\{\s*#snippet\b/, close: /^\{\s*\/snippet\b/ },
      // The marks of `{#snippet}`, `{/snippet}`, `{@render}` and other tags newer than the grammar.
      forgives: { within: ["expression"], text: /^[#/@]$/ },
      openEnded: svelteClauses,
      never: [
        ...markup.never!,
        ...svelteTags,
        "else_expr",
        "else_if_expr",
        "then_expr",
        "catch_expr",
      ],
    },
  },
  {
    name: "JSON",
    extensions: ["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest", "map"],
    files: [".babelrc", ".eslintrc", ".prettierrc", ".swcrc", "composer.lock", "flake.lock"],
    grammar: "json",
    rules: { ...json, forgives: { within: ["object", "array"], text: /^,$/ } },
  },
  {
    name: "YAML",
    extensions: ["yaml", "yml"],
    files: [".clang-format", ".clang-tidy", ".clangd", ".gemrc"],
    grammar: "yaml",
    rules: {
      lists: ["flow_mapping", "flow_sequence"],
      wrappers: [
        "stream",
        "document",
        "block_node",
        "block_mapping",
        "block_sequence",
        "flow_node",
      ],
    },
  },
  {
    name: "TOML",
    extensions: ["toml"],
    files: ["cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile", "gopkg.lock"],
    grammar: "toml",
    rules: {
      lists: ["table", "table_array_element", "array", "inline_table"],
      openEnded: ["table", "table_array_element"],
      never: ["bare_key", "quoted_key", "dotted_key"],
    },
  },
  {
    name: "HCL",
    extensions: ["hcl", "tf", "tfvars", "nomad", "tofu"],
    files: [".terraform.lock.hcl", ".terraformrc"],
    grammar: "hcl",
    rules: {
      lists: ["object", "tuple"],
      wrappers: ["body", "function_arguments"],
      never: ["object_start", "object_end", "block_start", "block_end", "tuple_start", "tuple_end"],
    },
  },
  {
    name: "Make",
    extensions: ["mk", "mak", "make"],
    files: ["makefile", "gnumakefile", "bsdmakefile", "makefile.am", "makefile.in", "kbuild"],
    interpreters: ["make", "gmake"],
    grammar: "make",
    rules: {
      lists: ["conditional", "else_directive", "elsif_directive"],
      wrappers: ["recipe"],
      openEnded: ["rule", "recipe"],
      detached: ["conditional"],
      clauses: ["else_directive", "elsif_directive", "recipe_line"],
      // Prerequisites of a static pattern rule before those of order only, and a variable that a target exports.
      forgives: { within: ["rule"], text: /^=$|\|$/ },
      // The colon of a rule with nothing behind it.
      tail: /^&?::?/,
    },
  },
  {
    name: "Solidity",
    extensions: ["sol"],
    grammar: "solidity",
    rules: {
      lists: [
        "contract_body",
        "function_body",
        "block_statement",
        "struct_body",
        "enum_body",
        "assembly_statement",
        "yul_block",
        "inline_array_expression",
        "import_directive.import_name",
      ],
      joins: { identifier: ["as"], as: ["identifier"] },
      wrappers: ["statement"],
      clauses: [
        "catch_clause",
        "parameter",
        "event_parameter",
        "error_parameter",
        "call_argument",
        "call_struct_argument",
      ],
    },
  },
  {
    name: "Markdown",
    extensions: ["md", "markdown", "mdown", "mkd"],
    grammar: "markdown",
    rules: {
      lists: ["block_quote", "list_item", "pipe_table"],
      wrappers: ["section", "list"],
      sections: {
        within: ["document", "section"],
        headings: ["atx_heading", "setext_heading"],
        ranks: {
          atx_h1_marker: 1,
          setext_h1_underline: 1,
          atx_h2_marker: 2,
          setext_h2_underline: 2,
          atx_h3_marker: 3,
          atx_h4_marker: 4,
          atx_h5_marker: 5,
          atx_h6_marker: 6,
        },
      },
      never: [
        "inline",
        "block_continuation",
        "pipe_table_delimiter_row",
        "atx_heading",
        "setext_heading",
      ],
      comments: [],
    },
  },
  { name: "SQL", extensions: ["sql", "ddl", "dml", "pgsql"], scan: sqlRanges },
];

/** The language of a file by its name, else by a `#!` line. */
export function languageOf(path: string, firstLine: string): Language | undefined {
  const name = path
    .slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const known = languages.find(({ files }) => files?.includes(name));
  if (known !== undefined) return known;
  const dot = name.lastIndexOf(".");
  if (dot > 0) return languages.find(({ extensions }) => extensions.includes(name.slice(dot + 1)));
  const program = interpreter(firstLine);
  return program === undefined
    ? undefined
    : languages.find(({ interpreters }) => interpreters?.includes(program));
}

/** By a word such as "ts", "javascript" or "SCSS". */
export function languageNamed(word: string): Language | undefined {
  const lower = word.toLowerCase();
  return languages.find(
    ({ name, extensions }) => name.toLowerCase() === lower || extensions.includes(lower),
  );
}

/** `#!/usr/bin/env -S python3.12 -u` runs "python3": a version's minor part says nothing about the grammar. */
function interpreter(line: string): string | undefined {
  const words = /^#!\s*(.*)/.exec(line)?.[1]?.trim().split(/\s+/);
  const base = (word: string | undefined) => word?.slice(word.lastIndexOf("/") + 1);
  let program = base(words?.[0]);
  if (program === "env") {
    program = base(words?.slice(1).find((word) => !word.startsWith("-") && !/^\w+=/.test(word)));
  }
  return program?.replace(/(?<=\d)\.[\d.]+$/, "");
}
