import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuiltName } from "./uses.ts";

/** What the process that runs the functions knows and a function does not. */
export interface Host {
  /** A file that the build makes of the fleet (`uses.built`), gzipped. */
  builtFile(name: BuiltName): Promise<Uint8Array>;
  /** What the process keeps from one request for the next ones: the entries of each `ProcessCache`, by the cache. */
  memory(): WeakMap<object, object>;
  /**
   * How long a poll for events sleeps after so many looks at the log that found nothing. What this process writes, or
   * reads on behalf of all (`notifyListeners`), wakes it earlier. A look is half a read unit.
   */
  pauseBetweenLooksMs(looks: number): number;
}

const ownMemory = new WeakMap<object, object>();

/** A deployed function is alone in its process, and what the build has made lies beside its code. */
const host: Host = {
  builtFile: (name) => readFile(join(import.meta.dirname, `${name}.gz`)),
  memory: () => ownMemory,
  pauseBetweenLooksMs: (looks) => (looks < 5 ? 200 : 1000),
};

/** Says what is different in this process, before its first request. */
export function provideHost(known: Partial<Host>): void {
  Object.assign(host, known);
}

export const currentHost = (): Readonly<Host> => host;
