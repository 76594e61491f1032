import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { advanceClock } from "../host/bench-clock.ts";
import { startBenchHost } from "../host/bench-host.ts";
import { dollars } from "../month/prices.ts";
import { type Figures, type Section, table } from "../section.ts";
import { priceOfPosts } from "../waiting/connected.ts";
import { priceOfDelivery } from "../waiting/waiting.ts";
import { type Caused, converse, createTeam, keepJobs, subscribers, type Usage } from "./conversation.ts";
import { costOfMessage } from "./price.ts";

/** People, half of whom are away. */
const sizes = [10, 100, 1_000, 10_000] as const;
/** A busy topic: so many messages, so many of which come in two seconds. */
const busy = { messages: 100, perStep: 10 };
const quietSeconds = 40;
/** Each job mails 25 people. */
const sample = { mailJobs: 4, wakings: 1 };

interface SizeFigures {
  people: number;
  alone: Caused;
  busy: Caused;
}

export interface FollowUpFigures {
  sizes: SizeFigures[];
  /** A message that comes alone in a team of 50. */
  inTeam: Caused;
}

/** What messages cost with all that follows from them. */
export const followUp: Section<FollowUpFigures> = {
  name: "follow-up",
  document: "docs/cost.md",
  title: "What a message causes",
  measure: async () => {
    const host = await startBenchHost();
    try {
      await keepJobs();
      // First, because the function that wakes clients reads the records of all who wait in the organization.
      const team = await createTeam(50);
      await converse(team, 1);
      advanceClock(quietSeconds);
      const inTeam = await converse(team, 1);
      const measured: SizeFigures[] = [];
      for (const people of sizes) {
        const team = await createTeam(people);
        const counted = async (messages: number, perStep = messages) => {
          const caused = await converse(team, messages, { perStep, sample });
          advanceClock(quietSeconds);
          return caused;
        };
        // The topic exists, and this process has read what a function that has run before knows.
        await counted(1);
        measured.push({ people, alone: await counted(1), busy: await counted(busy.messages, busy.perStep) });
        console.log(`  ${people} people counted`);
      }
      return { sizes: measured, inTeam };
    } finally {
      await host.stop();
    }
  },
  text: (figures, allFigures) => textOf(figures, allFigures),
};

/** The realm, the log's end and the message, which subscribers share and of which the one that is first is counted. */
const sharedReadUnits = 2;

/**
 * The units that the log's subscribers use for a message that comes alone, in a fleet with neither mail nor push notifications.
 * There the others make what the notifications' subscriber may have read for them.
 */
export function unitsOfFollowing({ inTeam }: FollowUpFigures): Pick<Usage, "readUnits" | "writeUnits"> {
  const used = subscribers.flatMap(({ name }) => (name === notifications.name ? [] : (inTeam.work[name] ?? [])));
  return {
    readUnits: used.reduce((sum, { readUnits }) => sum + readUnits, sharedReadUnits),
    writeUnits: used.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
  };
}

const connectedOf = ({ people }: Pick<SizeFigures, "people">) => people - Math.floor(people / 2);

const figure = (value: number) => String(Number(value.toPrecision(3)));
const millionths = (value: number) => dollars(value * 1e6);

function textOf({ sizes: measured }: FollowUpFigures, { waiting, connected }: Figures): string {
  const delivery = waiting ? priceOfDelivery(waiting) : 0;
  const rows = (kind: "alone" | "busy") =>
    measured.map((size) => {
      const { sending, waking, subscribers: steps, jobs, total } = costOfMessage(size[kind]);
      const polls = connectedOf(size) * delivery;
      return [
        size.people.toLocaleString("en-US"),
        ...[sending, waking, steps, jobs].map((cost) => `${figure(cost.writeUnits)} / ${figure(cost.readUnits)}`),
        ...[total.dollars, polls, total.dollars + polls].map(millionths),
        connected ? millionths(total.dollars + priceOfPosts(connected, connectedOf(size))) : "",
      ];
    });
  const head = [
    ...["people", "sending", "waking", "subscribers", "mails", "$ per million"],
    ...["deliveries", "with deliveries", "over WebSockets"],
  ];
  return [
    "Half of a team waits at wake-up queues. The other half is away, follows the topic, and gets email about it. Write / read units for",
    "a message:",
    "",
    "- *waking*: the function that wakes clients; it reads the records of all waiting clients, including those of the teams counted before",
    "- *subscribers* of [the log](data-model.md#what-follows-from-the-log): mail, channel traffic, topics, the search index",
    "- *mails*: jobs that decide on emails and send them, without SES's $0.0001 an email",
    "- *$ per million*: all of the above, with requests to SQS and runs of functions",
    `- *deliveries*: the polls that the message ends, at ${millionths(delivery)} a million`,
    "- *over WebSockets*: the same with deliveries [to web clients](#the-price-of-a-connection) instead of polls",
    "",
    `In a busy topic, with ${busy.messages} messages in ${(busy.messages / busy.perStep) * 2} seconds (one poll returns several, so *deliveries* is an upper limit):`,
    "",
    table(head, rows("busy")),
    "",
    "A single message, for which each absent follower gets an email:",
    "",
    table(head, rows("alone")),
  ].join("\n");
}
