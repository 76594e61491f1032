import { observeAwsCalls } from "../aws/observe.ts";
import { fleetName } from "../environment.ts";
import { InvocationValue } from "../invocation.ts";
import { observeTableCalls } from "../table-port/observe.ts";
import { type RequestRecord, type Trace, withMetrics } from "./metrics.ts";

interface RunningTrace {
  trace: Trace;
  /** The highest stage among the calls that have ended. */
  endedStage: number;
}

const storage = new InvocationValue<RunningTrace>("trace");
const newTrace = (): Trace => ({ readUnits: 0, writeUnits: 0, tableCalls: 0, stages: 0, otherCalls: 0 });

/** Runs `work` and returns its result and cost. Within another trace, the cost is added to that one too. */
export async function withTrace<T>(work: () => Promise<T>): Promise<{ result: T; trace: Trace }> {
  observeOnce();
  const outer = storage.get();
  const trace = newTrace();
  const endedBefore = outer?.endedStage ?? 0;
  try {
    return { result: await storage.run({ trace, endedStage: 0 }, work), trace };
  } finally {
    if (outer) {
      const { stages, ...sums } = trace;
      for (const key of Object.keys(sums) as (keyof typeof sums)[])
        outer.trace[key] = (outer.trace[key] ?? 0) + (sums[key] ?? 0);
      outer.trace.stages = Math.max(outer.trace.stages, endedBefore + stages);
      outer.endedStage = Math.max(outer.endedStage, endedBefore + stages);
    }
  }
}

/** The trace of the running request or job; undefined outside of one. */
export const currentTrace = (): Trace | undefined => storage.get()?.trace;

let isObserving = false;
/** Starts to count the calls of this process to the table and to AWS, unless it is counting them already. */
function observeOnce() {
  if (isObserving) return;
  isObserving = true;
  observeAwsCalls((_, proceed) => {
    const running = storage.get();
    if (running) running.trace.otherCalls++;
    return proceed();
  });
  observeTableCalls(async (_, proceed) => {
    const running = storage.get();
    if (!running) return proceed();
    const { trace } = running;
    trace.tableCalls++;
    const stage = running.endedStage + 1;
    trace.stages = Math.max(trace.stages, stage);
    const countRetries = (retries = 0) => {
      if (retries > 0) trace.tableRetries = (trace.tableRetries ?? 0) + retries;
    };
    try {
      const result = await proceed();
      countRetries(result.retries);
      return result;
    } catch (error) {
      countRetries(((error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) - 1);
      throw error;
    } finally {
      running.endedStage = Math.max(running.endedStage, stage);
    }
  });
}

type RecordWriter = (record: RequestRecord, longPoll: boolean) => void;

// Not `console.log`, to which Lambda adds a prefix: CloudWatch extracts metrics only from a line of pure JSON.
export const writeLine: RecordWriter = (record, longPoll) => {
  const fleet = fleetName();
  process.stdout.write(`${JSON.stringify(fleet ? withMetrics(record, fleet, longPoll) : record)}\n`);
};

let write = writeLine;

/** Replaces the function that writes the record of each request. The default writes a line of JSON. */
export function writeRequestRecords(writer: RecordWriter): void {
  write = writer;
}

/**
 * Writes the record of a request or job to the log. The duration of a `longPoll` is no metric, because it is mostly waiting.
 */
export const logRequest = (record: RequestRecord, { longPoll = false } = {}) => write(record, longPoll);
