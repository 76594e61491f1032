import { wakeUpRoutes } from "../../infra/waiting.ts";
import { defaultLifespanSeconds } from "../../shared/features/events/queue.ts";
import { maxUsedAtLagSeconds } from "../../shared/store/delivery/event-queues.ts";
import { monthOf, type TeamMonth } from "../month/behaviour.ts";
import { dollars, functionGb, prices } from "../month/prices.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";

/** The cost of one step of waiting. */
interface Step {
  readUnits: number;
  /** The duration on the machine that ran the bench. */
  ms: number;
}

/** A waiting client's activity is recorded now and then, so that its event queue does not expire. */
interface ActivityFigures {
  /** The cost of recording it once. */
  noted: { writeUnits: number };
}

/** The measured cost of each step of waiting. */
export interface WaitFigures {
  /** Waiting at wake-up queues. */
  wakeUp: ActivityFigures & {
    /** `GET /events` that finds no event and redirects to the wake-up routes. */
    nothing: Step;
    /** The check at the end of the wake-up routes, if there is no event: the reply is a heartbeat. */
    heartbeat: Step;
    /** The check at the end of the wake-up routes, if there is an event. */
    found: Step;
    /** How the function that notifies waiting clients reads the records of so many wake-up queues. */
    notify: { queues: number; readUnits: number };
  };
  /** A function holds the poll until it sends a heartbeat. */
  held: ActivityFigures & { poll: Step };
}

const team = monthOf(50);

/** The memory with which Lambda gives a function a whole processor. */
const mbPerProcessor = 1769;
/** The share of a processor that a function of the fleet gets. */
export const processorShare = (functionGb * 1024) / mbPerProcessor;
/** The duration in a function of what takes `ms` milliseconds with a whole processor. */
export const functionSeconds = (ms: number) => ms / 1000 / processorShare;
/** The price of a month of an always-on t4g.nano with its disk and public address. */
const hostDollarsPerMonth = 7;
/** How often `npm run serve` reads the log while a client waits. */
const logReadsPerSecond = 10;
/** The read units of such a read if there is nothing new. */
const readUnitsOfLogRead = 0.5;
/** The read units of one poll at `npm run serve`. */
const readUnitsOfHostPoll = 2;
/** The read units by which `npm run serve` reads new entries of the log, once for all clients, when events occur. */
const readUnitsOfNewEntries = 3;
/** After this time a held poll without events ends with a heartbeat. */
const heldPollSeconds = 24;
/** The assumed duration of a run of the function that notifies wake-up queues, without sending. */
const notifierRunMs = 5;
/** The assumed duration of sending one wake-up. */
const sendWakeUpMs = 2;

/** Dollars of a month of waiting, by part. */
interface WaitBill {
  gateway: number;
  functions: number;
  queues: number;
  /** Read and write units. */
  table: number;
  /** An always-on host. */
  always: number;
}

/** How often a client's activity is recorded in an hour. */
const activityRecordsPerHour = 3600 / maxUsedAtLagSeconds({ lifespan: defaultLifespanSeconds });
const activityCost = ({ noted }: ActivityFigures, clientHours: number) =>
  clientHours * activityRecordsPerHour * noted.writeUnits * prices.writeUnit;

/** The cost of sending one wake-up, in addition to the run of the function that sends it. */
const costOfWakeUp = functionSeconds(sendWakeUpMs) * functionGb * prices.lambdaGbSecond;
export const sumOf = (bill: WaitBill) => Object.values(bill).reduce((sum, part) => sum + part, 0);
/** The cost of a function's run that takes `ms` milliseconds with a whole processor. */
const costOfCall = (ms: number) => prices.lambdaRequest + functionSeconds(ms) * functionGb * prices.lambdaGbSecond;

/**
 * The polls that a client makes in an hour, if each ends with the next wake-up or after `maxSeconds`. Assumes that wake-ups
 * are a Poisson process. A poll at wake-up queues includes the redirects that follow `GET /events`.
 */
const pollsPerHour = (maxSeconds: number, wakeUpsPerHour: number) => {
  if (wakeUpsPerHour === 0) return 3600 / maxSeconds;
  const wakeUpsPerSecond = wakeUpsPerHour / 3600;
  return 3600 / ((1 - Math.exp(-maxSeconds * wakeUpsPerSecond)) / wakeUpsPerSecond);
};

