import { inWords } from "./behaviour.ts";
import { asleepOf, billOf, type Counts, headerBytes, paidOf, partsOf, totalOf } from "./bill.ts";
import { type AsleepWith, asleepCost, countAsleep } from "./idle-load.ts";
import { processesInWords } from "./presence-processes.ts";
import { assumedMs, dollars } from "./prices.ts";
import { type Figures, type Section, table } from "./section.ts";
import { isCounted } from "./waiting.ts";

const teams = [5, 50, 500, 5000] as const;

/** The smallest always-on host for a chat server of each size, at public prices in dollars a month. */
const hosts: Record<(typeof teams)[number], { name: string; month: number }> = {
  5: { name: "t4g.small, 2 GB, with 20 GB of disk", month: 12.26 + 1.6 },
  50: { name: "t4g.small, 2 GB, with 20 GB of disk", month: 12.26 + 1.6 },
  500: { name: "t4g.large, 8 GB, with 100 GB of disk", month: 49.06 + 8 },
  5000: { name: "two t4g.2xlarge, 32 GB, and a db.t4g.xlarge, with 500 GB", month: 2 * 196.22 + 188.34 + 40 },
};

/** What the bill is made of, of a fleet that has neither a push bouncer nor mail; undefined when something was not counted. */
function countsIn({ calls, waiting, month }: Figures): (Counts & { with: AsleepWith }) | undefined {
  const counted: Partial<AsleepWith> | undefined = month;
  if (!calls || !waiting || !isCounted(waiting) || !counted?.neither) return undefined;
  return { calls, waiting, asleep: counted.neither, with: counted as AsleepWith };
}

/** The bill of 50 people for the README: in total, without traffic, and after the allowances. */
export function billOfFifty(all: Figures): { total: string; asleep: string; paid: string } | undefined {
  const counts = countsIn(all);
  if (!counts) return undefined;
  const bill = billOf(50, counts);
  return { total: dollars(totalOf(bill)), asleep: dollars(asleepOf(counts.asleep).total), paid: dollars(paidOf(bill)) };
}

const services = {
  neither: "neither push nor mail",
  push: "a push bouncer",
  mail: "mail",
  both: "both",
} as const;

/** The bill of each team, compared with the smallest host. */
export const month: Section<AsleepWith | undefined> = {
  name: "month",
  document: "docs/cost.md",
  title: "A month's bill",
  measure: countAsleep,
  text: (_, all) => {
    const counts = countsIn(all);
    if (!counts) return "Not counted yet.";
    const bills = teams.map((people) => billOf(people, counts));
    const fifty = bills.find(({ people }) => people === 50)!;
    const watched = billOf(50, counts, { dashboard: true });
    const small = bills[0]!;
    return [
      inWords,
      "",
      "They wait at wake-up queues, where no function runs while nothing happens ([the price of waiting](#the-price-of-waiting), which is the same team).",
      `Units are those counted above; a call's function runs ${assumedMs} ms, which is assumed; the table keeps a year of messages; replies are counted`,
      `as they leave AWS for clients that unpack gzip, with ${headerBytes} bytes of headers; lines of logs are as long as the code makes them, for a browser.`,
      "",
      processesInWords(teams),
      "",
      table(
        [
          "people",
          "requests",
          ...Object.keys(partsOf(fifty)),
          "a month",
          "after allowances",
          "smallest always-on host",
        ],
        bills.map((bill) => {
          const host = hosts[bill.people as (typeof teams)[number]];
          return [
            bill.people,
            Math.round(bill.requests).toLocaleString("en-US"),
            ...Object.values(partsOf(bill)).map(dollars),
            `**${dollars(totalOf(bill))}**`,
            dollars(paidOf(bill)),
            `${dollars(host.month)} (${host.name})`,
          ];
        }),
      ),
      "",
      "AWS's lasting allowances are for an account, so that one fleet has them whole if nothing else is there: a month's million requests",
      "and 400,000 GB seconds of Lambda, a million requests of SQS, 14 million runs of EventBridge Scheduler, 25 GB of table, 100 GB out and 5 GB of",
      "logs. Those of the first year (API Gateway's) are not counted.",
      "",
      `In plain words: a team of ${small.people} pays ${dollars(paidOf(small))} a month and one of ${fifty.people} pays ${dollars(paidOf(fifty))}, if their AWS account has no other use;`,
      `where others have used the allowances up, ${dollars(totalOf(small))} and ${dollars(totalOf(fifty))}.`,
      "",
      `Nothing watches over the fleet unless you ask for it ([docs/operating.md](operating.md#what-one-sees)). The setting \`dashboard\` adds ${dollars(totalOf(watched) - totalOf(fifty))} to the`,
      `month of ${fifty.people} people: the dashboard, eight metrics, and longer lines. After the allowances, which have`,
      `three dashboards and ten metrics, it adds ${dollars(paidOf(watched) - paidOf(fifty))}. Alarms bring the metrics too, and cost $0.10 each after the first ten.`,
      "",
      "Not counted: files (S3's, by what they weigh), the starts of functions (ten thousand of 0.3 s are $0.02), and what is asked of the logs.",
      "",
      "If 50 people write, read and react half as much in the same hours, or twice as much:",
      "",
      table(
        ["traffic", "requests", "a month", "after allowances"],
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
      "*Asleep* is what a month costs in which nobody uses the fleet: Lambda asks each of the queues for jobs all the time (about",
      "650,000 requests a queue), EventBridge Scheduler starts runs, and there is a secret; with the lines that the runs write it",
      "is what a fleet costs that nobody uses. The bills above are those of a fleet without push and mail; what these add:",
      "",
      table(
        ["with", "queues that are asked", "runs", "polls, runs and secret", "unused, a month", "after allowances"],
        Object.entries(services).map(([name, words]) => {
          const asleep = counts.with[name as keyof AsleepWith];
          const { total, paid } = asleepOf(asleep);
          const parts = Object.values(asleepCost(asleep)).reduce((sum, part) => sum + part, 0);
          return [words, asleep.queues, asleep.runs.toLocaleString("en-US"), ...[parts, total, paid].map(dollars)];
        }),
      ),
      "",
      "The hosts are on-demand prices of one machine without a replica, a backup or anybody who looks after it. A team that is always",
      "busy pays less for a host of its own than for requests; one that sleeps at night, or is small, pays less here.",
    ].join("\n");
  },
};
