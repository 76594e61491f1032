import { isIP } from "node:net";

/**
 * The names by which a host may be asked. A web page can have the name of its own server resolve to 127.0.0.1 (DNS
 * rebinding) and then read what it likes there; the browser still sends that name in `Host`.
 */

/** Names and addresses in a setting, separated by commas. */
export const namesIn = (setting = ""): string[] =>
  setting
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);

/** Whether a request's `Host` names this machine as it calls itself, or one of `configured`, at whatever port. */
export function isServedHost(header: string | undefined, configured: readonly string[]): boolean {
  const name = hostnameIn(header);
  return name !== undefined && (isLoopback(name) || configured.includes(name));
}

/** The name or address in a `Host` header, without the port and an IPv6 address's brackets. */
function hostnameIn(header = ""): string | undefined {
  const url = /[/?#@\\\s]/.test(header) ? null : URL.parse(`http://${header}`);
  return url?.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "") || undefined;
}

/** RFC 6761 keeps `localhost` and the names below it for this machine: no DNS server answers for them. */
const isLoopback = (name: string) =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  name === "::1" ||
  (isIP(name) === 4 && name.startsWith("127."));
