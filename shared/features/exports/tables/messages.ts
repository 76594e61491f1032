import { realmId } from "../../../base/limits.ts";
import { hasAttachment, hasImage, hasLink } from "../../../messaging/messages/html-facts.ts";
import { deletedText } from "../../../messaging/messages/wire-parts.ts";
import { findPreviousContents, type PreviousContent, previousBytes } from "../../../store/messages/edits.ts";
import { findMessages, type Message } from "../../../store/messages/messages.ts";
import { reactionsOf } from "../../../store/messages/reactions.ts";
import { listSubmessages } from "../../../store/messages/submessages.ts";
import { listEmoji } from "../../../store/organization/emoji.ts";
import type { Context } from "../context.ts";
import { jsonEntry, type Phase } from "../page.ts";
import { conversationRecipient } from "./conversations.ts";
import { zulipType } from "./private-data.ts";
import { clientId, recipientId, recipientTypes, userIdOf } from "./references.ts";
import { recipientsOf, userMessageRows } from "./user-messages.ts";

/** As in Zulip's own exports. */
const maxMessagesPerFile = 1000;
/** Bound the memory of a page. */
const maxContentBytes = 4 * 1024 * 1024;
const maxUserMessages = 50_000;
/** How many IDs a page looks at; few of them may belong to messages of the export. */
const maxIdsPerPage = 10_000;
const idsPerRead = 100;

/** Zulip's topic of direct messages, and its version of rendered texts. */
const directTopic = "\u0007";
const renderedVersion = 1;

const everything = { messageBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY };

/** Messages with the flags that consenting users have on them, their reactions, and the groups of direct messages. */
export const messagesPhase: Phase = async (at, context) => {
  const { lists, lastMessageId } = context;
  const { messages, recipients, last } = await collectMessages(at, context);
  const next = last < lastMessageId ? last : undefined;
  if (messages.length === 0) return { next };
  const [previous, submessages, emoji, userMessages] = await Promise.all([
    findPreviousContents(messages, everything),
    listSubmessages(messages),
    listEmoji(),
    userMessageRows(messages, recipients, context),
  ]);
  const emojiNames = new Map(emoji.map(({ id, name }) => [String(id), name]));
  const rows = [];
  for (const message of messages) {
    rows.push(await toMessageRow(message, previous, context));
    const reactions = reactionsOf(message).map(({ name, code, type, userId }) => ({
      ...{ message: message.id, user_profile: userId, reaction_type: zulipType(type), emoji_code: code },
      emoji_name: type === "realm_emoji" ? emojiNames.get(code) : name,
    }));
    // An emoji that was added to the organization later than the last reply is not in its table.
    await lists.add(
      "zerver_reaction",
      reactions.filter((row) => row.emoji_name !== undefined && userIdOf(row.user_profile, context) !== null),
    );
  }
  await lists.add(
    "zerver_submessage",
    submessages
      .filter(({ senderId }) => userIdOf(senderId, context) !== null)
      // Their IDs are unique within a message only.
      .map(({ messageId, senderId, type, content }) => ({
        ...{ message: messageId, sender: senderId, msg_type: type, content },
      })),
  );
  const ids = messages.map(({ id }) => id);
  const number = String(lists.count("messages") + 1).padStart(6, "0");
  await lists.add("messages", [{ first: at + 1, bits: bitmapOf(ids, at + 1, last) }]);
  const content = { zerver_message: rows, zerver_usermessage: userMessages };
  return { entries: [jsonEntry(`messages-${number}.json`, content)], next };
};

