import { expect, test } from "vitest";
import { deliverReminderJob } from "../../shared/messaging/reminders/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { createReminder } from "../../shared/store/messages/reminders.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { scheduleNow } from "../support/table/recurring.ts";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const remind = (person: Person, message_id: number, scheduled_delivery_timestamp: number, note?: string) =>
  person.call("POST", "/reminders", { message_id, scheduled_delivery_timestamp, note });
const remindersOf = async (person: Person) => (await person.call("GET", "/reminders")).body.reminders;
const newest = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
const noticesTo = async (person: Person) =>
  (await person.call("GET", "/messages", newest)).body.messages.filter(
    (message: any) => message.sender_full_name === "Notification Bot",
  );
const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Reminder does not exist" } };

test.concurrent("a reminder is delivered once at its time by Notification Bot, and then removed", async () => {
  const [hamlet, ghost] = [await aPerson("Hamlet"), await aPerson("Ghost")];
  const castle = await aChannel("castle", [hamlet, ghost]);
  const target = await sendToChannel(ghost, castle, "night", "Remember me.");
  const end = await logEnd();

  const { reminder_id } = (await remind(hamlet, target, soon(), "tablets")).body;
  const [kept] = await remindersOf(hamlet);
  const [notice] = await eventually(async () => {
    const found = await noticesTo(hamlet);
    return found.length > 0 && found;
  });
  await enqueue(deliverReminderJob, { user_id: hamlet.id, id: reminder_id });

  const content = `You requested a reminder for #**${castle.name}>night@${target}**. Note:\n> tablets\n\n@_**Ghost|${ghost.id}** said:\n\`\`\`quote\nRemember me.\n\`\`\``;
  expect(kept).toEqual({
    reminder_id,
    type: "private",
    to: [hamlet.id],
    content,
    rendered_content: expect.stringContaining("<blockquote>"),
    scheduled_delivery_timestamp: expect.any(Number),
    failed: false,
    reminder_target_message_id: target,
  });
  expect(notice.content).toBe(content);
  expect(await remindersOf(hamlet)).toEqual([]);
  expect(await noticesTo(hamlet)).toHaveLength(1);
  const isAboutReminder = (event: any) =>
    event.reminder_id === reminder_id || event.reminders?.[0]?.reminder_id === reminder_id;
  expect((await eventsAfter(end, "reminders", isAboutReminder)).map(({ event }) => event)).toEqual([
    { type: "reminders", op: "add", reminders: [kept] },
    { type: "reminders", op: "remove", reminder_id },
  ]);
});

test.concurrent("a reminder names where the message is by then, and quotes what it says by then", async () => {
  const [hamlet, ghost] = [await aPerson("Hamlet"), await aPerson("Ghost")];
  const closet = await aChannel("closet", [hamlet, ghost], { inviteOnly: true });
  const target = await sendToChannel(ghost, closet, "night", "Do not forget.");
  const { reminder_id } = await hamlet.do("POST", "/reminders", {
    ...{ message_id: target, scheduled_delivery_timestamp: inSeconds(3600), note: "speak" },
  });
  const [{ rendered_content }] = await remindersOf(hamlet);
  expect(rendered_content).toContain(`/near/${target}`);
  await ghost.do("PATCH", `/messages/${target}`, { content: "This visitation", topic: "day" });
  const [listed] = await remindersOf(hamlet);

  await enqueue(deliverReminderJob, { user_id: hamlet.id, id: reminder_id });

  const notice = await eventually(async () => (await noticesTo(hamlet)).find(({ type }: any) => type === "private"));
  expect(listed.content).toBe(notice.content);
  expect(listed.rendered_content).toContain("This visitation");
  expect(notice.content).toBe(
    `You requested a reminder for #**${closet.name}>day@${target}**. Note:\n> speak\n\n@_**Ghost|${ghost.id}** said:\n\`\`\`quote\nThis visitation\n\`\`\``,
  );
});

