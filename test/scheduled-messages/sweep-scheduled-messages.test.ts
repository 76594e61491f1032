import { expect, test } from "vitest";
import { createScheduledMessage } from "../../shared/store/messages/scheduled-messages.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { scheduleNow } from "../support/table/recurring.ts";
import { eventually, inSeconds } from "../support/waiting.ts";
import { aPerson, isLocal, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
const contentsOf = async (reader: Person): Promise<string[]> =>
  (await reader.call("GET", "/messages", newest)).body.messages.map(({ content }: { content: string }) => content);

test("the sweep delivers messages whose schedule was never created, both overdue and future ones", async () => {
  const hotspur = await aPerson("Hotspur");
  const common = {
    userId: hotspur.id,
    version: 1,
    userIds: [hotspur.id],
    html: "",
    readBySender: false,
    client: "test",
    failed: false,
  };
  // The sweep of a deployed fleet may run up to 10 s later, and the second message must not be due before.
  await transact([
    createScheduledMessage({ ...common, id: 2_000_001, content: "left behind", deliverAt: inSeconds(-60) }),
    createScheduledMessage({ ...common, id: 2_000_002, content: "to come", deliverAt: inSeconds(isLocal() ? 6 : 15) }),
  ]);

  await scheduleNow("scheduled-message-sweeps");
  await scheduleNow("scheduled-message-sweeps");

  await eventually(async () => (await contentsOf(hotspur)).length > 1);
  expect((await contentsOf(hotspur)).sort()).toEqual(["left behind", "to come"]);
});