/** The messages of the next file with those who received them, and the ID up to which they are complete. */
async function collectMessages(at: number, context: Context) {
  const { lastMessageId, scope, lists } = context;
  const streams = await lists.ids("zerver_stream");
  const recipients = recipientsOf(context);
  const messages: Message[] = [];
  let [last, bytes, userMessages] = [at, 0, 0];
  while (last < Math.min(lastMessageId, at + maxIdsPerPage)) {
    const first = last + 1;
    const count = Math.min(idsPerRead, lastMessageId - last);
    const found = await findMessages(Array.from({ length: count }, (_, index) => first + index));
    const included = (await scope.filterMessages(found)).filter(
      ({ channelId }) => channelId === undefined || streams.has(channelId),
    );
    await recipients.load(included);
    for (const message of included) {
      const size = bytesOf(message);
      const received = recipients.of(message).length;
      const isFull = bytes + size > maxContentBytes || userMessages + received > maxUserMessages;
      if (messages.length > 0 && (isFull || messages.length === maxMessagesPerFile))
        return { messages, recipients, last };
      messages.push(message);
      last = message.id;
      bytes += size;
      userMessages += received;
    }
    last = first + count - 1;
  }
  return { messages, recipients, last };
}

const bytesOf = ({ content, html, editHistory = [] }: Message) =>
  content.length + html.length + editHistory.reduce((sum, entry) => sum + previousBytes(entry), 0);

async function toMessageRow(message: Message, previous: Map<number, PreviousContent>, context: Context) {
  const { id, senderId, channelId, topic, content, html, sentAt } = message;
  const recipient =
    channelId === undefined
      ? await conversationRecipient({ ...message, userIds: message.userIds ?? [] }, context)
      : recipientId(recipientTypes.channel, channelId);
  // The importer stops at an edit by somebody who is not in the archive, because they joined after the export had begun.
  const known = (message.editHistory ?? []).filter(({ userId }) => userIdOf(userId, context) !== null);
  const edits = known.map((entry) => {
    const text = entry.textDropped ? deletedText : previous.get(entry.formerText ?? -1);
    return {
      ...{ user_id: entry.userId, timestamp: entry.at },
      ...(text && {
        ...{ prev_content: text.content, prev_rendered_content: text.html },
        prev_rendered_content_version: renderedVersion,
      }),
      ...(entry.prevChannelId !== undefined && { prev_stream: entry.prevChannelId, stream: entry.channelId }),
      ...(entry.prevTopic !== undefined && { prev_topic: entry.prevTopic, topic: entry.topic ?? "" }),
    };
  });
  const editTimes = edits.map(({ timestamp }) => timestamp);
  return {
    ...{ id, realm: realmId, sender: senderId, recipient, type: 1, is_channel_message: channelId !== undefined },
    ...{ subject: channelId === undefined ? directTopic : (topic ?? ""), content, rendered_content: html },
    ...{ rendered_content_version: renderedVersion, date_sent: sentAt },
    sending_client: await clientId(message.client, context),
    last_edit_time: edits.length > 0 ? Math.max(...editTimes) : (message.lastEditAt ?? message.lastMovedAt ?? null),
    edit_history: edits.length > 0 ? JSON.stringify(edits) : null,
    ...{ has_attachment: hasAttachment(message), has_image: hasImage(message), has_link: hasLink(message) },
  };
}

/** A bit for each ID up to `last`, in bytes from that of `first` on, in Base64. */
function bitmapOf(ids: readonly number[], first: number, last: number): string {
  const bits = Buffer.alloc(byteOf(last) - byteOf(first) + 1);
  for (const id of ids) setBit(bits, byteOf(id) - byteOf(first), 1 << (id % 8));
  return bits.toString("base64");
}

const byteOf = (id: number) => Math.floor(id / 8);
const setBit = (bits: Buffer, at: number, mask: number) => {
  bits[at] = (bits[at] ?? 0) | mask;
};

/** Tells which messages are in the archive; needs a bit of memory for each ID. */
export async function exportedMessages({ lists, lastMessageId }: Context): Promise<(id: number) => boolean> {
  const all = Buffer.alloc(byteOf(lastMessageId) + 1);
  for (const { first, bits } of await lists.read("messages"))
    for (const [index, mask] of Buffer.from(String(bits), "base64").entries())
      setBit(all, byteOf(Number(first)) + index, mask);
  return (id) => ((all[byteOf(id)] ?? 0) & (1 << (id % 8))) !== 0;
}
