import { isRecurring, isWorker, loadFleet } from "../../infra/fleet.ts";
import { isQueued, isUnconfigured } from "../../infra/queues.ts";
import type { Service } from "../../shared/base/limits.ts";
import { costOfRun, functionGb, prices } from "./prices.ts";

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

/** Lambda polls a quiet queue by two requests at a time, and one whose mapping has a maximum concurrency by five. */
const concurrentPolls = 2;
const pollSeconds = 20;
/** The requests by which Lambda polls quiet queues in a month: two concurrent long polls of 20 seconds for each. */
export const receivesOf = (queues: number) => (queues * concurrentPolls * monthSeconds) / pollSeconds;

export async function countIdleLoad(): Promise<IdleLoadByServices> {
  const fleet = await loadFleet();
  const count = (services: Service[]): IdleLoad => {
    const workers = fleet
      .filter(isWorker)
      .filter((worker) => isQueued(worker) && !isUnconfigured(worker.spec, services));
    const rates = fleet.filter(isRecurring).flatMap(({ spec }) => (isUnconfigured(spec, services) ? [] : [spec.rate]));
    const runs = Math.round(rates.reduce((sum, rate) => sum + monthSeconds / secondsOfRate[rate], 0));
    return { queues: workers.length, runs };
  };
  const counted = Object.entries(servicesByName).map(([name, services]) => [name, count(services)]);
  return Object.fromEntries(counted) as IdleLoadByServices;
}

/**
 * A run of the scheduled smoke test (shared/features/smoke). Functions answer four requests and the one at the end of the wake-up routes, and SQS
 * three at the routes, besides the queue's creation, message and removal. The duration is assumed: two seconds of it the test waits.
 */
const smokeTestRun = { seconds: 3.5, functionRequests: 5, routes: 3, queueRequests: 6, readUnits: 20 };

const smokeTestsPerMonth = monthSeconds / secondsOfRate["5 minutes"];

/** Dollars of a month of smoke tests, after the allowances of Lambda and of EventBridge Scheduler, which cover a part. */
export function paidForSmokeTests(): number {
  const { functionRequests, routes, queueRequests, readUnits } = smokeTestRun;
  return (
    smokeTestsPerMonth *
    ((functionRequests + routes) * prices.gatewayRequest +
      queueRequests * prices.queueRequest +
      readUnits * prices.readUnit)
  );
}

/** Dollars of a month of smoke tests. */
export function smokeTestsCost(): number {
  const { seconds, functionRequests, routes, queueRequests, readUnits } = smokeTestRun;
  const run =
    prices.scheduleInvocation +
    (functionRequests + routes) * prices.gatewayRequest +
    prices.lambdaRequest +
    seconds * functionGb * prices.lambdaGbSecond +
    functionRequests * costOfRun() +
    queueRequests * prices.queueRequest +
    readUnits * prices.readUnit;
  return smokeTestsPerMonth * run;
}

const readUnitsOfRun = 3;
/** A sweep reads the account of what is due, and finds nothing. */
const stagesOfSweep = 2;

/** Dollars of an idle month, by service. */
export function idleCost({ queues, runs }: IdleLoad) {
  return {
    polls: receivesOf(queues) * prices.queueRequest,
    schedules: runs * prices.scheduleInvocation,
    functions: runs * costOfRun(stagesOfSweep),
    table: runs * readUnitsOfRun * prices.readUnit,
    secret: prices.secretMonth,
  };
}
