import { isRecurring, isWorker, loadFleet } from "../../infra/fleet.ts";
import { isIdle } from "../../infra/queues.ts";
import type { Service } from "../../shared/limits.ts";
import { assumedMs, functionGb, prices } from "./prices.ts";

/** The AWS requests of a month without any traffic. */
export interface IdleLoad {
  /** Queues that Lambda polls. */
  queues: number;
  /** Runs that EventBridge Scheduler starts. */
  runs: number;
}

/** The same by the optional services that are set up. */
export type IdleLoadByServices = Record<"neither" | "push" | "mail" | "both", IdleLoad>;

const servicesByName: Record<keyof IdleLoadByServices, Service[]> = {
  neither: [],
  push: ["push"],
  mail: ["mail"],
  both: ["push", "mail"],
};

export const monthHours = 730;
const monthSeconds = monthHours * 3600;
const seconds = { "1 minute": 60, "5 minutes": 300, "1 hour": 3600, "1 day": 86_400 };

/** Lambda polls each queue with five concurrent long polls of 20 seconds. */
export const receivesOf = (queues: number) => (queues * 5 * monthSeconds) / 20;

export async function countIdleLoad(): Promise<IdleLoadByServices> {
  const fleet = await loadFleet();
  const count = (services: Service[]): IdleLoad => {
    const workers = fleet.filter(isWorker).filter(({ spec }) => !isIdle(spec, services));
    const rates = fleet.filter(isRecurring).flatMap(({ spec }) => (isIdle(spec, services) ? [] : [spec.rate]));
    const runs = Math.round(rates.reduce((sum, rate) => sum + monthSeconds / seconds[rate], 0));
    return { queues: workers.length, runs };
  };
  const counted = Object.entries(servicesByName).map(([name, services]) => [name, count(services)]);
  return Object.fromEntries(counted) as IdleLoadByServices;
}

/** Dollars of an idle month, by service; a run of recurring work takes three read units. */
export function idleCost({ queues, runs }: IdleLoad) {
  return {
    polls: receivesOf(queues) * prices.queueRequest,
    schedules: runs * prices.scheduleInvocation,
    functions: runs * (prices.lambdaRequest + (assumedMs / 1000) * functionGb * prices.lambdaGbSecond),
    table: runs * 3 * prices.readUnit,
    secret: prices.secretMonth,
  };
}
