import { type Figures, type Section, table } from "../section.ts";
import { behaviourInWords } from "./behaviour.ts";
import { type Bill, type BillInputs, billOf, headerBytes, idleTotals, paidOf, partsOf, totalOf } from "./bill.ts";
import { countIdleLoad, type IdleLoadByServices, idleCost, receivesOf } from "./idle-load.ts";
import { alarmCount } from "./monitoring.ts";
import { assumed, dollars, functionGb, prices } from "./prices.ts";

const teams = [5, 50, 500, 5000] as const;

/** The smallest always-on host for a chat server of each size, at public prices in dollars a month. */
const hosts: Record<(typeof teams)[number], { name: string; monthDollars: number }> = {
  5: { name: "t4g.small, 2 GB, with 20 GB of disk", monthDollars: 12.26 + 1.6 },
  50: { name: "t4g.small, 2 GB, with 20 GB of disk", monthDollars: 12.26 + 1.6 },
  500: { name: "t4g.large, 8 GB, with 100 GB of disk", monthDollars: 49.06 + 8 },
  5000: { name: "two t4g.2xlarge, 32 GB, and a db.t4g.xlarge, with 500 GB", monthDollars: 2 * 196.22 + 188.34 + 40 },
};

const hostsInWords = [...Map.groupBy(teams, (people) => hosts[people].name)]
  .map(([name, sizes]) => `${name} for ${sizes.map((people) => people.toLocaleString("en-US")).join(" and ")} people`)
  .join("; ");

/** The counts that the bill is computed from, for a fleet without e-mail; undefined if one is missing. */
export function countsIn({
  calls,
  waiting,
  connected,
  "follow-up": followUp,
  month,
}: Figures): (BillInputs & { idleLoads: IdleLoadByServices }) | undefined {
  const counted: Partial<IdleLoadByServices> | undefined = month;
  if (!calls || !waiting || !connected || !followUp || !counted?.noMail) return undefined;
  return { calls, waiting, connected, followUp, idleLoad: counted.noMail, idleLoads: counted as IdleLoadByServices };
}

/** The shares of a team that use the web client, which is connected by a WebSocket. */
const shares = [
  [1, "all"],
  [0.5, "half"],
  [0, "none"],
] as const;

/** The README's table of bills: of teams that use the web client, after the allowances and in total, of others, and of the smallest host. */
export function billsInShort(figures: Figures): string | undefined {
  const counts = countsIn(figures);
  if (!counts) return undefined;
  return table(
    [
      "people",
      "all use the web client, after the permanent free tier",
      "the same with alarms, after the free tier",
      "the same without alarms, at list prices",
      "half use it, at list prices",
      "nobody uses it: all clients poll, at list prices",
      "smallest always-on host, at list prices",
    ],
    teams.map((people) => {
      const [all, half, none] = shares.map(([share]) => billOf(people, counts, { share })) as [Bill, Bill, Bill];
      const values = [
        paidOf(all),
        paidOf(billOf(people, counts, { alarms: true })),
        ...[all, half, none].map(totalOf),
        hosts[people].monthDollars,
      ];
      return [people.toLocaleString("en"), ...values.map((value) => dollars(value))];
    }),
  );
}

const services = {
  noMail: "no email",
  mail: "email",
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
    const billWithAlarms = billOf(50, counts, { alarms: true });
    return [
      "All bills are at list prices, except in the column *after free tier*, and for an AWS account without other use. People who do not use the web",
      "client use one that polls:",
      "",
      table(
        ["people", "web client", "requests", ...Object.keys(partsOf(fifty)), "month", "after free tier", "host"],
        // The README has the totals of the teams of which half use the web client.
        shares
          .filter(([share]) => share !== 0.5)
          .flatMap(([share, who]) =>
            teams.map((people) => {
              const bill = billOf(people, counts, { share });
              const host = hosts[people];
              return [
                people.toLocaleString("en-US"),
                who,
                Math.round(bill.requests).toLocaleString("en-US"),
                ...Object.values(partsOf(bill)).map(dollars),
                `**${dollars(totalOf(bill))}**`,
                dollars(paidOf(bill)),
                dollars(host.monthDollars),
              ];
            }),
          ),
      ),
      "",
      "Each month, AWS's permanent free tier gives an account a million requests and 400,000 GB-seconds of Lambda, a million SQS requests,",
      "14 million invocations of EventBridge Scheduler, 25 GB of table storage, 100 GB of outgoing traffic and 5 GB of logs.",
      "",
      `*Host* is the smallest always-on host, at on-demand prices and without a replica, backups, or anybody's time: ${hostsInWords}.`,
      "",
      "### What the bill assumes",
      "",
      behaviourInWords,
      "",
      "The web client waits [on a WebSocket](#the-price-of-a-connection), reports its user every four minutes, and gets the presence of others with",
      "the answer, or by a separate request if this takes more than 16 KB. Other clients wait [at wake-up queues](#the-price-of-waiting).",
      `Each run of a function is assumed to take ${assumed.runMs} ms plus ${assumed.stageMs} ms for each stage of its calls to the table; what a message causes is counted as if the message came alone. The table stores a year of messages.`,
      `Replies are compressed and have ${headerBytes} bytes of headers.`,
      "",
      `Not counted: email ([what a thousand that arrive cost](mail.md#what-it-costs)) and push notifications; files in S3; cold starts (ten thousand of 0.3 s cost ${dollars(10_000 * 0.3 * functionGb * prices.lambdaGbSecond)}); queries of the logs; and what`,
      "a new Lambda process reads to answer presence pings.",
      "",
      "### Monitoring, other traffic, and an idle fleet",
      "",
      `The [setting \`dashboard\`](operating.md#monitoring) adds ${dollars(totalOf(billWithDashboard) - totalOf(fifty))} to the month of ${fifty.people} people, or ${dollars(paidOf(billWithDashboard) - paidOf(fifty))} after the free tier`,
      `of three dashboards and ten metrics. [Alarms](operating.md#monitoring) (${alarmCount}, their metrics, and a smoke test every five minutes) add ${dollars(totalOf(billWithAlarms) - totalOf(fifty))},`,
      `or ${dollars(paidOf(billWithAlarms) - paidOf(fifty))} after the free tier of ten alarms and ten metrics: CloudWatch charges ${dollars(prices.alarmMonth)} for each metric of an alarm.`,
      `If the ${fifty.people} people do half as much in the same hours, they pay ${dollars(totalOf(billOf(50, counts, { traffic: 0.5 })))}; if they do twice as much, ${dollars(totalOf(billOf(50, counts, { traffic: 2 })))}.`,
      "",
      `*Idle* is a month in which nobody uses the fleet. Lambda polls each queue (${receivesOf(1).toLocaleString("en-US")} requests, two at a time, or five at a time with`,
      "`jobConcurrency`), EventBridge Scheduler starts the recurring jobs, and the secret has a fixed price ([why it is paid",
      "for](adr/0021-secret-in-secrets-manager.md)). The idle fleet costs:",
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
    ].join("\n");
  },
};
