import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { keepUnread } from "../../navigation/selection.ts";
import { setFlag } from "../../session/actions/change-messages.ts";
import { retryOnceReachable } from "../../session/retry.ts";
import { call, sessionEnd } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";
import { progressToast, toast, toastWithUndo, tryTo } from "../../session/toasts.ts";
import { termsOf } from "../../state/narrow.ts";
import { type Place, unreadIdsIn } from "../../state/unread.ts";

/** Marks all messages of a conversation, of a channel or of everything as read, however many there are, and offers to undo it. */

/** How many messages one request marks; the progress is shown in between. */
const batchSize = 1000;

export const markAllRead = (place: Place): Promise<boolean> =>
  tryTo(async () => {
    const known = unreadIdsIn(currentState().unread, place);
    const stop = new AbortController();
    const batches = batchesOf(known, currentState().unread.oldUnreadsMissing ? place : undefined, stop.signal);
    const changed = await setReadFlag(batches, "add", known.length, stop);
    if (changed.length === 0) return;
    const text = t("{count, plural, one {Marked # message as read.} other {Marked # messages as read.}}", {
      count: changed.length,
    });
    toastWithUndo(stop.signal.aborted ? `${t("Stopped.")} ${text}` : text, () => markUnread(changed));
  });

async function markUnread(ids: readonly number[]): Promise<void> {
  // Those on the screen would otherwise be marked as read again at once.
  keepUnread(ids);
  const changed = await setReadFlag(batchesOf(ids), "remove", ids.length, new AbortController());
  toast(
    t("{count, plural, one {# message is unread again.} other {# messages are unread again.}}", {
      count: changed.length,
    }),
  );
}

/**
 * Yields the given IDs in batches. If the server did not list older unread messages at registration, it is then asked for the
 * remaining unread messages of `place`.
 */
async function* batchesOf(ids: readonly number[], place?: Place, end?: AbortSignal): AsyncGenerator<readonly number[]> {
  for (let start = 0; start < ids.length; start += batchSize) yield ids.slice(start, start + batchSize);
  if (!place || !end) return;
  const narrow = [...(place.kind === "everything" ? [] : termsOf(place)), { operator: "is", operand: "unread" }];
  for (let anchor = "newest"; ; ) {
    const range = { anchor, include_anchor: anchor === "newest", num_before: batchSize, num_after: 0 };
    const reply = await retryOnceReachable(() => call("GET /messages", { ...range, narrow }), end);
    const [oldest] = reply.messages;
    if (oldest) yield reply.messages.map(({ id }) => id);
    if (!oldest || reply.found_oldest) return;
    anchor = String(oldest.id);
  }
}

/**
 * Marks batches of messages as read or unread, and returns the messages that were not so before. Continues when the server can
 * be reached again; stops when the user asks for that or the session ends.
 */
async function setReadFlag(
  batches: AsyncIterable<readonly number[]>,
  op: "add" | "remove",
  total: number,
  stop: AbortController,
): Promise<number[]> {
  const progress = progressToast(() => stop.abort());
  const end = AbortSignal.any([stop.signal, sessionEnd()]);
  const changed: number[] = [];
  const showProgress = () => {
    const known = Math.max(total, changed.length);
    const counts = { done: changed.length, all: known };
    const text =
      op === "add"
        ? t("Marking messages as read: {done} of {all}", counts)
        : t("Marking messages as unread: {done} of {all}", counts);
    progress.update(text, changed.length / known);
  };
  try {
    for await (const ids of batches) {
      if (end.aborted) break;
      if (total > batchSize) showProgress();
      let tries = 0;
      const reply = await retryOnceReachable(() => {
        tries++;
        return changeReadFlag(ids, op);
      }, end);
      // The server may have done what a request asked and its reply was lost: then a retry changes nothing.
      changed.push(...(tries > 1 ? ids : reply));
    }
  } catch (error) {
    // What was changed before can still be undone.
    if (!end.aborted) toast(error instanceof Error ? error.message : String(error));
  } finally {
    progress.close();
  }
  return changed;
}

/** Returns the messages that were changed. The server refuses a list with a message that was deleted: then divides it. */
async function changeReadFlag(ids: readonly number[], op: "add" | "remove"): Promise<readonly number[]> {
  try {
    return (await setFlag(ids, "read", op)).messages;
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== "BAD_REQUEST") throw error;
    if (ids.length <= 1) return [];
    const middle = ids.length >> 1;
    return [...(await changeReadFlag(ids.slice(0, middle), op)), ...(await changeReadFlag(ids.slice(middle), op))];
  }
}
