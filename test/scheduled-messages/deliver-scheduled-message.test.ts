import { expect, test } from "vitest";
import { nobody } from "../../shared/base/schema/system-groups.ts";
import { updateChannel } from "../../shared/store/channels/channels.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { listen } from "../support/listener.ts";
import { dueMessage, fire } from "../support/table/due-message.ts";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
const messagesOf = async (reader: Person) => (await reader.call("GET", "/messages", newest)).body.messages;

test.concurrent("a message is delivered once, even if its schedule fires repeatedly", async () => {
  const [brutus, cassius] = [await aPerson("Brutus"), await aPerson("Cassius")];
  const due = await dueMessage(brutus, { userIds: [cassius.id] }, 1_000_001);

  await fire(due, 10);

  await eventually(async () => (await messagesOf(cassius)).length > 0);
  // The delivery of a message that was enqueued afterwards shows that the earlier jobs have been processed.
  const last = await dueMessage(brutus, { userIds: [cassius.id], content: "Last" }, 1_000_002);
  await fire(last, 1);
  await eventually(async () => (await messagesOf(cassius)).length > 1);
  expect((await messagesOf(cassius)).map(({ content }: { content: string }) => content)).toEqual(["Now", "Last"]);
});

test.concurrent("users follow the topic in which a delivered message mentions them", async () => {
  const [brutus, cassius] = [await aPerson("Brutus"), await aPerson("Cassius")];
  const senate = await aChannel("senate", [brutus, cassius]);
  const content = `Ides of March, @**${cassius.name}|${cassius.id}**`;
  const listener = await listen(cassius, { event_types: ["user_topic"] });

  await fire(await dueMessage(brutus, { channelId: senate.id, topic: "plans", content }, 1_000_009), 1);

  expect(await listener.next("user_topic")).toMatchObject({ topic_name: "plans", visibility_policy: 3 });
});

test.concurrent("a schedule of a former version of the message sends nothing", async () => {
  const [brutus, cassius] = [await aPerson("Brutus"), await aPerson("Cassius")];
  const due = await dueMessage(brutus, { userIds: [cassius.id] }, 1_000_003);

  await fire(due, 2, due.version - 1);
  const last = await dueMessage(brutus, { userIds: [cassius.id], content: "Last" }, 1_000_004);
  await fire(last, 1);

  await eventually(async () => (await messagesOf(cassius)).length > 0);
  expect((await messagesOf(cassius)).map(({ content }: { content: string }) => content)).toEqual(["Last"]);
  expect((await brutus.call("GET", "/scheduled_messages")).body.scheduled_messages).toHaveLength(1);
});

test.concurrent("a message that may no longer be sent is marked as failed with one notice to its owner, and rescheduling retries it", async () => {
  const [brutus, cassius] = [await aPerson("Brutus"), await aPerson("Cassius")];
  const capitol = await aChannel("capitol", [brutus, cassius]);
  const due = await dueMessage(brutus, { channelId: capitol.id, topic: "ides" }, 1_000_005);
  await transact([
    updateChannel(capitol.id, { set: { permissions: { ...capitol.permissions, can_send_message_group: nobody } } }),
  ]);

  await fire(due, 3);

  const [failed] = await eventually(async () => {
    const { body } = await brutus.call("GET", "/scheduled_messages");
    return body.scheduled_messages[0]?.failed && body.scheduled_messages;
  });
  expect(failed).toMatchObject({ failed: true, content: "Now", to: capitol.id });
  const notices = await eventually(async () => {
    const messages = await messagesOf(brutus);
    return messages.length > 0 && messages;
  });
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatchObject({ type: "private", sender_full_name: "Notification Bot" });
  expect(notices[0].content).toContain("You do not have permission to post in this channel.");

  await transact([updateChannel(capitol.id, { set: { permissions: capitol.permissions } })]);
  const path = `/scheduled_messages/${due.id}`;
  expect((await brutus.call("PATCH", path, { content: "Then" })).body.msg).toBe(
    "Scheduled delivery time must be in the future.",
  );
  expect((await brutus.call("PATCH", path, { content: "Then", scheduled_delivery_timestamp: soon() })).status).toBe(
    200,
  );
  const arrived = await eventually(async () => (await messagesOf(cassius))[0]);
  expect(arrived).toMatchObject({ content: "Then", subject: "ides" });
});

test.concurrent("a message of a deactivated user is not sent", async () => {
  const [brutus, cassius] = [await aPerson("Brutus"), await aPerson("Cassius")];
  const due = await dueMessage(brutus, { userIds: [cassius.id] }, 1_000_006);
  const administrator = await aPerson("Antony", { role: "administrator" });
  await administrator.do("DELETE", `/users/${brutus.id}`);

  await fire(due, 1);
  const last = await dueMessage(cassius, { userIds: [cassius.id], content: "Last" }, 1_000_007);
  await fire(last, 1);

  await eventually(async () => (await messagesOf(cassius)).length > 0);
  expect((await messagesOf(cassius)).map(({ content }: { content: string }) => content)).toEqual(["Last"]);
});

test.concurrent("a message that is more than ten minutes late is not sent", async () => {
  const brutus = await aPerson("Brutus");
  const due = await dueMessage(brutus, { userIds: [brutus.id], deliverAt: inSeconds(-700) }, 1_000_008);

  await fire(due, 1);

  const notice = await eventually(async () => (await messagesOf(brutus))[0]);
  expect(notice.content).toContain("Message could not be sent at the scheduled time.");
});
