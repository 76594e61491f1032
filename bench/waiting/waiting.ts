import { wakeUpRoutes } from "../../infra/waiting.ts";
import { defaultLifespanSeconds } from "../../shared/events/queue.ts";
import { touchSeconds } from "../../shared/store/delivery/event-queues.ts";
import { monthOf, type TeamMonth } from "../month/behaviour.ts";
import { dollars, functionGb, prices } from "../month/prices.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";

interface Step {
  readUnits: number;
  ms: number;
}

/** The cost of recording, now and then, that a waiting client is active. */
interface Noted {
  noted: { writeUnits: number };
}

/** The measured cost of each step of waiting. */
export interface WaitFigures {
  wakeUp: Record<"nothing" | "heartbeat" | "found", Step> & Noted & { notify: { queues: number; readUnits: number } };
  held: { poll: Step } & Noted;
}

/** Whether the figures are complete; older ones may lack `noted`. */
export const isCounted = ({ wakeUp, held }: WaitFigures): boolean =>
  [wakeUp, held].every((way) => way.noted !== undefined);

const team = monthOf(50);

/** The share of a processor that a function of 512 MB gets. */
const share = (functionGb * 1024) / 1769;
const functionSeconds = (ms: number) => ms / 1000 / share;
/** An always-on t4g.nano with its disk and public address. */
const container = 7;
const looksPerSecond = 10;

export interface WaitBill {
  gateway: number;
  functions: number;
  queues: number;
  /** The cost of read and write units. */
  table: number;
  always: number;
}

/** How often activity is recorded in an hour. */
const notes = 3600 / touchSeconds({ lifespan: defaultLifespanSeconds });
const notedFor = ({ noted }: Noted, clientHours: number) => clientHours * notes * noted.writeUnits * prices.writeUnit;

/** The cost of sending one wake-up, which takes about two milliseconds. */
const perWakeUp = functionSeconds(2) * functionGb * prices.lambdaGbSecond;
export const sumOf = (bill: WaitBill) => Object.values(bill).reduce((sum, part) => sum + part, 0);
const perCall = (ms: number) => prices.lambdaRequest + functionSeconds(ms) * functionGb * prices.lambdaGbSecond;

/** Polls per hour of a client, each of which ends with the next event or after `seconds`, for Poisson arrivals. */
const chainsPerHour = (seconds: number, wakeUpsPerHour: number) => {
  const rate = wakeUpsPerHour / 3600;
  return 3600 / ((1 - Math.exp(-seconds * rate)) / rate);
};

/** How many wake-up routes a client passes in a row (infra/waiting.ts), and how long it waits at each. */
export const wakeUpRouteCount = wakeUpRoutes.length;
const secondsAtRoute = Number(wakeUpRoutes[0]?.request("").WaitTimeSeconds);

/** What waiting at wake-up queues costs a team in a month, with the function that notifies them. */
export function wakeUpBill(
  { wakeUp }: WaitFigures,
  { people, clientHours, notifierRuns, wakeUps }: TeamMonth,
): WaitBill {
  const wakeUpsPerHour = wakeUps / clientHours;
  // Every chain passes all wake-up routes: a wake-up shortens the wait at a route but skips none.
  const chains = chainsPerHour(wakeUpRouteCount * secondsAtRoute, wakeUpsPerHour) * clientHours;
  const { nothing, heartbeat, found, notify } = wakeUp;
  // notify-waiters reads the records of all wake-up queues.
  const recordReads = Math.max(0.5, (notify.readUnits * people) / notify.queues);
  const emptyLooks = chains - wakeUps;
  const looks = wakeUps * perCall(found.ms) + emptyLooks * perCall(heartbeat.ms);
  return {
    gateway: (wakeUpRouteCount + 2) * chains * prices.gatewayRequest,
    functions: chains * perCall(nothing.ms) + looks + notifierRuns * perCall(5) + wakeUps * perWakeUp,
    queues: (wakeUpRouteCount * chains + wakeUps) * prices.queueRequest,
    table:
      (chains * nothing.readUnits +
        emptyLooks * heartbeat.readUnits +
        wakeUps * found.readUnits +
        notifierRuns * recordReads) *
        prices.readUnit +
      notedFor(wakeUp, clientHours),
    always: 0,
  };
}

/** How many calls to SQS the bill counts: those of API Gateway while clients wait, and those of the function that notifies. */
export const callsIn = ({ gateway, queues }: WaitBill, { wakeUps, notifierRuns }: TeamMonth): number =>
  gateway / prices.gatewayRequest - (queues / prices.queueRequest - wakeUps) + notifierRuns;

/** The most that AWS's permanent free allowances take off the bill of wake-up queues. */
function free(measured: WaitFigures): number {
  const bill = wakeUpBill(measured, team);
  const started = callsIn(bill, team) * prices.lambdaRequest;
  return (
    Math.min(started, 1e6 * prices.lambdaRequest) +
    Math.min(bill.functions - started, 400_000 * prices.lambdaGbSecond) +
    Math.min(bill.queues, 1e6 * prices.queueRequest)
  );
}

