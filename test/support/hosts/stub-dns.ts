import dns from "node:dns";
import { get } from "node:http";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded with `--import` into the process of the functions: stubs DNS so that a name ending in `.<port>.names.test` resolves to
 * the addresses that a test's server on that port of 127.0.0.1 returns at each lookup; see names.ts.
 */
type Done = (error: Error | null, found?: unknown, family?: number) => void;
const lookup = dns.lookup as (...all: unknown[]) => void;

dns.lookup = ((name: string, ...rest: unknown[]) => {
  const [, port] = /\.(\d+)\.names\.test$/.exec(name) ?? [];
  if (port === undefined) return lookup(name, ...rest);
  const [options, done] = rest as [{ all?: boolean }, Done];
  ask(Number(port), name).then(
    (addresses) => {
      const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      if (options.all) done(null, found);
      else done(null, found[0]?.address, found[0]?.family);
    },
    (error: Error) => done(error),
  );
}) as typeof dns.lookup;
syncBuiltinESMExports();

const ask = (port: number, name: string) =>
  new Promise<string[]>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: `/${name}`, agent: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text));
    }).once("error", reject);
  });