/** How many wake-up routes a client passes in one poll (infra/waiting.ts). */
const wakeUpRouteCount = wakeUpRoutes.length;
/** How long a client waits at each route. */
const secondsAtRoute = Number(wakeUpRoutes[0]?.request("").WaitTimeSeconds);

/**
 * What waiting at wake-up queues costs a team in a month, with the function that notifies them and those who are connected otherwise:
 * `people` are all whose records it reads, and `clientHours` and `wakeUps` those of clients at wake-up queues.
 */
export function wakeUpBill(
  { wakeUp }: WaitFigures,
  { people, clientHours, notifierRuns, wakeUps }: TeamMonth,
): WaitBill {
  const wakeUpsPerHour = clientHours === 0 ? 0 : wakeUps / clientHours;
  // Every poll passes all wake-up routes: a wake-up shortens the wait at a route, but no route is skipped. With `GET /events`
  // and the check at the end, a poll makes two more requests.
  const polls = pollsPerHour(wakeUpRouteCount * secondsAtRoute, wakeUpsPerHour) * clientHours;
  const { nothing, heartbeat, found, notify } = wakeUp;
  // notify-waiters reads the records of all wake-up queues.
  const recordReads = Math.max(0.5, (notify.readUnits * people) / notify.queues);
  const emptyChecks = polls - wakeUps;
  const checks = wakeUps * costOfCall(found.ms) + emptyChecks * costOfCall(heartbeat.ms);
  return {
    gateway: (wakeUpRouteCount + 2) * polls * prices.gatewayRequest,
    functions:
      polls * costOfCall(nothing.ms) + checks + notifierRuns * costOfCall(notifierRunMs) + wakeUps * costOfWakeUp,
    queues: (wakeUpRouteCount * polls + wakeUps) * prices.queueRequest,
    table:
      (polls * nothing.readUnits +
        emptyChecks * heartbeat.readUnits +
        wakeUps * found.readUnits +
        notifierRuns * recordReads) *
        prices.readUnit +
      activityCost(wakeUp, clientHours),
    always: 0,
  };
}

/**
 * What it costs to deliver an event to a client at a wake-up queue, except for waking it: a poll, which passes all wake-up routes,
 * and the check for events at its end.
 */
export function priceOfDelivery({ wakeUp: { nothing, found } }: WaitFigures): number {
  return (
    (wakeUpRouteCount + 2) * prices.gatewayRequest +
    wakeUpRouteCount * prices.queueRequest +
    costOfCall(nothing.ms) +
    costOfCall(found.ms) +
    (nothing.readUnits + found.readUnits) * prices.readUnit
  );
}

/**
 * The function runs that a bill of wake-up queues counts: the requests that API Gateway does not pass to SQS, and the runs of
 * the notifier. The bill's SQS requests are those of waiting clients and one for each wake-up.
 */
export const functionCallsIn = ({ gateway, queues }: WaitBill, { wakeUps, notifierRuns }: TeamMonth): number =>
  gateway / prices.gatewayRequest - (queues / prices.queueRequest - wakeUps) + notifierRuns;

/** Waiting in functions that hold the polls. */
function heldBill({ held }: WaitFigures): WaitBill {
  const polls = pollsPerHour(heldPollSeconds, team.wakeUps / team.clientHours) * team.clientHours;
  return {
    gateway: polls * prices.gatewayRequest,
    functions: polls * prices.lambdaRequest + team.clientHours * 3600 * functionGb * prices.lambdaGbSecond,
    queues: 0,
    table:
      ((team.clientHours * 3600) / heldPollSeconds) * held.poll.readUnits * prices.readUnit +
      activityCost(held, team.clientHours),
    always: 0,
  };
}

/** Waiting at `npm run serve`. It reads new entries as often as wake-up queues would be notified. */
function hostBill({ held }: WaitFigures): WaitBill {
  const polls = pollsPerHour(heldPollSeconds, team.wakeUps / team.clientHours) * team.clientHours;
  return {
    gateway: polls * prices.gatewayRequest,
    functions: 0,
    queues: 0,
    table:
      (polls * readUnitsOfHostPoll +
        (team.clientHours / team.people) * 3600 * logReadsPerSecond * readUnitsOfLogRead +
        team.notifierRuns * readUnitsOfNewEntries) *
        prices.readUnit +
      activityCost(held, team.clientHours),
    always: hostDollarsPerMonth,
  };
}

