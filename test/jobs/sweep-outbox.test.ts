import { expect, test } from "vitest";
import { deliverScheduledMessageJob } from "../../shared/messaging/scheduled-messages/jobs.ts";
import { outboxJob } from "../../shared/services/jobs/outbox.ts";
import { jobBody, jobKind } from "../../shared/services/jobs/queues.ts";
import {
  deleteOutboxEntry,
  listOutbox,
  newOutboxEntry,
  outboxShards,
  putOutboxEntry,
} from "../../shared/store/delivery/outbox.ts";
import { createScheduledMessage, type ScheduledMessage } from "../../shared/store/messages/scheduled-messages.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { scheduleNow } from "../support/table/recurring.ts";
import { eventually, inSeconds } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
const contentsOf = async (reader: Person): Promise<string[]> =>
  (await reader.call("GET", "/messages", newest)).body.messages.map(({ content }: { content: string }) => content);

const dueMessage = (owner: Person, id: number, content: string): ScheduledMessage => ({
  id,
  userId: owner.id,
  version: 1,
  userIds: [owner.id],
  content,
  html: `<p>${content}</p>`,
  // Far in the future, so that no sweep of scheduled messages delivers it: only the job matters here.
  deliverAt: inSeconds(86_400),
  readBySender: false,
  client: "test",
  failed: false,
});
const jobFor = ({ userId, id, version }: ScheduledMessage) => ({ user_id: userId, id, version });

test("a job is sent after its change was committed", async () => {
  const timon = await aPerson("Timon");
  const scheduled = dueMessage(timon, 3_000_001, "with the change");
  const followUps = [outboxJob(deliverScheduledMessageJob, jobFor(scheduled))];

  await transact([createScheduledMessage(scheduled)], { followUps });

  await eventually(async () => (await contentsOf(timon)).length > 0);
});

test("a job whose function died before sending it is sent by the sweeper after the function's timeout", async () => {
  const timon = await aPerson("Timon");
  const [leftBehind, fresh] = [dueMessage(timon, 3_000_002, "left behind"), dueMessage(timon, 3_000_003, "fresh")];
  const entryFor = (scheduled: ScheduledMessage) =>
    newOutboxEntry(deliverScheduledMessageJob.queue, jobBody(deliverScheduledMessageJob, jobFor(scheduled)));
  await transact([
    createScheduledMessage(leftBehind),
    createScheduledMessage(fresh),
    putOutboxEntry({ ...entryFor(leftBehind), writtenAt: Date.now() - 60_000 }),
    putOutboxEntry(entryFor(fresh)),
  ]);

  await scheduleNow("outbox-sweeps");
  await scheduleNow("outbox-sweeps");

  await eventually(async () => (await contentsOf(timon)).length > 0);
  expect(await contentsOf(timon)).toEqual(["left behind"]);
});

const outboxEntriesOf = async (queue: string) => {
  const shards = Array.from({ length: outboxShards }, (_, shard) => listOutbox(shard, Date.now() + 1000, 500));
  return (await Promise.all(shards)).flat().filter((entry) => entry.queue === queue);
};

test("a failed send does not fail the change, and the outbox entry stays for the sweeper", async () => {
  const followUps = [outboxJob(jobKind("no-such-queue", "no-such-kind", {}), {})];
  const logged: unknown[] = [];
  const { error } = console;
  console.error = (line: unknown) => logged.push(line);

  await transact([], { followUps });
  console.error = error;
  const entries = await outboxEntriesOf("no-such-queue");
  // Otherwise later sweeps would log errors.
  for (const entry of entries) await deleteOutboxEntry(entry);

  expect(String(logged[0])).toContain("no-such-kind");
  expect(entries).toHaveLength(1);
  expect(await outboxEntriesOf("no-such-queue")).toEqual([]);
});
