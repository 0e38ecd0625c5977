// What the server and the process that does its calls say to each other: one JSON object a line.

import type { CallToolResult } from "@modelcontextprotocol/server";

import type { Asked, Question } from "../questions/question.ts";

/** To the process that does the calls. */
export type Order =
  /** `root`: the folder that the client works in, absolute, where it named one. `asks`: whether a person can be asked. */
  | {
      readonly kind: "call";
      readonly id: number;
      readonly tool: string;
      readonly input: unknown;
      readonly root: string | undefined;
      readonly asks: boolean;
      /** Names of the tools that are served; absent: all of them. */
      readonly tools?: readonly string[] | undefined;
    }
  /** To the question of that number. */
  | { readonly kind: "answer"; readonly question: number; readonly asked: Asked }
  | { readonly kind: "cancel"; readonly id: number };

/** From it. */
export type Report =
  | { readonly kind: "done"; readonly id: number; readonly result: CallToolResult }
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly question: number;
      readonly questions: readonly Question[];
    }
  | { readonly kind: "progress"; readonly id: number; readonly text: string }
  /** `id`: the call that it belongs to. */
  | { readonly kind: "notice"; readonly id?: number; readonly text: string };

export function lineOf(message: Order | Report): string {
  return `${JSON.stringify(message)}\n`;
}
