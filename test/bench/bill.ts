import { type Asleep, asleepCost, monthHours } from "./asleep.ts";
import { day, monthOf } from "./behaviour.ts";
import { assumedMs, type CallFigures, type Counted } from "./calls.ts";
import { functionGb, prices } from "./prices.ts";
import { bellBill, callsIn, sumOf, type WaitFigures } from "./waiting.ts";

/** Bytes that a message keeps, with its indexes and search words. */
const keptBytes = 4_000;
/** Bytes of what a function and the gateway each write down of a request, as CloudWatch counts them, and of a reply's headers. */
const [functionLine, accessLine, headerBytes] = [560, 400, 250];
/** Metrics that the fleet writes: four of its requests, four of its jobs; these every hour. */
const metricsOfAKind = 4;
/** The dashboard and the metrics of jobs, which are there although nobody comes. */
const watchingAsleep = prices.dashboardMonth + metricsOfAKind * prices.metricMonth;

/** A month's bill in dollars, part by part; `asleep` is there although nobody comes. */
export interface Bill {
  people: number;
  /** Requests to the gateway, waiting among them. */
  requests: number;
  table: number;
  functions: number;
  gateway: number;
  waiting: number;
  storage: number;
  traffic: number;
  logs: number;
  watching: number;
  asleep: number;
  /** What AWS's allowances that never expire take off at most. */
  allowances: number;
}

export interface Counts {
  calls: CallFigures;
  waiting: WaitFigures;
  asleep: Asleep;
}

const everybodys = new Set(["register, all read", "presence ping, later"]);

/** The bill of a team, from the units that were counted; with `traffic` it writes, reads and reacts so many times as much. */
export function billOf(people: number, { calls, waiting: waitFigures, asleep }: Counts, traffic = 1): Bill {
  const team = monthOf(people, traffic);
  const sizeFor = (users: number) => calls.sizes.find((size) => size.users >= users) ?? calls.sizes.at(-1);
  // What concerns a channel concerns those who hear; the rest concerns everybody.
  const [channel, organization] = [sizeFor(Math.min(people, day.hearers)), sizeFor(people)];
  const countedAs = (name: string) =>
    (everybodys.has(name) ? organization : channel)?.counted.find((one) => one.name === name) as Counted;
  const sum = (of: (one: Counted) => number) =>
    Object.entries(team.acts).reduce((total, [name, times]) => total + of(countedAs(name)) * times, 0);
  const calledFor = sum(() => 1);
  const perCall = prices.lambdaRequest + (assumedMs / 1000) * functionGb * prices.lambdaGbSecond;
  const sends = sum(({ otherCalls }) => otherCalls) * prices.queueRequest;

  const waits = bellBill(waitFigures, team);
  const waitRequests = waits.gateway / prices.gatewayRequest;
  const waitCalls = callsIn(waits, team);
  const requests = calledFor + waitRequests;

  const functions = calledFor * perCall;
  const news = countedAs("look for events").sentBytes;
  const bytes = sum(({ sentBytes }) => sentBytes) + team.rings * news + requests * headerBytes;
  const traffics = (bytes / 1e9) * prices.outGb;
  const lines = (calledFor + waitCalls + asleep.runs) * functionLine + requests * accessLine;
  const logs = (lines / 1e9) * prices.logGb;
  const storage = ((team.messages * 12 * keptBytes) / 1e9) * prices.tableGbMonth;
  // Metrics of requests are paid for the hours in which there are any.
  const connected = (team.clientHours / people / monthHours) * metricsOfAKind * prices.metricMonth;
  const watching = watchingAsleep + connected;
  const idle = asleepCost(asleep);
  const started = (calledFor + waitCalls + asleep.runs) * prices.lambdaRequest;
  // What each allowance is taken off, and what it is at most.
  const free = [
    [started, 1e6 * prices.lambdaRequest],
    [functions + waits.functions + idle.functions - started, 400_000 * prices.lambdaGbSecond],
    [sends + waits.queues + idle.polls, 1e6 * prices.queueRequest],
    [storage * (0.25 / prices.tableGbMonth), 25 * 0.25],
    [traffics, 100 * prices.outGb],
    [logs, 5 * prices.logGb],
    [idle.schedules, 14e6 * prices.scheduleInvocation],
    [watching, 3 * prices.dashboardMonth + 10 * prices.metricMonth],
  ] as const;
  return {
    people,
    requests,
    table: sum(({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit),
    functions,
    gateway: calledFor * prices.gatewayRequest,
    waiting: sumOf(waits) + sends,
    // A year's messages: what a team has kept after the first.
    storage,
    traffic: traffics,
    logs,
    watching,
    asleep: Object.values(idle).reduce((total, part) => total + part, 0),
    allowances: free.reduce((total, [part, most]) => total + Math.min(part, most), 0),
  };
}

export const partsOf = ({ people: _, requests: __, allowances: ___, ...parts }: Bill): Record<string, number> => parts;

export const totalOf = (bill: Bill): number => Object.values(partsOf(bill)).reduce((sum, part) => sum + part, 0);

/** What a fleet costs that nobody uses: in all, and after the allowances. */
export function asleepOf(asleep: Asleep): { total: number; paid: number } {
  const idle = asleepCost(asleep);
  const logs = ((asleep.runs * functionLine) / 1e9) * prices.logGb;
  const total = Object.values(idle).reduce((sum, part) => sum + part, 0) + logs + watchingAsleep;
  return { total, paid: Math.max(0, idle.polls - 1e6 * prices.queueRequest) + idle.table + idle.secret };
}

/** What is paid after the allowances. */
export const paidOf = (bill: Bill): number => totalOf(bill) - bill.allowances;
