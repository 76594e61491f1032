import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../../shared/aws/observe.ts";

/** Makes AWS calls of this process fail, to test what a function that dies there leaves behind. */

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

/** The fault of the current asynchronous call chain, so that concurrent tests have separate ones. */
const faults = new AsyncLocalStorage<Fault>();
let observing = false;

/**
 * Runs `work` with its `nth` AWS call failing: before it is made, or (`afterwards`) after it took effect, as when a
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
  observeAwsCalls(async (_, proceed) => {
    const fault = faults.getStore();
    if (!fault) return proceed();
    fault.remaining--;
    if (fault.remaining > 0) return proceed();
    // A dead function makes no further calls.
    if (fault.remaining < 0) throw new InjectedFault("dead already");
    if (fault.afterwards) await proceed();
    throw new InjectedFault("failed here");
  });
}