/** How many times as much polls cost a team that functions hold, compared with wake-up queues. */
export const heldPriceRatio = (measured: WaitFigures): number =>
  sumOf(heldBill(measured)) / sumOf(wakeUpBill(measured, team));

const round = (value: number) => Math.round(value).toLocaleString("en-US");

/** The cost of a month of waiting for a team, for each of the three ways of waiting. */
export const waiting: Section<WaitFigures> = {
  name: "waiting",
  document: "docs/cost.md",
  title: "The price of waiting",
  measure: async () => ({
    wakeUp: await runInChildProcess("wait-process.ts", "wake-up-queue"),
    held: await runInChildProcess("wait-process.ts", "held"),
  }),
  text: (measured) => {
    const bills = [
      { name: "wake-up-queue", bill: wakeUpBill(measured, team) },
      { name: "held", bill: heldBill(measured) },
      { name: "host", bill: hostBill(measured) },
    ];
    const { nothing, heartbeat } = measured.wakeUp;
    const idleHeldPolls = 3600 / heldPollSeconds;
    const idlePollsPerHour = 3600 / (wakeUpRouteCount * secondsAtRoute);
    /** An hour in which one client waits at wake-up queues and nothing happens. */
    const idle = {
      functions: 2 * idlePollsPerHour,
      requests: (wakeUpRouteCount + 2) * idlePollsPerHour,
      receives: wakeUpRouteCount * idlePollsPerHour,
      ms: idlePollsPerHour * (nothing.ms + heartbeat.ms),
      reads: idlePollsPerHour * (nothing.readUnits + heartbeat.readUnits),
    };
    return `The cost of the [three ways to wait for events](operating.md#how-clients-wait-for-events) for ${team.people} people in a month (${round(team.clientHours)} client-hours, events
${round(team.wakeUps / team.clientHours)} times an hour), not counting sending or an idle fleet:

${table(
  ["month", "API Gateway", "Lambda", "SQS", "table", "always-on host", "total"],
  bills.map(({ name, bill }) => [
    `\`${name}\``,
    ...[bill.gateway, bill.functions, bill.queues, bill.table, bill.always].map(dollars),
    `**${dollars(sumOf(bill))}**`,
  ]),
)}

An hour in which one client waits and nothing happens:

${table(
  [
    "an idle client-hour",
    "requests",
    "function calls",
    "function seconds",
    "SQS requests",
    "read units",
    "write units",
    "total",
  ],
  [
    [
      "`wake-up-queue`",
      idle.requests,
      idle.functions,
      functionSeconds(idle.ms).toFixed(1),
      idle.receives,
      Math.round(idle.reads),
      activityRecordsPerHour * measured.wakeUp.noted.writeUnits,
      dollars(
        idle.requests * prices.gatewayRequest +
          idlePollsPerHour * (costOfCall(nothing.ms) + costOfCall(heartbeat.ms)) +
          idle.receives * prices.queueRequest +
          idle.reads * prices.readUnit +
          activityCost(measured.wakeUp, 1),
      ),
    ],
    [
      "`held`",
      idleHeldPolls,
      idleHeldPolls,
      3600,
      0,
      Math.round(idleHeldPolls * measured.held.poll.readUnits),
      activityRecordsPerHour * measured.held.noted.writeUnits,
      dollars(
        idleHeldPolls * (prices.gatewayRequest + prices.lambdaRequest) +
          3600 * functionGb * prices.lambdaGbSecond +
          idleHeldPolls * measured.held.poll.readUnits * prices.readUnit +
          activityCost(measured.held, 1),
      ),
    ],
    [
      "`host`",
      idleHeldPolls,
      0,
      0,
      0,
      idleHeldPolls * readUnitsOfHostPoll,
      activityRecordsPerHour * measured.held.noted.writeUnits,
      `${dollars(idleHeldPolls * prices.gatewayRequest + idleHeldPolls * readUnitsOfHostPoll * prices.readUnit + activityCost(measured.held, 1))} plus the host`,
    ],
  ],
)}

A function's time is the measured time divided by its share of a processor, ${processorShare.toFixed(2)}. The host is a t4g.nano with a disk and a public
address; it reads the log ${logReadsPerSecond} times a second while anybody waits.`;
  },
};
