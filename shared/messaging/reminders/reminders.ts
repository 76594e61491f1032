import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, notFound } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { bool, int, list, oneOf, strictObject, text, type Value } from "../../base/schema/params.ts";
import { truncate } from "../../base/schema/text.ts";
import { quoted } from "../../core/markdown/source/fenced.ts";
import { silentMention, topicReference } from "../../core/markdown/source/references.ts";
import { leadingItems } from "../../services/http/reply-size.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { deferredDelivery } from "../../services/jobs/deferred-delivery.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { eventForUser } from "../../store/log/entry.ts";
import { type Change, commit, commitNumbered, joinParts } from "../../store/log/log.ts";
import {
  createReminder,
  deleteReminder,
  findReminder,
  listDueReminders,
  listReminders,
  type Reminder,
} from "../../store/messages/reminders.ts";
import { alreadyDone, succeeds, succeedsOnce } from "../../store/table/conflicts.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findUser, type User } from "../../store/users/users.ts";
import { type AccessedMessage, findReadable } from "../messages/access.ts";
import { planMessage, type ResolvedMessage, withConversation } from "../messages/send/actions.ts";
import { composeDirectNotice } from "../messages/send/notices.ts";
import { deliverReminderJob } from "./jobs.ts";

export const reminderObject = strictObject({
  reminder_id: int(),
  type: oneOf(["private"]),
  to: list(int()),
  content: text(),
  rendered_content: text(),
  scheduled_delivery_timestamp: int(),
  failed: bool(),
  reminder_target_message_id: int(),
});

export const toReminderWire = (reminder: Reminder): Value<typeof reminderObject> => ({
  reminder_id: reminder.id,
  type: "private",
  to: [reminder.userId],
  content: reminder.content,
  rendered_content: reminder.html,
  scheduled_delivery_timestamp: reminder.deliverAt,
  // Undeliverable reminders are deleted, so that none is ever marked as failed.
  failed: false,
  reminder_target_message_id: reminder.messageId,
});

/** The initial state of reminders, as they were set, by time: as many as fit into a reply. */
export const remindersState = async (caller: Pick<Caller, "id">) => ({
  reminders: leadingItems(
    (await listReminders(caller.id)).sort((a, b) => a.deliverAt - b.deliverAt).map(toReminderWire),
  ),
});

/** Returns a reminder of the caller; others' and unknown ones give the same 404. */
export async function accessReminder(caller: Caller, id: number): Promise<Reminder> {
  const reminder = await findReminder(caller.id, id);
  if (!reminder) throw noSuchReminder();
  return reminder;
}

const noSuchReminder = () => notFound("Reminder does not exist");

/** Leaves 500 code points for the text around the quotation and the note. */
const maxQuotedCodePoints = limits.messageLength - limits.reminderNoteLength - 500;

/** The content of a reminder: a link to the message, the user's note and the message's current content. */
export function reminderText(
  { message, channel }: Pick<AccessedMessage, "message" | "channel">,
  sender: User | undefined,
  note: string,
): string {
  const messageReference = channel
    ? topicReference(channel, message.topic ?? "", { messageId: message.id })
    : "the following direct message";
  const content = truncate(message.content, maxQuotedCodePoints, "\n[message truncated]");
  const attribution = `${silentMention({ id: message.senderId, fullName: sender?.fullName ?? "" })} said:`;
  return `You requested a reminder for ${messageReference}.${noteBlock(note)}\n\n${attribution}\n${quoted(content)}`;
}

const noteBlock = (note: string) => (note === "" ? "" : ` Note:\n> ${note.replaceAll("\n", "\n> ")}`);

/** The content of a reminder of a message that was deleted, or that the person can no longer read: nothing of the message. */
export const textWithoutMessage = (note: string) =>
  `You requested a reminder for a message that you can no longer read.${noteBlock(note)}`;

/**
 * Refuses another reminder of somebody who has as many as they may. Requests at once may exceed the total by their number. 0.5
 * read units for each 4 KB of their reminders.
 */
export async function checkReminderCount(userId: number): Promise<void> {
  if ((await listReminders(userId)).length >= creationLimits.reminder.max) throw badRequest(tooMany("reminder"));
}

export const reminderDeliveries = deferredDelivery({
  kind: deliverReminderJob,
  jobOf: ({ userId, id }: Reminder) => ({ user_id: userId, id }),
  nameOf: ({ userId, id }) => `reminder-${userId}-${id}`,
  listDue: listDueReminders,
  findPending: ({ userId, id }) => findReminder(userId, id),
});

const removalEvent = ({ userId, id }: Reminder) =>
  eventForUser(userId, { type: "reminders", op: "remove", reminder_id: id });

/** Stores the reminder, then creates its schedule. After a crash in between, the sweep creates the schedule. */
export async function addReminder(draft: Omit<Reminder, "id">): Promise<number> {
  const { reminder } = await commitNumbered({ scheduledMessages: 1 }, ({ scheduledMessage: id }) => {
    const reminder: Reminder = { ...draft, id };
    const event = eventForUser(draft.userId, {
      type: "reminders",
      op: "add",
      reminders: [toReminderWire(reminder)],
    });
    const followUps = [reminderDeliveries.scheduled(reminder)];
    return { reminder, writes: [createReminder(reminder)], events: [event], followUps };
  });
  return reminder.id;
}

/** Deletes a reminder and its schedule. Refused with a 404 if it was delivered or cancelled meanwhile. */
export const cancelReminder = (reminder: Reminder): Change => ({
  ...removal(reminder),
  followUps: [reminderDeliveries.cancelled(reminder)],
  refusal: noSuchReminder,
});

const removal = (reminder: Reminder): Change => ({
  writes: [deleteReminder(reminder)],
  events: [removalEvent(reminder)],
});

/** Sends the reminder and deletes its record in one transaction. False when it no longer exists. */
const sendReminder = (reminder: Reminder, notice: ResolvedMessage): Promise<boolean> =>
  succeedsOnce(
    commitNumbered({ messages: 1 }, (numbers) =>
      joinParts({ writes: [withRefusal(deleteReminder(reminder), alreadyDone)] }, planMessage(notice, numbers), {
        events: [removalEvent(reminder)],
      }),
    ),
  );

/** Delivers a pending reminder, however late; deletes it if its owner was deactivated. */
export async function deliverReminderIfPending(userId: number, id: number): Promise<void> {
  const [reminder, user, realm] = await Promise.all([findReminder(userId, id), findUser(userId), loadRealm()]);
  if (!reminder) return;
  if (!user?.active) {
    await succeeds(commit(removal(reminder)));
    return;
  }
  const account = await findAccount(user.email);
  const reader = account && toCaller(account);
  const accessed = reader && (await findReadable(reader, reminder.messageId, realm));
  const note = reminder.note ?? "";
  // The message as it is by now: it may have been edited or moved since.
  const content = accessed
    ? reminderText(accessed, await findUser(accessed.message.senderId), note)
    : textWithoutMessage(note);
  const notice = await composeDirectNotice(realm, userId, content, reader && { reader });
  await withConversation(notice, (resolved) => sendReminder(reminder, resolved));
}
