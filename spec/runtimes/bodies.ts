import { openHost } from "../../adapters/host.ts";
import { detectRuntime } from "../../adapters/runtime.ts";
import { type Body, memoryBody, realBody } from "../conformance/body.ts";

/** Every host that can be held to a suite here: the one in memory, and the runtime's own. */
export const bodies: readonly Body[] = [
  memoryBody,
  realBody(detectRuntime().name, await openHost()),
];
