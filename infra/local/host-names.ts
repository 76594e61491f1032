import { isIP } from "node:net";
import { isLocalhostName } from "../../shared/base/localhost-names.ts";
import { parseServerUrl } from "../server-url.ts";
import { CannotStartError } from "./data-folder.ts";

/**
 * Protects the host against DNS rebinding: a web page can make its own server's name resolve to 127.0.0.1 and then read
 * anything there, but the browser still sends that name in `Host`.
 */

/** Parses a comma-separated list of names and addresses. */
export const parseHostNames = (setting = ""): string[] =>
  setting
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);

/** The URL in SKEIN_URL; undefined if it is empty. Throws if it has a path. */
export function serverUrlIn(setting = ""): string | undefined {
  const url = parseServerUrl(setting);
  if (setting !== "" && !url)
    throw new CannotStartError(`SKEIN_URL must be a URL without a path, such as https://chat.example: ${setting}`);
  return url;
}

/** Whether a request's `Host` is a loopback name of this machine or one of `configured`, with any port. */
export function isServedHost(header: string | undefined, configured: readonly string[]): boolean {
  const name = hostnameIn(header);
  return name !== undefined && (isLoopback(name) || configured.includes(name));
}

/** The name or address in a URL, as `isServedHost` compares it. */
export const hostNameOf = (url: string): string => hostnameIn(new URL(url).host) ?? "";

/** The name or address in a `Host` header, without the port and without the brackets of an IPv6 address. */
function hostnameIn(header = ""): string | undefined {
  const url = /[/?#@\\\s]/.test(header) ? null : URL.parse(`http://${header}`);
  return url?.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "") || undefined;
}

/** Whether a name or address is this machine's own. */
export const isLoopback = (name: string) =>
  isLocalhostName(name) || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
