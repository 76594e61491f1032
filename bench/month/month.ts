import { barChart, type Figures, type Section, table } from "../section.ts";
import { behaviourInWords } from "./behaviour.ts";
import { type Bill, type BillInputs, billOf, headerBytes, idleTotals, paidOf, partsOf, totalOf } from "./bill.ts";
import { countIdleLoad, type IdleLoadByServices, idleCost, receivesOf } from "./idle-load.ts";
import { assumedMs, dollars, prices } from "./prices.ts";

const teams = [5, 50, 500, 5000] as const;

/** The smallest always-on host for a chat server of each size, at public prices in dollars a month. */
const hosts: Record<(typeof teams)[number], { name: string; monthDollars: number }> = {
  5: { name: "t4g.small, 2 GB, with 20 GB of disk", monthDollars: 12.26 + 1.6 },
  50: { name: "t4g.small, 2 GB, with 20 GB of disk", monthDollars: 12.26 + 1.6 },
  500: { name: "t4g.large, 8 GB, with 100 GB of disk", monthDollars: 49.06 + 8 },
  5000: { name: "two t4g.2xlarge, 32 GB, and a db.t4g.xlarge, with 500 GB", monthDollars: 2 * 196.22 + 188.34 + 40 },
};

/** The counts that the bill is computed from, for a fleet with neither push bouncer nor e-mail; undefined if one is missing. */
function countsIn({
  calls,
  waiting,
  connected,
  causes,
  month,
}: Figures): (BillInputs & { idleLoads: IdleLoadByServices }) | undefined {
  const counted: Partial<IdleLoadByServices> | undefined = month;
  if (!calls || !waiting || !connected || !causes || !counted?.neither) return undefined;
  return { calls, waiting, connected, causes, idleLoad: counted.neither, idleLoads: counted as IdleLoadByServices };
}

/** The shares of a team that use the web client, which is connected by a WebSocket. */
const shares = [
  [1, "all use the web client"],
  [0.5, "half of them"],
  [0, "none: all use clients that poll"],
] as const;

/** The README's table of bills: of teams that use the web client, after the allowances and in total, of others, and of the smallest host. */
export function billsInShort(figures: Figures): string | undefined {
  const counts = countsIn(figures);
  if (!counts) return undefined;
  return table(
    [
      "people",
      "all use the web client, after the permanent free tier",
      "the same at list prices",
      "half use it",
      "none, but clients that poll",
      "smallest always-on host",
    ],
    teams.map((people) => {
      const [all, half, none] = shares.map(([share]) => billOf(people, counts, { share })) as [Bill, Bill, Bill];
      const values = [paidOf(all), ...[all, half, none].map(totalOf), hosts[people].monthDollars];
      return [people.toLocaleString("en"), ...values.map((value) => dollars(value))];
    }),
  );
}

const services = {
  neither: "neither push nor e-mail",
  push: "a push bouncer",
  mail: "e-mail",
  both: "both",
} as const;

