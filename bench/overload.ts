import { type OverloadResult, overload } from "../test/support/overload.ts";
import { limitedTable, type TableLimits } from "../test/support/table/limited-table.ts";
import { createChannel, createUsers, startBenchHost } from "./host/bench-host.ts";
import { type Section, table } from "./section.ts";

const limits: TableLimits = { writes: 100_000, reads: 100_000, partitionWrites: 10 };
const senderCounts = [4, 8, 16, 32];
const seconds = 20;

interface OverloadFigures extends OverloadResult {
  limits: TableLimits;
}

/** Messages acknowledged by a table with a limited throughput, while the number of senders doubles. */
export const overloadSection: Section<OverloadFigures> = {
  name: "overload",
  document: "docs/speed.md",
  title: "Overload",
  measure: async () => {
    const host = await startBenchHost(limitedTable(limits));
    try {
      const people = await createUsers(16);
      const { id } = await createChannel("overload", people);
      const senders = { url: host.url, channelId: id, people };
      return { limits, ...(await overload(senders, senderCounts, { seconds, warmUpSeconds: 5 })) };
    } finally {
      await host.stop();
    }
  },
  text: ({ limits: { partitionWrites }, steps, acknowledged, lost, duplicated, notReceivedOnce, wrongReplies }) =>
    [
      `Here a partition accepts ${partitionWrites} write units a second, DynamoDB's 1,000, so that the log accepts at most ${partitionWrites / 2} changes a second. Each sender`,
      "sends one message after another to a channel, and after a 503 retries once `Retry-After` allows it. *Time* ends with the acknowledgement.",
      "",
      table(
        ["senders", "acknowledged messages/s", "replies 503", "time p50 s", "time p99 s"],
        steps.map(({ senders, acknowledgedPerSecond, refused, p50Ms, p99Ms }) => [
          ...[senders, acknowledgedPerSecond.toFixed(1), refused],
          ...[p50Ms, p99Ms].map((ms) => (ms / 1000).toFixed(1)),
        ]),
      ),
      "",
      `Of ${acknowledged} acknowledged messages, ${lost} were missing in the end and ${duplicated} duplicated; three polling clients received all but ${notReceivedOnce}`,
      `exactly once. ${wrongReplies.length} replies were neither a success nor a 503 with a code and \`Retry-After\`.`,
    ].join("\n"),
};