test.concurrent("a reminder of a message that is deleted meanwhile quotes nothing of it", async () => {
  const hamlet = await aPerson("Hamlet");
  const target = await sendDirect(hamlet, [hamlet], "The rest is silence.");
  const { reminder_id } = (await remind(hamlet, target, inSeconds(3600), "speak")).body;
  expect((await hamlet.call("DELETE", `/messages/${target}`)).status).toBe(200);
  const [listed] = await remindersOf(hamlet);

  await enqueue(deliverReminderJob, { user_id: hamlet.id, id: reminder_id });

  const [notice] = await eventually(async () => {
    const found = await noticesTo(hamlet);
    return found.length > 0 && found;
  });
  expect(notice.content).toBe("You requested a reminder for a message that you can no longer read. Note:\n> speak");
  expect(listed.content).toBe(notice.content);
});

test.concurrent("the list quotes nothing that the person can no longer read, and quotes it again when they can", async () => {
  const [hamlet, ghost] = [await aPerson("Hamlet"), await aPerson("Ghost", { role: "administrator" })];
  const closet = await aChannel("closet", [ghost, hamlet], { inviteOnly: true });
  const target = await sendToChannel(ghost, closet, "night", "Adieu, adieu.");
  const at = inSeconds(3600);
  await hamlet.do("POST", "/reminders", { message_id: target, scheduled_delivery_timestamp: at + 1, note: "remember" });
  await hamlet.do("POST", "/reminders", { message_id: target, scheduled_delivery_timestamp: at });
  const asSet = await remindersOf(hamlet);
  expect(asSet.map((one: any) => one.content.includes("Adieu, adieu."))).toEqual([true, true]);
  const membership = (method: "POST" | "DELETE") =>
    ghost.do(method, "/users/me/subscriptions", {
      subscriptions: method === "POST" ? [{ name: closet.name }] : [closet.name],
      principals: [hamlet.id],
    });

  await membership("DELETE");
  const hidden = "You requested a reminder for a message that you can no longer read.";
  expect((await remindersOf(hamlet)).map(({ content }: any) => content)).toEqual([
    hidden,
    `${hidden} Note:\n> remember`,
  ]);
  expect(JSON.stringify(await remindersOf(hamlet))).not.toContain("Adieu");

  await membership("POST");
  expect(await remindersOf(hamlet)).toEqual(asSet);
});

test.concurrent("a cancelled reminder is not delivered, and another user's gets the same error as an unknown one", async () => {
  const [hamlet, claudius] = [await aPerson("Hamlet"), await aPerson("Claudius")];
  const { reminder_id } = (await remind(hamlet, await sendDirect(hamlet, [hamlet]), inSeconds(3600))).body;

  expect(await claudius.call("DELETE", `/reminders/${reminder_id}`)).toMatchObject(missing);
  expect((await hamlet.call("DELETE", `/reminders/${reminder_id}`)).body).toEqual({ result: "success", msg: "" });
  await enqueue(deliverReminderJob, { user_id: hamlet.id, id: reminder_id });

  expect(await remindersOf(hamlet)).toEqual([]);
  expect(await hamlet.call("DELETE", `/reminders/${reminder_id}`)).toMatchObject(missing);
  expect(await noticesTo(hamlet)).toEqual([]);
});

test.concurrent("a reminder whose schedule was never created is delivered by the sweep", async () => {
  const hamlet = await aPerson("Hamlet");
  const messageId = await sendDirect(hamlet, [hamlet]);
  const reminder = { id: 7_000_001, userId: hamlet.id, messageId, content: "", html: "", note: "left behind" };
  await transact([createReminder({ ...reminder, deliverAt: inSeconds(-60) })]);

  await scheduleNow("reminder-sweeps");

  const [notice] = await eventually(async () => {
    const found = await noticesTo(hamlet);
    return found.length > 0 && found;
  });
  expect(notice.content).toContain("left behind");
});

test.concurrent("a time in the past, a long note, and a message that the user may not read are refused", async () => {
  const [hamlet, ghost] = [await aPerson("Hamlet"), await aPerson("Ghost")];
  const [readable, unreadable] = [await sendDirect(hamlet, [hamlet]), await sendDirect(ghost, [ghost])];
  const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

  expect(await remind(hamlet, readable, inSeconds(-10))).toMatchObject(
    refused("Scheduled delivery time must be in the future."),
  );
  expect(await remind(hamlet, readable, inSeconds(3600), "x".repeat(1001))).toMatchObject(
    refused("note is too long (limit: 1000 characters)"),
  );
  expect(await remind(hamlet, unreadable, inSeconds(3600))).toMatchObject(refused("Invalid message(s)"));
  expect(await remindersOf(hamlet)).toEqual([]);
});
