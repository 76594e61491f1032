import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** The origin of a request. Headers such as X-Forwarded-For only count if a trusted proxy has set them. */
interface Origin {
  sourceIp: string;
  /** The request's headers, without forwarding headers that no trusted proxy has set. */
  headers: Record<string, string>;
}

type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** Parses a comma-separated list of addresses and CIDRs; throws for anything else. */
export function parseProxies(list: string): Range[] {
  return list
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((entry) => {
      if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
      if (!ipaddr.isValid(entry)) throw new Error(`SKEIN_TRUSTED_PROXIES: ${entry} is neither an address nor a CIDR`);
      const address = ipaddr.process(entry);
      return [address, address.kind() === "ipv4" ? 32 : 128];
    });
}

export function isAmong(proxies: readonly Range[], address: string): boolean {
  if (proxies.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return proxies.some(
    ([range, prefixBits]) => range.kind() === parsed.kind() && parsed.match(range as never, prefixBits),
  );
}

/** Any client can send these headers: they only count if the connection comes from a configured proxy. */
const forwardingHeaders = /^(forwarded|x-forwarded-.+|x-real-ip)$/;

/** The origin of a request. Behind trusted proxies it is the last address in X-Forwarded-For that is not one of them. */
export function originOf(request: Pick<IncomingMessage, "headers" | "socket">, proxies: readonly Range[]): Origin {
  const remote = request.socket.remoteAddress ?? "127.0.0.1";
  const isTrusted = isAmong(proxies, remote);
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => isTrusted || !forwardingHeaders.test(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : (value ?? "")]),
  );
  if (!isTrusted) return { sourceIp: remote, headers };
  const forwardedAddresses = (headers["x-forwarded-for"] ?? "").split(",").map((address) => address.trim());
  const client = forwardedAddresses.findLast((address) => ipaddr.isValid(address) && !isAmong(proxies, address));
  return { sourceIp: client ?? remote, headers };
}
