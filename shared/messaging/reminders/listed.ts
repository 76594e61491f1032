import { mapInBatches } from "../../base/batches.ts";
import { leadingItems } from "../../services/http/reply-size.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listReminders } from "../../store/messages/reminders.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { filterMatching } from "../messages/fetch/matching.ts";
import { Reader } from "../messages/reader.ts";
import { reminderText, textWithoutMessage, toReminderWire } from "./reminders.ts";

/** How many texts are rendered at once. */
const batchSize = 10;

/**
 * A person's reminders, ordered by time, each with the text with which it would be delivered now: the message may have been edited,
 * moved or deleted since, or be out of the person's sight. As many as fit into a reply. Costs 1 read unit for each message and each
 * channel; a text that is still as it was set is not rendered again.
 */
export const remindersAsOfNow = (caller: Caller, realm: Realm) =>
  // A message may be set a reminder for as soon as it is sent.
  withConsistentReads(async () => {
    const reminders = (await listReminders(caller.id)).sort((a, b) => a.deliverAt - b.deliverAt);
    const reader = new Reader(caller, realm);
    const ids = [...new Set(reminders.map(({ messageId }) => messageId))];
    const readable = await filterMatching(
      reader,
      { terms: [], policies: new Map() },
      ids.map((id) => ({ id })),
      false,
    );
    const messages = new Map(readable.map((message) => [message.id, message]));
    const senders = await findCachedProfiles(
      readable.map(({ senderId }) => senderId),
      realm.usersVersion,
    );
    const listed = await mapInBatches(reminders, batchSize, async (reminder) => {
      const { messageId, note = "" } = reminder;
      const message = messages.get(messageId);
      const channel = message?.channelId === undefined ? undefined : reader.channel(message.channelId);
      const content = message
        ? reminderText({ message, channel }, senders.get(message.senderId), note)
        : textWithoutMessage(note);
      if (content === reminder.content) return toReminderWire(reminder);
      // Seldom needed: the renderer is not loaded at startup.
      const { renderTextOrSource } = await import("../messages/render/render.ts");
      const { html } = await renderTextOrSource(content, realm, caller);
      return toReminderWire({ ...reminder, content, html });
    });
    return { reminders: leadingItems(listed) };
  });
