import { recordTopics } from "../../channels/topics.ts";
import type { Subscriber } from "../../jobs/log-consumer.ts";
import type { LogEvent } from "../../schema/event-types.ts";
import { cursors } from "../../store/log/cursors.ts";
import { findMessages, type Message } from "../../store/messages/messages.ts";
import { indexMessages } from "../../store/messages/search-index.ts";
import { indexedWords } from "./index-words.ts";

/**
 * Updates the search index and the topics' records from the log. Searches scan the messages that are newer than the last
 * indexed one. The subscriber must never skip an entry: searches do not scan older messages, so they would not find a message
 * that was skipped.
 */
export const searchIndex: Subscriber = {
  name: "search index",
  cursor: cursors.search,
  startsAt: "start",
  skipsExpired: false,
  step: async (entries, { message: newestIndexed = 0 }) => {
    const changes = entries.flatMap(({ event }) => messageChanges(event));
    const messages = await reindex([...new Set(changes.map(({ id }) => id))]);
    const newIds = new Set(changes.flatMap(({ id, isNew }) => (isNew ? [id] : [])));
    await recordTopics(messages.filter(({ id }) => newIds.has(id)));
    return { cursorAttributes: { message: Math.max(newestIndexed, ...newIds) } };
  },
};

function messageChanges(event: LogEvent | undefined) {
  if (event?.type === "message") return [{ id: event.message_id, isNew: true }];
  if (event?.type === "update_message" || event?.type === "delete_message")
    return event.message_ids.map((id) => ({ id, isNew: false }));
  return [];
}

async function reindex(ids: readonly number[]): Promise<Message[]> {
  // Strongly consistent: an event is processed once, so the words of a stale read would stay in the index.
  const found = await findMessages(ids, { consistent: true });
  await indexMessages(
    ids.map((id, index) => {
      const message = found[index];
      if (!message) return { posting: { id }, words: [] };
      const { channelId, userIds } = message;
      return { posting: { id, channelId, userIds }, words: indexedWords(message) };
    }),
  );
  return found.filter((message) => message !== undefined);
}
