import type { CallFigures, CountedCall } from "../calls.ts";
import { type FollowUpFigures, unitsOfFollowing } from "../follow-up/section.ts";
import { type ConnectedFigures, connectedBill } from "../waiting/connected.ts";
import { functionCallsIn, sumOf, type WaitFigures, wakeUpBill } from "../waiting/waiting.ts";
import { day, monthOf } from "./behaviour.ts";
import { type IdleLoad, idleCost } from "./idle-load.ts";
import { alarmsOf, dashboardOf, idleLogsCost, logsOf } from "./monitoring.ts";
import { costOfRun, prices } from "./prices.ts";

/** Stored bytes of a message, with its indexes and its part of the search index: rounded up. */
const storedMessageBytes = 4_000;
/** Bytes of a reply's headers. */
export const headerBytes = 250;
/** Bytes of SQS's reply at a wake-up route, which API Gateway passes to the client as the body of the redirect. */
const redirectBytes = 200;
const storedMonths = 12;

/** A month's bill in dollars, by part; `idle` is the cost without any traffic. */
export interface Bill {
  people: number;
  /** Requests to the gateway, including those of waiting clients. */
  requests: number;
  table: number;
  functions: number;
  gateway: number;
  waiting: number;
  storage: number;
  /** Bytes that leave AWS. */
  traffic: number;
  logs: number;
  /** The dashboard and its metrics, if there is one. */
  monitoring: number;
  idle: number;
  /** The deduction by AWS's permanent free allowances. */
  allowances: number;
}

/** The counts from which a bill is computed. */
export interface BillInputs {
  calls: CallFigures;
  waiting: WaitFigures;
  connected: ConnectedFigures;
  followUp: FollowUpFigures;
  idleLoad: IdleLoad;
}

const presencePing = "presence ping, incremental";
/** Operations whose cost depends on the number of users of the organization. */
const organizationWideOperations = new Set(["register, all read", presencePing]);

/**
 * The bill of a team, from the counted units; `traffic` multiplies its messages, reads and reactions, and `share` of its members are
 * connected by a WebSocket, as the web client is. The others wait at wake-up queues.
 */
