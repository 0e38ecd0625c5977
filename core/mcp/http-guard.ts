// Who may talk to the HTTP endpoint: nobody whom a browser sent here under a wrong name, and nobody without the token.

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GuardOptions {
  /** The name that the server was told to listen on. */
  readonly host: string;
  readonly token: string;
}

/**
 * A page can point its own name at this machine (DNS rebinding), but not change the name that the browser then sends. So
 * the only names that are taken are localhost, the one that the server listens on, and addresses, which cannot be pointed
 * anywhere.
 */
export function refusalOf(headers: Headers, { host, token }: GuardOptions): Refusal | undefined {
  const asked = headers.get("host");
  if (asked === null || !isKnownHost(asked, host)) {
    return { status: 403, message: `Host ${JSON.stringify(asked ?? "")} is not served here.` };
  }
  const origin = headers.get("origin");
  if (origin !== null && origin !== "" && !isKnownOrigin(origin, asked, host)) {
    return { status: 403, message: `Origin ${JSON.stringify(origin)} may not be here.` };
  }
  const given = /^Bearer +([^ ]+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (given !== undefined && isSame(given, token)) return undefined;
  return {
    status: 401,
    message:
      given === undefined
        ? "A bearer token is needed: Authorization: Bearer TOKEN."
        : "The bearer token is wrong.",
    headers: { "WWW-Authenticate": 'Bearer realm="atomic"' },
  };
}

function isKnownHost(asked: string, host: string): boolean {
  const name = nameOf(`http://${asked}`);
  if (name === undefined) return false;
  return name === "localhost" || isAddress(name) || name === nameOf(`http://${bracketed(host)}`);
}

/** A page of this very server, or one that is served from this machine. */
function isKnownOrigin(origin: string, asked: string, host: string): boolean {
  const name = nameOf(origin);
  if (name === undefined) return false;
  return (
    name === "localhost" ||
    isLoopback(name) ||
    (name === nameOf(`http://${asked}`) && isKnownHost(asked, host))
  );
}

function nameOf(url: string): string | undefined {
  try {
    const { protocol, hostname, username, password, pathname } = new URL(url);
    const isPlain = username === "" && password === "" && pathname === "/" && hostname !== "";
    return isPlain && /^https?:$/.test(protocol) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** As `URL` writes it: IPv4 in its four numbers, IPv6 in brackets. */
function isAddress(name: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(name) || name.startsWith("[");
}

export function isLoopback(name: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(name) || name === "[::1]";
}

export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Takes as long for a wrong text as for the right one, so that how long it takes tells nothing. */
export function isSame(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let at = 0; at < secret.length; at++) {
    // Past its end a text gives NaN, which counts as 0.
    difference |= given.charCodeAt(at) ^ secret.charCodeAt(at);
  }
  return difference === 0;
}
