import ipaddr from "ipaddr.js";

/** Which addresses users' requests may reach (protection against SSRF). */

/** Non-public addresses that the operator allows in `SKEIN_OUTGOING_ALLOW`. See docs/operating.md. */
export interface Exceptions {
  /** Lower case. */
  hosts: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** Parses a comma-separated list of host names, addresses and CIDRs; throws for invalid entries. */
export function exceptionsIn(list: string): Exceptions {
  const hosts = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of list.split(",").map((part) => part.trim().toLowerCase())) {
    if (entry === "") continue;
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) ranges.push(wholeAddress(ipaddr.process(entry)));
    else if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(entry)) hosts.add(entry);
    else throw new Error(`SKEIN_OUTGOING_ALLOW: ${entry} is no host name, address or CIDR`);
  }
  return { hosts, ranges };
}

const wholeAddress = (address: ipaddr.IPv4 | ipaddr.IPv6): [ipaddr.IPv4 | ipaddr.IPv6, number] => [
  address,
  address.kind() === "ipv4" ? 32 : 128,
];

/** The global unicast range in use; mapped, compatible and translated IPv4 addresses are outside of it and not public. */
const globalUnicast = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];

/** Whether an address is public: not private, loopback, link-local, metadata, multicast or reserved. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || (address as ipaddr.IPv6).match(globalUnicast);
}

/** Whether a request to `host` may go to the address that the name was resolved to. */
export function mayReach(host: string, address: string, { hosts, ranges }: Exceptions): boolean {
  if (isPublicAddress(address) || hosts.has(host.toLowerCase())) return true;
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range as never, bits));
}
