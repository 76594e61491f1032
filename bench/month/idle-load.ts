import { isRecurring, isWorker, loadFleet } from "../../infra/fleet.ts";
import { isUnconfigured } from "../../infra/queues.ts";
import type { Service } from "../../shared/limits.ts";
import { assumedMs, functionGb, prices } from "./prices.ts";

/** The AWS requests of a month without any traffic. */
export interface IdleLoad {
  /** Queues that Lambda polls. */
  queues: number;
  /** Runs that EventBridge Scheduler starts. */
  runs: number;
}

/** The load of an idle fleet, by the optional services that are set up. */
export type IdleLoadByServices = Record<"noMail" | "mail", IdleLoad>;

const servicesByName: Record<keyof IdleLoadByServices, Service[]> = {
  noMail: [],
  mail: ["mail"],
};

export const monthHours = 730;
const monthSeconds = monthHours * 3600;
const secondsOfRate = { "1 minute": 60, "5 minutes": 300, "1 hour": 3600, "1 day": 86_400 };

const concurrentPolls = 5;
const pollSeconds = 20;
/** The requests by which Lambda polls queues in a month: five concurrent long polls of 20 seconds for each queue. */
export const receivesOf = (queues: number) => (queues * concurrentPolls * monthSeconds) / pollSeconds;

export async function countIdleLoad(): Promise<IdleLoadByServices> {
  const fleet = await loadFleet();
  const count = (services: Service[]): IdleLoad => {
    const workers = fleet.filter(isWorker).filter(({ spec }) => !isUnconfigured(spec, services));
    const rates = fleet.filter(isRecurring).flatMap(({ spec }) => (isUnconfigured(spec, services) ? [] : [spec.rate]));
    const runs = Math.round(rates.reduce((sum, rate) => sum + monthSeconds / secondsOfRate[rate], 0));
    return { queues: workers.length, runs };
  };
  const counted = Object.entries(servicesByName).map(([name, services]) => [name, count(services)]);
  return Object.fromEntries(counted) as IdleLoadByServices;
}

const readUnitsOfRun = 3;

/** Dollars of an idle month, by service. */
export function idleCost({ queues, runs }: IdleLoad) {
  return {
    polls: receivesOf(queues) * prices.queueRequest,
    schedules: runs * prices.scheduleInvocation,
    functions: runs * (prices.lambdaRequest + (assumedMs / 1000) * functionGb * prices.lambdaGbSecond),
    table: runs * readUnitsOfRun * prices.readUnit,
    secret: prices.secretMonth,
  };
}
