import ipaddr from "ipaddr.js";

/**
 * The network by which requests from an address are counted: an IPv4 address itself, or the /64 prefix of an IPv6 address,
 * because a single user usually controls a whole prefix.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : `${parsed.toNormalizedString().split(":", 4).join(":")}::/64`;
}
