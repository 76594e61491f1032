import * as z from "zod/mini";
import { truncateContent } from "../../../base/schema/text.ts";
import { withEditEntry } from "../../../messaging/messages/edit/edit-history.ts";
import { resolution } from "../../../messaging/messages/edit/rules.ts";
import type { EditEntry, Message } from "../../../store/messages/messages.ts";
import { listOf, maybe, object, time } from "../../integrations/fields.ts";
import type { ZulipMessage } from "./format.ts";

/** An edit as Zulip's table has it. */
const edit = object({
  ...{ user_id: maybe(z.int()), timestamp: time(), prev_stream: maybe(z.int()), stream: maybe(z.int()) },
  ...{ prev_topic: maybe(z.string()), topic: maybe(z.string()) },
  ...{ prev_content: maybe(z.string()), prev_rendered_content: maybe(z.string()) },
});
/** The newest ones: no more are stored. */
const edits = listOf(edit, 500);

/**
 * Former texts are read by numbers that are unique among all messages. Those of edits made here count up from 1, so these are
 * far above.
 */
const firstNumber = 7e15;
const numbersPerMessage = 1000;

interface Names {
  userOf(zulipId: number): number | undefined;
  channelOf(zulipId: number): number | undefined;
  textOf(content: string): string;
}

/** What the edits of a message become: the history and times in the message, and its former texts. */
export function editsOf(zulip: ZulipMessage, id: number, senderId: number, names: Names) {
  const formerTexts: { number: number; content: string }[] = [];
  let changed: Pick<Message, "editHistory" | "lastEditAt" | "lastMovedAt"> =
    zulip.last_edit_time > 0 && zulip.edit_history === "" ? { lastEditAt: Math.floor(zulip.last_edit_time) } : {};
  // From the oldest to the newest.
  for (const [index, one] of parse(zulip.edit_history).reverse().entries()) {
    const { user_id, prev_content, prev_topic, topic } = one;
    const [prevChannelId, channelId] = [one.prev_stream, one.stream].map((stream) =>
      stream === undefined ? undefined : names.channelOf(stream),
    );
    const isMoved = prevChannelId !== undefined && channelId !== undefined;
    const isRenamed = prev_topic !== undefined && topic !== undefined;
    if (prev_content === undefined && !isMoved && !isRenamed) continue;
    const at = Math.floor(one.timestamp);
    const entry: EditEntry = {
      ...{ userId: (user_id === undefined ? undefined : names.userOf(user_id)) ?? senderId, at },
      ...(isRenamed && { prevTopic: prev_topic.toWellFormed(), topic: topic.toWellFormed() }),
      ...(isMoved && { prevChannelId, channelId }),
    };
    if (prev_content !== undefined) {
      const content = truncateContent(names.textOf(prev_content));
      const number = firstNumber + id * numbersPerMessage + index;
      formerTexts.push({ number, content });
      entry.formerText = number;
      entry.formerBytes = Buffer.byteLength(content) + Buffer.byteLength(one.prev_rendered_content ?? "");
      changed.lastEditAt = at;
    }
    if (isMoved || (isRenamed && resolution(prev_topic, topic) === undefined)) changed.lastMovedAt = at;
    changed = { ...changed, editHistory: withEditEntry(changed, entry) };
  }
  const kept = new Set((changed.editHistory ?? []).map(({ formerText }) => formerText));
  return { changed, formerTexts: formerTexts.filter(({ number: one }) => kept.has(one)) };
}

function parse(json: string) {
  try {
    return edits.parse(JSON.parse(json));
  } catch {
    return [];
  }
}
