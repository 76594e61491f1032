import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Whether this machine itself has the name. RFC 6761 reserves `localhost` and its subdomains: no DNS server answers for them. */
export const isLocalhostName = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

/**
 * Resolves names as `dns.lookup` does, and the subdomains of `localhost`, by which emulators of AWS name their APIs, to
 * 127.0.0.1: not every system resolves them.
 */
export const lookupWithLocalhost: LookupFunction = (name, options, callback) => {
  if (!name.endsWith(".localhost")) return lookup(name, options, callback);
  if (options.all) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};
