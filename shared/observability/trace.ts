import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../aws/observe.ts";
import { type RequestRecord, type Trace, withMetrics } from "./metrics.ts";

interface Running {
  trace: Trace;
  /** The highest stage among the calls that have ended. */
  endedStage: number;
}

const storage = new AsyncLocalStorage<Running>();
const newTrace = (): Trace => ({ readUnits: 0, writeUnits: 0, tableCalls: 0, stages: 0, otherCalls: 0 });

/** Runs `work` and returns its result and cost. The cost also counts towards an enclosing trace. */
export async function withTrace<T>(work: () => Promise<T>): Promise<{ result: T; trace: Trace }> {
  observeOnce();
  const outer = storage.getStore();
  const trace = newTrace();
  const before = outer?.endedStage ?? 0;
  try {
    return { result: await storage.run({ trace, endedStage: 0 }, work), trace };
  } finally {
    if (outer) {
      const { stages, ...sums } = trace;
      for (const key of Object.keys(sums) as (keyof typeof sums)[]) outer.trace[key] += sums[key];
      outer.trace.stages = Math.max(outer.trace.stages, before + stages);
      outer.endedStage = Math.max(outer.endedStage, before + stages);
    }
  }
}

/** The running request's trace. */
export const currentTrace = (): Trace | undefined => storage.getStore()?.trace;

let observing = false;
function observeOnce() {
  if (observing) return;
  observing = true;
  observeAwsCalls(async ({ client }, proceed) => {
    const running = storage.getStore();
    if (!running) return proceed();
    const { trace } = running;
    if (client !== "DynamoDBClient") {
      trace.otherCalls++;
      return proceed();
    }
    trace.tableCalls++;
    const stage = running.endedStage + 1;
    trace.stages = Math.max(trace.stages, stage);
    try {
      return await proceed();
    } finally {
      running.endedStage = Math.max(running.endedStage, stage);
    }
  });
}

type Writer = (record: RequestRecord, longPoll: boolean) => void;
// Not `console.log`, to which Lambda adds a prefix: CloudWatch extracts metrics only from a line of pure JSON.
export const writeLine: Writer = (record, longPoll) => {
  const fleet = process.env.SKEIN_FLEET;
  process.stdout.write(`${JSON.stringify(fleet ? withMetrics(record, fleet, longPoll) : record)}\n`);
};

let write = writeLine;

/** Lets a host write request records in its own way. The default is a line of JSON for each. */
export function writeRequestRecords(writer: Writer): void {
  write = writer;
}

/** Logs a request or job. `longPoll` excludes its duration from the metrics. */
export const logRequest = (record: RequestRecord, { longPoll = false } = {}) => write(record, longPoll);
