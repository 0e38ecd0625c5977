import type { Http } from "../../core/ports/http.ts";

export const systemHttp: Http = {
  fetch: (url, init) => globalThis.fetch(url, init),
};
