import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AwsServices } from "./aws-calls.ts";
import { InvocationValue } from "./invocation.ts";
import { limits } from "./limits.ts";
import type { Table } from "./table-port/port.ts";
import type { BuiltName } from "./uses.ts";

/** Properties of the process that runs functions: a Lambda function's own process, or a host that runs the whole fleet. */
export interface Host {
  /** Reads a gzipped file that the build generates (`uses.built`). */
  builtFile(name: BuiltName): Promise<Uint8Array>;
  /** The storage of each `ProcessCache`, which outlives requests. */
  memory(): WeakMap<object, object>;
  /**
   * How long a poll for events sleeps after this many reads of the log that found nothing. An entry that this process
   * writes, or reads on behalf of all clients (`notifyListeners`), wakes the poll earlier. A read costs half a unit.
   */
  pauseBetweenReadsMs(readCount: number): number;
  /** The maximum size of a reply's body as JSON text. */
  maxBodyBytes: number;
  /** The maximum size of a file that is uploaded in a request. */
  maxUploadBytes: number;
  /** The table to use in place of the DynamoDB that the environment names. */
  table(): Table | undefined;
  /** The fleet's secret to use in place of the one that the environment names. */
  secret(): string | undefined;
  /** What answers calls in place of AWS. */
  aws(): AwsServices | undefined;
  /** For how long requests that have begun may still write. */
  settleMs: number;
}

const ownMemory = new WeakMap<object, object>();

/** The default: a deployed function is alone in its process, and its bundle contains the built files. */
const host: Host = {
  builtFile: (name) => readFile(join(import.meta.dirname, `${name}.gz`)),
  memory: () => ownMemory,
  pauseBetweenReadsMs: (readCount) => (readCount < 5 ? 200 : 1000),
  // Lambda's limit for a response is 6 MB, as JSON text with status, headers and body.
  maxBodyBytes: 6 * 1024 * 1024 - 16_384,
  maxUploadBytes: limits.maxLambdaFileBytes,
  table: () => undefined,
  secret: () => undefined,
  aws: () => undefined,
  // More than the time limits of endpoints and of what they commit.
  settleMs: 120_000,
};

/** Overrides properties of this process. Must be called before its first request. */
export function provideHost(overrides: Partial<Host>): void {
  Object.assign(host, overrides);
}

const hostsOfWork = new InvocationValue<Readonly<Host>>("host");

export const currentHost = (): Readonly<Host> => hostsOfWork.get() ?? host;

/** Runs `work` with other properties of the process than the rest of it. */
export const withHost = <T>(overrides: Partial<Host>, work: () => Promise<T>): Promise<T> =>
  hostsOfWork.run({ ...currentHost(), ...overrides }, work);
