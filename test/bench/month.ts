import { type Asleep, asleepCost, countAsleep } from "./asleep.ts";
import { assumedMs, type CallFigures, type Counted } from "./calls.ts";
import { dollars, functionGb, prices } from "./prices.ts";
import { type Section, table } from "./section.ts";

/** What an ordinary member does on a working day. */
const day = {
  workingDays: 22,
  connectedHours: 8,
  /** Messages sent: 12 to channels, 3 directly. */
  channelMessages: 12,
  directMessages: 3,
  fetches: 60,
  reactions: 5,
  edits: 1,
  /** The beginning and the end of each message's writing. */
  typing: 30,
  marksRead: 60,
  registrations: 3,
  /** Once a minute while connected. */
  presencePings: 480,
};

const teams = [5, 50, 500, 5000] as const;
/** So many connected people hear of what one does, or all of a smaller team: a poll of its own for each. */
const hearers = 20;

/** The smallest always-on hosts of which one can run a chat server for so many people, as public prices in dollars a month. */
const hosts: Record<(typeof teams)[number], { name: string; month: number }> = {
  5: { name: "t4g.small, 2 GB, with 20 GB of disk", month: 12.26 + 1.6 },
  50: { name: "t4g.small, 2 GB, with 20 GB of disk", month: 12.26 + 1.6 },
  500: { name: "t4g.large, 8 GB, with 100 GB of disk", month: 49.06 + 8 },
  5000: { name: "two t4g.2xlarge, 32 GB, and a db.t4g.xlarge, with 500 GB", month: 2 * 196.22 + 188.34 + 40 },
};

/** Bytes that a message keeps, with its indexes and search words. */
const keptBytes = 4_000;

export interface Bill {
  people: number;
  requests: number;
  tableUnits: number;
  compute: number;
  gateway: number;
  waiting: number;
  storage: number;
  rest: number;
  /** What the fleet costs although nobody uses it. */
  asleep: number;
  /** What AWS's allowances that never expire take off at most. */
  allowance: number;
}

const everybodys = new Set(["register, all read", "presence ping, later"]);

