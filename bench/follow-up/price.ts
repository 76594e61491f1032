import { costOfRun, prices } from "../month/prices.ts";
import { type Caused, jobsPerRun, sending, subscribers, type Usage, waking } from "./conversation.ts";

/** What a message costs with all that it causes, from what a conversation used. */

interface Cost {
  readUnits: number;
  writeUnits: number;
  dollars: number;
}

/**
 * What one message costs: sending it, waking clients, the log's subscribers, and the jobs of these. SES's own price of a mail is
 * not included.
 */
interface CostOfMessage extends Record<"sending" | "waking" | "subscribers" | "jobs" | "total", Cost> {}

/** SQS bills sending a job, and receiving and deleting the jobs of a run. */
const queueRequestsPerRun = 2;
/** The function that notifies waiting clients has a whole processor, and reads their records in one stage. */
const notifierGb = 1769 / 1024;
const stagesOfNotifier = 1;

export function costOfMessage({ messages, steps, work, wakeUps }: Caused): CostOfMessage {
  const named = (names: readonly string[]) => Object.entries(work).filter(([name]) => names.includes(name));
  const followers = subscribers.map(({ name }) => name);
  const jobNames = Object.keys(work).filter((name) => ![sending, waking, ...followers].includes(name));
  const costOf = (usages: readonly [string, Usage][], others: number): Cost => {
    const sum = (figure: keyof Usage) => usages.reduce((total, [, usage]) => total + usage[figure], 0);
    const [readUnits, writeUnits] = [sum("readUnits"), sum("writeUnits")];
    const dollars = readUnits * prices.readUnit + writeUnits * prices.writeUnit + others;
    return { readUnits: readUnits / messages, writeUnits: writeUnits / messages, dollars: dollars / messages };
  };
  const jobs = named(jobNames);
  const runsOfJobs = jobs.reduce((total, [, { runs }]) => total + Math.ceil(runs / jobsPerRun), 0);
  const queued = named(followers).reduce((total, [, { otherCalls }]) => total + otherCalls, 0);
  const costs = {
    sending: costOf(named([sending]), messages * (prices.gatewayRequest + costOfRun())),
    waking: costOf(named([waking]), messages * costOfRun(stagesOfNotifier, notifierGb) + wakeUps * prices.queueRequest),
    subscribers: costOf(named(followers), steps * costOfRun()),
    jobs: costOf(
      jobs,
      runsOfJobs * (costOfRun() + queueRequestsPerRun * prices.queueRequest) + queued * prices.queueRequest,
    ),
  };
  const total = (figure: keyof Cost) => Object.values(costs).reduce((sum, cost) => sum + cost[figure], 0);
  return {
    ...costs,
    total: { readUnits: total("readUnits"), writeUnits: total("writeUnits"), dollars: total("dollars") },
  };
}
