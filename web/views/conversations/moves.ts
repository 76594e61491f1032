import { t } from "../../base/languages/language.ts";
import { channelName, topicName } from "../../parts/parts.tsx";
import { editMessage } from "../../session/actions/change-messages.ts";
import { retryOnceReachable } from "../../session/retry.ts";
import { call, sessionEnd } from "../../session/session.ts";
import { currentState, onEvents } from "../../session/store.ts";
import { progressToast, toast, toastWithUndo, tryTo } from "../../session/toasts.ts";
import type { Message } from "../../state/model.ts";
import { termsOf } from "../../state/narrow.ts";

/** Moves messages to another topic or channel, and back. */

export interface TopicRef {
  channelId: number;
  topic: string;
}

/** Zulip's values of `propagate_mode`. */
export type PropagateMode = "change_one" | "change_later" | "change_all";

export interface Notices {
  inOldTopic: boolean;
  inNewTopic: boolean;
}

const noNotices: Notices = { inOldTopic: false, inNewTopic: false };

/** Moves a message, alone or with others of its topic, and offers to move them back; returns whether it succeeded. */
export const moveMessages = (messageId: number, from: TopicRef, to: TopicRef, mode: PropagateMode, notices: Notices) =>
  tryTo(async () => {
    const moved = idsMovedWith(messageId);
    await move(messageId, from, to, mode, notices).catch((error: unknown) => {
      moved.stop();
      throw error;
    });
    toastWithUndo(
      t("Moved to {channel} › {topic}.", { channel: channelName(to.channelId), topic: topicName(to.topic) }),
      async () => moveBack(await moved.ids, to, from),
    );
  });

function move(id: number, from: TopicRef, to: TopicRef, mode: PropagateMode, { inOldTopic, inNewTopic }: Notices) {
  return editMessage(id, {
    ...(to.topic !== from.topic && { topic: to.topic }),
    ...(to.channelId !== from.channelId && { stream_id: to.channelId }),
    propagate_mode: mode,
    send_notification_to_old_thread: inOldTopic,
    send_notification_to_new_thread: inNewTopic,
  });
}

/** The IDs of the messages that the next move of a message moves, which the event of the move lists. */
function idsMovedWith(messageId: number) {
  const { promise, resolve } = Promise.withResolvers<readonly number[]>();
  const stop = onEvents((events) => {
    for (const event of events)
      if (event.type === "update_message" && event.message_id === messageId && event.propagate_mode !== undefined) {
        stop();
        resolve(event.message_ids);
      }
  });
  return { ids: promise, stop };
}

/**
 * Moves messages back, and no others: in one step if everything in the topic from the first of them on belongs to them, else
 * one by one.
 */
async function moveBack(ids: readonly number[], from: TopicRef, to: TopicRef): Promise<void> {
  const movedIds = new Set(ids);
  const first = Math.min(...ids);
  const later = await call("GET /messages", {
    anchor: String(first),
    num_before: 0,
    num_after: ids.length + maxNotices,
    narrow: termsOf({ kind: "topic", ...from }),
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  const others = later.messages.filter((message) => !movedIds.has(message.id) && !isNotice(message));
  if (others.length === 0 && later.found_newest) await move(first, from, to, "change_later", noNotices);
  else await moveOneByOne(ids, from, to);
  toast(t("The messages were moved back."));
}

/** A move posts two notices at most; more appear if the topic is moved again. */
const maxNotices = 10;
const isNotice = ({ sender_id }: Pick<Message, "sender_id">) =>
  currentState().users.get(sender_id)?.is_system_bot === true;

async function moveOneByOne(ids: readonly number[], from: TopicRef, to: TopicRef): Promise<void> {
  const stop = new AbortController();
  const end = AbortSignal.any([stop.signal, sessionEnd()]);
  const progress = progressToast(() => stop.abort());
  try {
    for (const [index, id] of ids.entries()) {
      end.throwIfAborted();
      if (ids.length > 1)
        progress.update(t("Moving back: {index} of {count}", { index, count: ids.length }), index / ids.length);
      await retryOnceReachable(async () => move(id, from, to, "change_one", noNotices), end);
    }
  } finally {
    progress.close();
  }
}