function heldBill({ held }: WaitFigures): WaitBill {
  const chains = chainsPerHour(24, team.wakeUps / team.clientHours) * team.clientHours;
  return {
    gateway: chains * prices.gatewayRequest,
    functions: chains * prices.lambdaRequest + team.clientHours * 3600 * functionGb * prices.lambdaGbSecond,
    queues: 0,
    table: ((team.clientHours * 3600) / 24) * held.poll.readUnits * prices.readUnit + notedFor(held, team.clientHours),
    always: 0,
  };
}

function hostBill({ held }: WaitFigures): WaitBill {
  const chains = chainsPerHour(24, team.wakeUps / team.clientHours) * team.clientHours;
  return {
    gateway: chains * prices.gatewayRequest,
    functions: 0,
    queues: 0,
    table:
      (chains * 2 + (team.clientHours / team.people) * 3600 * looksPerSecond * 0.5 + team.notifierRuns * 3) *
        prices.readUnit +
      notedFor(held, team.clientHours),
    always: container,
  };
}

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
    if (!isCounted(measured)) return "Not counted yet.";
    const bills = [
      { name: "wake-up-queue", bill: wakeUpBill(measured, team) },
      { name: "held", bill: heldBill(measured) },
      { name: "host", bill: hostBill(measured) },
    ];
    const { nothing, heartbeat, found, notify } = measured.wakeUp;
    const idleChains = 3600 / (wakeUpRouteCount * secondsAtRoute);
    const idle = {
      functions: 2 * idleChains,
      requests: (wakeUpRouteCount + 2) * idleChains,
      receives: wakeUpRouteCount * idleChains,
      ms: idleChains * (nothing.ms + heartbeat.ms),
      reads: idleChains * (nothing.readUnits + heartbeat.readUnits),
    };
    return `There are three ways to wait for events ([operating.md](operating.md#how-clients-wait-for-events)). This is what they cost a team of
${team.people} people in a month (${round(team.clientHours)} client-hours), if they use chat as described under [a month's bill](#a-months-bill). On average a client
receives events ${round(team.wakeUps / team.clientHours)} times an hour. The costs of sending, and of an idle fleet, are not included.

${table(
  ["month", "API Gateway", "Lambda", "SQS", "table", "always-on host", "total"],
  bills.map(({ name, bill }) => [
    `\`${name}\``,
    ...[bill.gateway, bill.functions, bill.queues, bill.table, bill.always].map(dollars),
    `**${dollars(sumOf(bill))}**`,
  ]),
)}

The permanent free tier of Lambda and SQS (a million requests each, 400,000 GB-seconds) is not deducted. If nothing else uses it, the
team pays ${dollars(sumOf(wakeUpBill(measured, team)) - free(measured))} with wake-up queues.

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
      notes * measured.wakeUp.noted.writeUnits,
      dollars(
        idle.requests * prices.gatewayRequest +
          idleChains * (perCall(nothing.ms) + perCall(heartbeat.ms)) +
          idle.receives * prices.queueRequest +
          idle.reads * prices.readUnit +
          notedFor(measured.wakeUp, 1),
      ),
    ],
    [
      "`held`",
      150,
      150,
      3600,
      0,
      Math.round(150 * measured.held.poll.readUnits),
      notes * measured.held.noted.writeUnits,
      dollars(
        150 * (prices.gatewayRequest + prices.lambdaRequest) +
          3600 * functionGb * prices.lambdaGbSecond +
          150 * measured.held.poll.readUnits * prices.readUnit +
          notedFor(measured.held, 1),
      ),
    ],
    [
      "`host`",
      150,
      0,
      0,
      0,
      300,
      notes * measured.held.noted.writeUnits,
      `${dollars(150 * prices.gatewayRequest + 300 * prices.readUnit + notedFor(measured.held, 1))} plus the host`,
    ],
  ],
)}

What the calculation uses: on one machine, checking for events takes ${nothing.readUnits} read units and ${nothing.ms.toFixed(1)} ms if there is none, ${
      found.readUnits
    } units and ${found.ms.toFixed(1)} ms if there is a message; a heartbeat takes ${heartbeat.readUnits} units and ${heartbeat.ms.toFixed(1)} ms. A held poll of ${Math.round(
      measured.held.poll.ms / 1000,
    )} s takes ${measured.held.poll.readUnits} read units. The function that notifies waiting clients reads the records of ${notify.queues} wake-up queues for ${notify.readUnits} units. Each client's activity
is recorded ${notes} times an hour, for ${
      measured.wakeUp.noted.writeUnits
    } write unit each. A function has 512 MB and therefore ${share.toFixed(
      2,
    )} of a processor, so its time is the measured time divided by that share. A host
reads the log ${looksPerSecond} times a second while anybody waits, once for all clients; its price is that of a t4g.nano with a disk and a public address. Holding polls in a
function of 128 MB would cost a quarter as much for Lambda, but the function would start four times as slowly.`;
  },
};
