import dns from "node:dns";
import { get } from "node:http";
import { syncBuiltinESMExports } from "node:module";

/**
 * For the `--import` of a process in which the fleet's functions run: a name that ends in `.<port>.names.test` has, at every
 * look, the addresses that a case's own server on that port of 127.0.0.1 answers; see names.ts.
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