export function billOf(
  people: number,
  { calls, waiting: waitFigures, connected, followUp, idleLoad }: BillInputs,
  { traffic = 1, dashboard = false, alarms = false, share = 1 } = {},
): Bill {
  const team = monthOf(people, traffic);
  const sizeFor = (users: number) => calls.sizes.find((size) => size.users >= users) ?? calls.sizes.at(-1);
  // A channel's operations depend on its size, the others on the size of the organization.
  const [channel, organization] = [sizeFor(Math.min(people, day.recipients)), sizeFor(people)];
  const countedAs = (name: string) =>
    (organizationWideOperations.has(name) ? organization : channel)?.counted.find(
      (call) => call.name === name,
    ) as CountedCall;
  const connections = connectedBill(
    connected,
    { people, clientHours: team.clientHours * share, posts: team.wakeUps * share },
    countedAs(presencePing),
  );
  const operations = {
    ...team.operations,
    [presencePing]: team.operations[presencePing]! * (1 - share) + connections.presenceRequests,
  };
  const sumOverOperations = (figureOf: (call: CountedCall) => number) =>
    Object.entries(operations).reduce((total, [name, times]) => total + figureOf(countedAs(name)) * times, 0);
  const operationCalls = sumOverOperations(() => 1);
  const sends = sumOverOperations(({ otherCalls }) => otherCalls) * prices.queueRequest;

  const waits = wakeUpBill(waitFigures, {
    ...team,
    clientHours: team.clientHours * (1 - share),
    wakeUps: team.wakeUps * (1 - share),
  });
  const waitRequests = waits.gateway / prices.gatewayRequest;
  const waitCalls = functionCallsIn(waits, { ...team, wakeUps: team.wakeUps * (1 - share) });
  const requests = operationCalls + waitRequests + connections.tickets;

  const following = unitsOfFollowing(followUp);
  // The log's subscribers run once for each message.
  const functions = sumOverOperations(({ stages }) => costOfRun(stages)) + team.messages * costOfRun();
  const checkBytes = countedAs("check for events").sentBytes;
  const redirectBodyBytes = (waitRequests - (waitCalls - team.notifierRuns)) * redirectBytes;
  const bytes =
    sumOverOperations(({ sentBytes }) => sentBytes) +
    team.wakeUps * (1 - share) * checkBytes +
    requests * headerBytes +
    redirectBodyBytes +
    connections.bytes;
  const trafficDollars = (bytes / 1e9) * prices.outGb;
  const { notifierRuns } = team;
  // The function that runs the log's subscribers logs a line like that of the notifier, and those of connections one like a check.
  const ofFollowers = {
    waitCalls: waitCalls + connections.calls + team.messages,
    notifierRuns: notifierRuns + team.messages,
  };
  const waitedRequests = waitRequests + connections.tickets;
  const logVolume = { operations, countedAs, waitRequests: waitedRequests, ...ofFollowers, runs: idleLoad.runs };
  const logs = logsOf(logVolume, { metrics: dashboard || alarms });
  // The messages of one year.
  const storage = ((team.messages * storedMonths * storedMessageBytes) / 1e9) * prices.tableGbMonth;
  const monitoring = dashboard ? dashboardOf(team) : alarms ? alarmsOf(team) : { dollars: 0, free: 0 };
  const idle = idleCost(idleLoad);
  const functionCalls =
    operationCalls + team.messages + waitCalls + connections.calls + connections.tickets + idleLoad.runs;
  const invocations = functionCalls * prices.lambdaRequest;
  const waitFunctions = waits.functions + connections.functions + connections.tickets * costOfRun();
  // What reports of presence have written need not be written again by the request for the presences of others.
  const sparedWrites = connections.presenceRequests * countedAs(presencePing).writeUnits * prices.writeUnit;
  // Pairs of a cost and the maximum that a month's allowance deducts from it. The first 25 GB of a table are free, without
  // their point-in-time recovery: 0.25 dollars a GB.
  const deductible = [
    [invocations, 1e6 * prices.lambdaRequest],
    [functions + waitFunctions + idle.functions - invocations, 400_000 * prices.lambdaGbSecond],
    [sends + waits.queues + idle.polls, 1e6 * prices.queueRequest],
    [storage * (0.25 / prices.tableGbMonth), 25 * 0.25],
    [trafficDollars, 100 * prices.outGb],
    [idle.schedules, 14e6 * prices.scheduleInvocation],
  ] as const;
  return {
    people,
    requests,
    table:
      sumOverOperations(({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit) +
      team.messages * (following.readUnits * prices.readUnit + following.writeUnits * prices.writeUnit) -
      sparedWrites,
    functions,
    gateway: operationCalls * prices.gatewayRequest,
    waiting:
      sumOf(waits) -
      waits.functions +
      waitFunctions +
      connections.gateway +
      connections.table +
      connections.tickets * prices.gatewayRequest +
      sends,
    storage,
    traffic: trafficDollars,
    logs: logs.dollars,
    monitoring: monitoring.dollars,
    idle: Object.values(idle).reduce((total, part) => total + part, 0),
    allowances: deductible.reduce(
      (total, [part, allowance]) => total + Math.min(part, allowance),
      logs.free + monitoring.free,
    ),
  };
}

/** The bill's parts by name; `monitoring` only if there is a dashboard. */
export function partsOf(bill: Bill): Record<string, number> {
  const { people: _, requests: __, allowances: ___, monitoring, ...parts } = bill;
  return { ...parts, ...(monitoring > 0 && { monitoring }) };
}

export const totalOf = (bill: Bill): number => Object.values(partsOf(bill)).reduce((sum, part) => sum + part, 0);

/** The cost of an idle fleet, before and after the allowances. */
export function idleTotals(idleLoad: IdleLoad): { total: number; paid: number } {
  const idle = idleCost(idleLoad);
  const total = Object.values(idle).reduce((sum, part) => sum + part, 0) + idleLogsCost(idleLoad);
  return { total, paid: Math.max(0, idle.polls - 1e6 * prices.queueRequest) + idle.table + idle.secret };
}

/** What is paid after the allowances. */
export const paidOf = (bill: Bill): number => totalOf(bill) - bill.allowances;
