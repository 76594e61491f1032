import ipaddr from "ipaddr.js";

/**
 * Whom an address stands for where requests are counted: an IPv4 address itself, of an IPv6 address its first 64 bits, since
 * whoever has one has all the others.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : `${parsed.toNormalizedString().split(":", 4).join(":")}::/64`;
}
