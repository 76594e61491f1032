import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** What of a request is whose word: its connection's, and its headers' only where a proxy has set them. */
interface Origin {
  sourceIp: string;
  /** The request's headers, those of proxies left out where none was there. */
  headers: Record<string, string>;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads a comma-separated list of addresses and CIDRs; throws for what is neither. */
export function proxiesIn(list: string): Range[] {
  return list
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((entry) => {
      if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
      if (!ipaddr.isValid(entry)) throw new Error(`SKEIN_TRUSTED_PROXIES: ${entry} is no address or CIDR`);
      const address = ipaddr.process(entry);
      return [address, address.kind() === "ipv4" ? 32 : 128];
    });
}

function isAmong(proxies: readonly Range[], address: string): boolean {
  if (proxies.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return proxies.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range as never, bits));
}

/** Anybody can send these: they count only where the connection comes from a configured proxy. */
const setByProxies = /^(forwarded|x-forwarded-.+|x-real-ip)$/;

/** Where a request comes from: behind trusted proxies, the last address before the first of them. */
export function originOf(request: Pick<IncomingMessage, "headers" | "socket">, proxies: readonly Range[]): Origin {
  const remote = request.socket.remoteAddress ?? "127.0.0.1";
  const isTrusted = isAmong(proxies, remote);
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => isTrusted || !setByProxies.test(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : (value ?? "")]),
  );
  const passed = (headers["x-forwarded-for"] ?? "").split(",").map((address) => address.trim());
  const client = passed.findLast((address) => ipaddr.isValid(address) && !isAmong(proxies, address));
  return { sourceIp: (isTrusted && client) || remote, headers };
}
