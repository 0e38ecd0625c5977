import { ListenError } from "../../core/ports/http-server.ts";

import { errnoOf } from "./errno.ts";

export function listenError(thrown: unknown, host: string, port: number): unknown {
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;
  const shown = host.includes(":") ? `[${host}]` : host;
  return new ListenError(code, `${shown}:${port}`, { cause: thrown });
}
