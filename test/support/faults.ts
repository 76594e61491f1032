import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { observeTableCalls, type TableCall } from "../../shared/base/table-port/observe.ts";

/** Makes calls of this process to the table and to AWS fail, to test what a function that dies there leaves behind. */

export class InjectedFault extends Error {
  override name = "Injected";
}

interface Fault {
  /** How many calls are left until the failing one, itself included. */
  remaining: number;
  afterwards: boolean;
}

/**
 * The parameters `nth` and `when` of `withFailure` for the deaths to try: before and after the effect of each of the first
 * `calls` calls, or of each call that `calls` lists.
 */
export const deathsAt = (calls: number | readonly number[]) =>
  (typeof calls === "number" ? Array.from({ length: calls }, (_, index) => index + 1) : calls).flatMap((call) =>
    (["before", "afterwards"] as const).map((when) => [call, when] as const),
  );

/** A table that refuses calls because of its load, beyond the SDK's retries. */
interface Throttling {
  /** How many calls are left until the first refused one, itself included. */
  remaining: number;
  /** Whether the calls after it are refused, too: all of them, or every other one. */
  lasts: boolean | "every other";
}

const throttlings = new AsyncLocalStorage<Throttling>();
let throttling = false;

/**
 * Runs `work` with its `nth` call to the table refused as DynamoDB refuses calls above its throughput, and, if this `lasts`, all
 * later ones. Returns whether `work` made that many calls, and its result.
 */
export async function withThrottling<T>(
  nth: number,
  lasts: boolean,
  work: () => Promise<T>,
): Promise<{ reached: boolean; result: T }> {
  throttleOnDemand();
  const state: Throttling = { remaining: nth, lasts };
  const result = await throttlings.run(state, work);
  return { result, reached: state.remaining <= 0 };
}

/** Runs `work` while the table refuses every other call. */
export function whileThrottled<T>(work: () => Promise<T>): Promise<T> {
  throttleOnDemand();
  return throttlings.run({ remaining: 1, lasts: "every other" }, work);
}

function throttleOnDemand() {
  if (throttling) return;
  throttling = true;
  observeTableCalls(async (call, proceed) => {
    const state = throttlings.getStore();
    if (!state) return proceed();
    state.remaining--;
    if (state.remaining > 0 || (state.remaining < 0 && !state.lasts)) return proceed();
    if (state.lasts === "every other" && state.remaining % 2 !== 0) return proceed();
    throw throttled(call);
  });
}

/** DynamoDB's error for a call above its throughput. */
export function throttled({ name, request }: TableCall): Error {
  if (name !== "transact")
    return Object.assign(new Error("Throughput exceeded"), { name: "ProvisionedThroughputExceededException" });
  const CancellationReasons = request.writes.map(() => ({ Code: "ThrottlingError" }));
  return Object.assign(new Error("Canceled"), { name: "TransactionCanceledException", CancellationReasons });
}

/** The fault of the current asynchronous call chain, so that concurrent tests have separate ones. */
const faults = new AsyncLocalStorage<Fault>();
let observing = false;

/**
 * Runs `work` with its `nth` call to the table or to AWS failing: before it is made, or (`afterwards`) after it took effect, as when a
 * function dies before the answer comes. Returns whether `work` made that many calls, and its result or error.
 */
export async function withFailure<T>(
  nth: number,
  when: "before" | "afterwards",
  work: () => Promise<T>,
): Promise<{ reached: boolean; result?: T; error?: unknown }> {
  observe();
  const fault: Fault = { remaining: nth, afterwards: when === "afterwards" };
  try {
    return { result: await faults.run(fault, work), reached: fault.remaining <= 0 };
  } catch (error) {
    return { error, reached: fault.remaining <= 0 };
  }
}

function observe() {
  if (observing) return;
  observing = true;
  observeTableCalls((_, proceed) => failing(proceed));
  observeAwsCalls((_, proceed) => failing(proceed));
}

async function failing<T>(proceed: () => Promise<T>): Promise<T> {
  const fault = faults.getStore();
  if (!fault) return proceed();
  fault.remaining--;
  if (fault.remaining > 0) return proceed();
  // A dead function makes no further calls.
  if (fault.remaining < 0) throw new InjectedFault("dead already");
  if (fault.afterwards) await proceed();
  throw new InjectedFault("failed here");
}
