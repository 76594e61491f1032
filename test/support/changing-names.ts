import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

/**
 * For a host's `--import`: names that end in `.changing.test` have another address at every look, a local one and that
 * of a cloud's metadata service in turn, as a name has whose owner tries to be let in where they should not be.
 */
const looks = new Map<string, number>();
const lookup = dns.lookup as (name: string, options: object, done: (...result: unknown[]) => void) => void;

dns.lookup = ((name: string, options: { all?: boolean }, done: (...result: unknown[]) => void) => {
  if (!name.endsWith(".changing.test")) return lookup(name, options, done);
  const look = looks.get(name) ?? 0;
  looks.set(name, look + 1);
  const address = look % 2 === 0 ? "127.0.0.1" : "169.254.169.254";
  if (options.all) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
}) as typeof dns.lookup;
syncBuiltinESMExports();