/** The bill of each team, compared with the smallest host. */
export const month: Section<IdleLoadByServices | undefined> = {
  name: "month",
  document: "docs/cost.md",
  title: "A month's bill",
  measure: countIdleLoad,
  text: (_, allFigures) => {
    const counts = countsIn(allFigures);
    if (!counts) return "Not counted yet.";
    const bills = teams.map((people) => billOf(people, counts));
    const fifty = bills.find(({ people }) => people === 50)!;
    const billWithDashboard = billOf(50, counts, { dashboard: true });
    const small = bills[0]!;
    return [
      `A team of ${small.people} pays ${dollars(paidOf(small))} a month and a team of ${fifty.people} pays ${dollars(paidOf(fifty))}, if all use the web client and their AWS account has no other use;`,
      `if other uses exhaust the free tier, they pay ${dollars(totalOf(small))} and ${dollars(totalOf(fifty))}. List prices beside those of the smallest always-on host:`,
      "",
      ...[bills.slice(0, 2), bills.slice(2, 3), bills.slice(3)].flatMap((group) => [comparedWithHosts(group), ""]),
      table(
        ["people", "requests", ...Object.keys(partsOf(fifty)), "month", "after free tier", "smallest always-on host"],
        shares.flatMap(([share, who]) =>
          teams.map((people) => {
            const bill = billOf(people, counts, { share });
            const host = hosts[people];
            return [
              `${people.toLocaleString("en-US")}, ${who}`,
              Math.round(bill.requests).toLocaleString("en-US"),
              ...Object.values(partsOf(bill)).map(dollars),
              `**${dollars(totalOf(bill))}**`,
              dollars(paidOf(bill)),
              `${dollars(host.monthDollars)} (${host.name})`,
            ];
          }),
        ),
      ),
      "",
      "AWS's permanent free tier applies to an account, so a fleet that is alone in its account has all of it: each month a million requests and",
      "400,000 GB-seconds of Lambda, a million SQS requests, 14 million invocations of EventBridge Scheduler, 25 GB of table storage, 100 GB of",
      "outgoing traffic and 5 GB of logs. The free tier of the first year (such as API Gateway's) is not counted.",
      "",
      "The hosts are on-demand prices of one machine without a replica, backups, or anybody's time to maintain it. A large team",
      "that is always busy with clients that poll pays less for its own host than for their requests; all others pay less here.",
      "",
      "### What the bill assumes",
      "",
      behaviourInWords,
      "",
      "The web client waits at a WebSocket ([the price of a connection](#the-price-of-a-connection)), is there for as long as its user is, reports the user every",
      "four minutes instead of each minute, and gets the presence of others with the answer, or by a request as often in an organization in which this takes more",
      "than 16 KB. Other clients wait at wake-up queues, so no function runs while nothing happens ([the price of waiting](#the-price-of-waiting)).",
      `Capacity units are those counted above. Each request is assumed to take ${assumedMs} ms of a function, and what the log's subscribers do about
a message is counted as if each came alone. The table stores a year of messages. Replies are`,
      `counted as they leave AWS, compressed with gzip and with ${headerBytes} bytes of headers. Log lines are counted at the length that requests from a browser produce.`,
      "",
      "A Lambda process that answers presence pings caches the presence that it has read, and afterwards reads only newer changes. What a new",
      "process reads first, and what it reads again for late writes, is not counted: with 10,000 people, it is half a percent of the bill.",
      "",
      "Not counted: files in S3, which are billed by size; cold starts (ten thousand of 0.3 s cost $0.02); and queries of the logs.",
      "",
      "### Monitoring, other traffic, and an idle fleet",
      "",
      `Monitoring is optional ([docs/operating.md](operating.md#monitoring)). The setting \`dashboard\` adds ${dollars(totalOf(billWithDashboard) - totalOf(fifty))} to the`,
      `month of ${fifty.people} people, for the dashboard, eight metrics, and longer log lines; after the free tier, which includes`,
      `three dashboards and ten metrics, it adds ${dollars(paidOf(billWithDashboard) - paidOf(fifty))}. Alarms need the metrics too, and cost $0.10 each after the first ten.`,
      "",
      "If the 50 people write, read and react half as much, or twice as much, in the same hours:",
      "",
      table(
        ["traffic", "requests", "month", "after free tier"],
        [0.5, 1, 2].map((traffic) => {
          const bill = billOf(50, counts, { traffic });
          return [
            `× ${traffic}`,
            Math.round(bill.requests).toLocaleString("en-US"),
            dollars(totalOf(bill)),
            dollars(paidOf(bill)),
          ];
        }),
      ),
      "",
      "*Idle* is the cost of a month in which nobody uses the fleet: Lambda polls each queue all the time (about 650,000 requests",
      "per queue), EventBridge Scheduler starts the recurring jobs, and the secret costs a fixed amount. The log lines of the recurring jobs are counted",
      "under *logs*. The bills above are those of a fleet without push notifications and e-mail. With these, an idle month costs:",
      "",
      table(
        ["with", "polled queues", "recurring runs", "polls, runs and secret", "idle month", "after free tier"],
        Object.entries(services).map(([name, words]) => {
          const idleLoad = counts.idleLoads[name as keyof IdleLoadByServices];
          const { total, paid } = idleTotals(idleLoad);
          const parts = Object.values(idleCost(idleLoad)).reduce((sum, part) => sum + part, 0);
          return [words, idleLoad.queues, idleLoad.runs.toLocaleString("en-US"), ...[parts, total, paid].map(dollars)];
        }),
      ),
      "",
      "Lambda polls an idle queue with five long polls, and by its documentation with as few as two if the mapping has no maximum of concurrent runs,",
      `which would save up to ${dollars(receivesOf(1) * prices.queueRequest * (3 / 5))} a queue. Each mapping has a maximum nevertheless. Without one Lambda adds up to 300 runs a minute, up`,
      "to 1,250: a backlog would take the concurrency from people's requests, all of it in a new account, which runs ten functions at once, and throttled jobs use up their",
      "attempts. In detail: *deliveries* (10 runs) writes all messages that are due at the same minute to one log, ten in a run, and more writers than that slow one another down",
      "([speed.md](speed.md#overload)); *background-jobs* (5) rewrites many items for minutes; *previews* (2) takes a gigabyte of memory; *outgoing-webhooks*, *push* and *mail*",
      "(5 each) call services that others run or that have a rate.",
    ].join("\n");
  },
};

/** A chart of these teams' bills, each next to the price of its host. */
const comparedWithHosts = (bills: readonly ReturnType<typeof billOf>[]) =>
  barChart(
    "A month at list prices, by number of people",
    "dollars",
    bills.flatMap((bill) => {
      const people = bill.people.toLocaleString("en-US");
      return [
        [`${people} on Skein`, totalOf(bill)] as const,
        [`${people} on a host`, hosts[bill.people as (typeof teams)[number]].monthDollars] as const,
      ];
    }),
  );
