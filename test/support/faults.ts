import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../../shared/aws/observe.ts";

/** Makes AWS calls of this process fail, to see what a function that dies there leaves behind. */

export class Injected extends Error {
  override name = "Injected";
}

interface Fault {
  remaining: number;
  afterwards: boolean;
}

/** A death at each of some calls (the first so many, or those named), before it is made and after it took effect. */
export const deathsAt = (calls: number | readonly number[]) =>
  (typeof calls === "number" ? Array.from({ length: calls }, (_, index) => index + 1) : calls).flatMap((call) =>
    (["before", "afterwards"] as const).map((when) => [call, when] as const),
  );

/** Cases run side by side; each sees its own fault alone. */
const faults = new AsyncLocalStorage<Fault>();
let observing = false;

/**
 * Runs `work` with its `nth` AWS call failing: before it is made, or (`afterwards`) after it took effect, as when a
 * function dies before the answer comes. Returns whether that many calls were made, and what became of `work`.
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
    // Whoever has died makes no further calls.
    if (fault.remaining < 0) throw new Injected("dead already");
    if (fault.afterwards) await proceed();
    throw new Injected("failed here");
  });
}
