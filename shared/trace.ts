import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "./aws.ts";
import { withMetrics } from "./metrics.ts";

/** What one request or job has cost so far. */
export interface Trace {
  /** DynamoDB read request units. */
  readUnits: number;
  /** DynamoDB write request units. */
  writeUnits: number;
  /** Calls to the table. */
  tableCalls: number;
  /** Calls to other services. */
  otherCalls: number;
}

/** The line that a function logs for each request; never contains contents or credentials. */
export interface RequestRecord extends Trace {
  requestId: string;
  endpoint: string;
  status: number;
  userId?: number | undefined;
  durationMs: number;
}

const storage = new AsyncLocalStorage<Trace>();
const newTrace = (): Trace => ({ readUnits: 0, writeUnits: 0, tableCalls: 0, otherCalls: 0 });

/** Runs `work` and returns its result with what it cost; counts towards an enclosing trace too. */
export async function traced<T>(work: () => Promise<T>): Promise<{ result: T; trace: Trace }> {
  observeOnce();
  const outer = storage.getStore();
  const trace = newTrace();
  try {
    return { result: await storage.run(trace, work), trace };
  } finally {
    if (outer) for (const key of Object.keys(trace) as (keyof Trace)[]) outer[key] += trace[key];
  }
}

/** The running request's trace. */
export const currentTrace = (): Trace | undefined => storage.getStore();

let observing = false;
function observeOnce() {
  if (observing) return;
  observing = true;
  observeAwsCalls(async ({ client }, proceed) => {
    const trace = storage.getStore();
    if (trace) client === "DynamoDBClient" ? trace.tableCalls++ : trace.otherCalls++;
    return proceed();
  });
}

type Writer = (record: RequestRecord, holds: boolean) => void;
// Not by console, which in a Lambda puts words before a line or wraps it; CloudWatch takes metrics from a bare one alone.
let write: Writer = (record, holds) => {
  const fleet = process.env.SKEIN_FLEET;
  process.stdout.write(`${JSON.stringify(fleet ? withMetrics(record, fleet, holds) : record)}\n`);
};

/** Lets a host write request records in its own way; a Lambda writes one JSON line each. */
export function writeRequestRecords(writer: Writer): void {
  write = writer;
}

/** Writes the line of a request or job; one that `holds` may have waited on purpose. */
export const logRequest = (record: RequestRecord, { holds = false } = {}) => write(record, holds);
