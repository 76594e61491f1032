import dns from "node:dns";
import { get } from "node:http";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded with `--import` into the process of the functions: stubs DNS so that a name ending in `.<port>.names.test` resolves to
 * the addresses that a test's server on that port of 127.0.0.1 returns at each lookup; see names.ts.
 */

type Callback = (error: Error | null, found?: unknown, family?: number) => void;
const originalLookup = dns.lookup as (...args: unknown[]) => void;

dns.lookup = ((name: string, ...rest: unknown[]) => {
  const [, port] = /\.(\d+)\.names\.test$/.exec(name) ?? [];
  if (port === undefined) return originalLookup(name, ...rest);
  const [options, callback] = rest as [{ all?: boolean }, Callback];
  fetchAddresses(Number(port), name).then(
    (addresses) => {
      const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address, found[0]?.family);
    },
    (error: Error) => callback(error),
  );
}) as typeof dns.lookup;
syncBuiltinESMExports();

const fetchAddresses = (port: number, name: string) =>
  new Promise<string[]>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: `/${name}`, agent: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text));
    }).once("error", reject);
  });