/** A month's bill of a team, from the units that were counted; `waiting` is dollars for a client and hour. */
export function billOf(people: number, figures: CallFigures, waiting: number, sleeping: Asleep): Bill {
  const sizeFor = (users: number) => figures.sizes.find((size) => size.users >= users) ?? figures.sizes.at(-1);
  // What concerns a channel concerns those who hear; the rest concerns everybody.
  const [channel, organization] = [sizeFor(Math.min(people, hearers)), sizeFor(people)];
  const costOf = (name: string) =>
    (everybodys.has(name) ? organization : channel)?.counted.find((one) => one.name === name) as Counted;
  const each: [string, number][] = [
    ["send to a channel", day.channelMessages],
    ["send directly", day.directMessages],
    ["fetch 100 of a topic", day.fetches],
    ["react", day.reactions],
    ["edit a message", day.edits],
    ["type", day.typing],
    ["mark one message as read", day.marksRead],
    ["register, all read", day.registrations],
    ["presence ping, later", day.presencePings],
    // An event reaches each connected client by a poll of its own.
    ["poll, one message", (day.channelMessages + day.reactions + day.edits + day.typing) * Math.min(people, hearers)],
  ];
  const month = people * day.workingDays;
  const sum = (of: (one: Counted) => number) =>
    each.reduce((total, [name, times]) => total + of(costOf(name)) * times, 0) * month;
  const requests = sum(() => 1);
  const messages = (day.channelMessages + day.directMessages) * month;
  const compute = requests * (prices.lambdaRequest + (assumedMs / 1000) * functionGb * prices.lambdaGbSecond);
  // A request's log line has about 300 bytes.
  const logs = (requests * 300 * prices.logGb) / 1e9;
  const out = (sum(({ replyBytes }) => replyBytes) / 1e9) * prices.outGb;
  const waits = people * day.workingDays * day.connectedHours * 180;
  const perCall = compute / requests;
  const storage = ((messages * 12 * keptBytes) / 1e9) * prices.tableGbMonth;
  const asleep = asleepCost(sleeping);
  const free = [
    [compute + waits * perCall, 1e6 * prices.lambdaRequest + 400_000 * prices.lambdaGbSecond],
    [waits * prices.queueRequest + asleep.polls, 1e6 * prices.queueRequest],
    [storage * (0.25 / prices.tableGbMonth), 25 * 0.25],
    [out, 100 * prices.outGb],
    [logs, 5 * prices.logGb],
  ] as const;
  return {
    people,
    requests,
    tableUnits: sum(({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit),
    compute,
    gateway: requests * prices.gatewayRequest,
    waiting: people * day.workingDays * day.connectedHours * waiting,
    // A year's messages: what a team has kept after the first.
    storage,
    rest: logs + out + sum(({ otherCalls }) => otherCalls) * prices.queueRequest,
    asleep: asleep.polls + asleep.rest,
    allowance: free.reduce((sum, [part, most]) => sum + Math.min(part, most), 0),
  };
}

export const totalOf = ({ tableUnits, compute, gateway, waiting, storage, rest, asleep }: Bill) =>
  tableUnits + compute + gateway + waiting + storage + rest + asleep;

/**
 * What a client costs that waits for an hour at a bell: every 20 s one wait (the gateway hands it to SQS itself) and one look
 * at the log by a function, through the gateway.
 */
export function waitingHour({ sizes }: CallFigures): number {
  const look = sizes[0]?.counted.find(({ name }) => name === "look for events") as Counted;
  const units = look.readUnits * prices.readUnit + look.writeUnits * prices.writeUnit;
  const compute = prices.lambdaRequest + (assumedMs / 1000) * functionGb * prices.lambdaGbSecond;
  return 180 * (2 * prices.gatewayRequest + prices.queueRequest + units + compute);
}

/** The bill of each team, and what it would pay for the smallest host. */
export const month: Section<Asleep | undefined> = {
  name: "month",
  document: "docs/cost.md",
  title: "A month's bill",
  measure: countAsleep,
  text: (asleep, all) => {
    if (!all.calls || !asleep) return "Not counted yet.";
    const bills = teams.map((people) => billOf(people, all.calls, waitingHour(all.calls), asleep));
    return [
      `Each person works ${day.workingDays} days of ${day.connectedHours} connected hours and in a day sends ${day.channelMessages} messages to channels and ${day.directMessages} directly, fetches`,
      `${day.fetches} times 100 messages, reacts ${day.reactions} times, edits ${day.edits} message, marks messages as read ${day.marksRead} times, opens the app ${day.registrations} times, says that`,
      `they type ${day.typing} times and that they are there once a minute; what one does wakes ${hearers} connected people, or all of a smaller`,
      "team, each by a poll of their own. They wait at bells, where no function runs while nothing happens. Units are those counted",
      `above; functions run ${assumedMs} ms for a request, which is assumed; the table keeps a year of messages. AWS's free allowances (a million`,
      "requests and 400,000 GB seconds of Lambda, a million of SQS, 25 GB of table, 100 GB out, 5 GB of logs) are in the last sum alone.",
      "",
      table(
        [
          "people",
          "requests",
          "table",
          "functions",
          "gateway",
          "waiting",
          "storage",
          "logs, traffic, queues",
          "asleep",
          "a month",
          "with allowances",
          "smallest always-on host",
        ],
        bills.map((bill) => {
          const host = hosts[bill.people as (typeof teams)[number]];
          return [
            bill.people,
            Math.round(bill.requests).toLocaleString("en-US"),
            ...[bill.tableUnits, bill.compute, bill.gateway, bill.waiting, bill.storage, bill.rest, bill.asleep].map(
              dollars,
            ),
            `**${dollars(totalOf(bill))}**`,
            dollars(totalOf(bill) - bill.allowance),
            `${dollars(host.month)} (${host.name})`,
          ];
        }),
      ),
      "",
      `*Asleep* is what a month costs in which nobody uses the fleet: Lambda asks each of its ${asleep.queues} queues for jobs all the time (about`,
      `650,000 requests a queue), EventBridge Scheduler starts ${asleep.runs.toLocaleString("en-US")} runs, and there is a secret. Alarms, if an address is given,`,
      "cost $0.10 each and are not in it.",
      "",
      "The hosts are on-demand prices of one machine without a replica, a backup or anybody who looks after it. A team that is always",
      "busy pays less for a host of its own than for requests; one that sleeps at night, or is small, pays less here.",
    ].join("\n");
  },
};
