import { type Asleep, asleepCost } from "./asleep.ts";
import { day, monthOf } from "./behaviour.ts";
import type { CallFigures, Counted } from "./calls.ts";
import { unitsOfProcesses } from "./presence-processes.ts";
import { assumedMs, functionGb, prices } from "./prices.ts";
import { callsIn, sumOf, type WaitFigures, wakeUpBill } from "./waiting.ts";
import { dashboardOf, logsAsleep, logsOf } from "./watching.ts";

/** Bytes that a message keeps, with its indexes and search words. */
const keptBytes = 4_000;
/** Bytes of a reply's headers, and of what SQS says at a place where a client waits, which goes to the client. */
export const headerBytes = 250;
const atPlaceBytes = 200;

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
  /** The dashboard and its metrics, if there is one. */
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
export function billOf(
  people: number,
  { calls, waiting: waitFigures, asleep }: Counts,
  { traffic = 1, dashboard = false } = {},
): Bill {
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

  const waits = wakeUpBill(waitFigures, team);
  const waitRequests = waits.gateway / prices.gatewayRequest;
  const waitCalls = callsIn(waits, team);
  const requests = calledFor + waitRequests;

  const functions = calledFor * perCall;
  const news = countedAs("look for events").sentBytes;
  const atPlaces = (waitRequests - (waitCalls - team.news)) * atPlaceBytes;
  const bytes = sum(({ sentBytes }) => sentBytes) + team.wakeUps * news + requests * headerBytes + atPlaces;
  const traffics = (bytes / 1e9) * prices.outGb;
  const written = { acts: team.acts, countedAs, waitRequests, waitCalls, news: team.news, runs: asleep.runs };
  const logs = logsOf(written, { dashboard });
  const storage = ((team.messages * 12 * keptBytes) / 1e9) * prices.tableGbMonth;
  const watching = dashboard ? dashboardOf(team) : { dollars: 0, free: 0 };
  const idle = asleepCost(asleep);
  const started = (calledFor + waitCalls + asleep.runs) * prices.lambdaRequest;
  // What each allowance is taken off, and what it is at most.
  const free = [
    [started, 1e6 * prices.lambdaRequest],
    [functions + waits.functions + idle.functions - started, 400_000 * prices.lambdaGbSecond],
    [sends + waits.queues + idle.polls, 1e6 * prices.queueRequest],
    [storage * (0.25 / prices.tableGbMonth), 25 * 0.25],
    [traffics, 100 * prices.outGb],
    [idle.schedules, 14e6 * prices.scheduleInvocation],
  ] as const;
  return {
    people,
    requests,
    table:
      sum(({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit) +
      unitsOfProcesses(people) * prices.readUnit,
    functions,
    gateway: calledFor * prices.gatewayRequest,
    waiting: sumOf(waits) + sends,
    // A year's messages: what a team has kept after the first.
    storage,
    traffic: traffics,
    logs: logs.dollars,
    watching: watching.dollars,
    asleep: Object.values(idle).reduce((total, part) => total + part, 0),
    allowances: free.reduce((total, [part, most]) => total + Math.min(part, most), logs.free + watching.free),
  };
}

/** The bill's parts by name; watching is one where there is a dashboard. */
export function partsOf(bill: Bill): Record<string, number> {
  const { people: _, requests: __, allowances: ___, watching, ...parts } = bill;
  return { ...parts, ...(watching > 0 && { watching }) };
}

export const totalOf = (bill: Bill): number => Object.values(partsOf(bill)).reduce((sum, part) => sum + part, 0);

/** What a fleet costs that nobody uses: in all, and after the allowances. */
export function asleepOf(asleep: Asleep): { total: number; paid: number } {
  const idle = asleepCost(asleep);
  const total = Object.values(idle).reduce((sum, part) => sum + part, 0) + logsAsleep(asleep);
  return { total, paid: Math.max(0, idle.polls - 1e6 * prices.queueRequest) + idle.table + idle.secret };
}

/** What is paid after the allowances. */
export const paidOf = (bill: Bill): number => totalOf(bill) - bill.allowances;
