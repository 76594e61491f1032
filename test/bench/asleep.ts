import { isRecurring, isWorker, loadFleet } from "../../infra/fleet.ts";
import { assumedMs } from "./calls.ts";
import { functionGb, prices } from "./prices.ts";

/** What is asked of AWS in a month in which nobody asks anything of the fleet. */
export interface Asleep {
  /** Queues that Lambda asks for jobs. */
  queues: number;
  /** Runs that EventBridge Scheduler starts. */
  runs: number;
}

const monthSeconds = 730 * 3600;
const seconds = { "1 minute": 60, "5 minutes": 300, "1 hour": 3600, "1 day": 86_400 };

/** Lambda asks each queue by five requests at a time, each of which waits 20 seconds for a job. */
const receivesOf = (queues: number) => (queues * 5 * monthSeconds) / 20;

export async function countAsleep(): Promise<Asleep> {
  const fleet = await loadFleet();
  const rates = fleet.flatMap((member) => {
    if (isRecurring(member)) return [member.spec.rate];
    return isWorker(member) && member.spec.recurring ? [member.spec.recurring.rate] : [];
  });
  const runs = Math.round(rates.reduce((sum, rate) => sum + monthSeconds / seconds[rate], 0));
  return { queues: fleet.filter(isWorker).length, runs };
}

/** Dollars of a month's polling, runs (three read units each) and secret. */
export function asleepCost({ queues, runs }: Asleep): { polls: number; rest: number } {
  const run =
    prices.scheduleInvocation +
    prices.lambdaRequest +
    (assumedMs / 1000) * functionGb * prices.lambdaGbSecond +
    3 * prices.readUnit;
  return { polls: receivesOf(queues) * prices.queueRequest, rest: runs * run + prices.secretMonth };
}
