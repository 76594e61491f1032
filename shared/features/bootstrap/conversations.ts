import { ApiError } from "../../base/errors.ts";
import { nameKey } from "../../base/name-key.ts";
import { getEmojiByName } from "../../core/emoji/access.ts";
import { sendMessage } from "../../messaging/messages/send/actions.ts";
import { compose } from "../../messaging/messages/send/compose.ts";
import type { Destination } from "../../messaging/messages/send/destination.ts";
import { addSubmessage } from "../../messaging/submessages/submessages.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findChannel } from "../../store/channels/channels.ts";
import { commit, readHead } from "../../store/log/log.ts";
import { findConversation } from "../../store/messages/conversations.ts";
import { findMessage, type Message } from "../../store/messages/messages.ts";
import { putReactions } from "../../store/messages/reactions.ts";
import { ReadMarks } from "../../store/messages/read-state.ts";
import { transact } from "../../store/table/transactions.ts";
import { type OrganizationFile, OrganizationFileError } from "./organization-file.ts";
import { sentAtOf } from "./sent-at.ts";

/** Creates the organization file's conversations, and the users' read marks. */

type Conversation = OrganizationFile["conversations"][number];

type FileMessage = Conversation["messages"][number] & { conversation: Conversation; sentAt: number; field: string };

interface Context {
  realm: Realm;
  /** The file's users and bots by their address in lower case. */
  members: ReadonlyMap<string, Caller>;
  channelIds: ReadonlyMap<string, number>;
}

/**
 * Sends the file's messages in the order of their time, so that IDs ascend with time. When an earlier attempt died half-way,
 * continues after the last ID that it reserved. Calls `onMessages` with the number of messages that exist.
 */
export async function createConversations(
  conversations: readonly Conversation[],
  context: Context,
  now: Date,
  onMessages: (messageCount: number) => void,
): Promise<void> {
  const messages = conversations
    .flatMap((conversation, index) =>
      conversation.messages.map((message, position): FileMessage => {
        const field = `conversations[${index}].messages[${position}]`;
        return { ...message, conversation, sentAt: sentAtOf(message.sent, now), field };
      }),
    )
    .sort((a, b) => a.sentAt - b.sentAt);
  if (messages.length === 0) return;
  const { message: reservedCount } = await readHead();
  for (const [index, message] of messages.slice(reservedCount).entries()) {
    try {
      await createMessage(message, context);
      onMessages(reservedCount + index + 1);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new OrganizationFileError(`${message.field}: ${error.message}`);
    }
  }
}

async function createMessage(message: FileMessage, { realm, members, channelIds }: Context): Promise<void> {
  const member = (email: string) => members.get(email.toLowerCase()) as Caller;
  const author = member(message.from);
  const destination = await destinationOf(message.conversation, { realm, members, channelIds });
  const composed = await compose(author, message.content, destination, realm);
  const { id: senderId } = author;
  const { sentAt } = message;
  const id = await sendMessage({ ...composed, senderId, destination, client: "website", readBySender: true, sentAt });
  const reactions = await Promise.all(
    Object.entries(message.reactions).map(async ([name, emails]) => {
      const emoji = await getEmojiByName(name);
      return emails.map((email) => ({ ...emoji, userId: member(email).id }));
    }),
  );
  // In one write and without events, because there are no clients yet.
  if (reactions.length > 0) await transact([putReactions(id, reactions.flat())]);
  for (const [option, voters] of message.votes.entries())
    for (const email of voters) {
      const content = JSON.stringify({ type: "vote", key: `canned,${option}`, vote: 1 });
      const message = (await findMessage(id)) as Message;
      await commit(await addSubmessage(member(email), message, { type: "widget", content }));
    }
}

async function destinationOf(
  { channel: name = "", topic = "", between }: Conversation,
  { members, channelIds }: Context,
): Promise<Destination> {
  if (!between) {
    const channel = await findChannel(channelIds.get(nameKey(name)) as number);
    if (!channel) throw new Error(`The channel ${name} was not created`);
    return { kind: "channel", channel, topic };
  }
  const ids = between.map((email) => (members.get(email.toLowerCase()) as Caller).id);
  const userIds = [...new Set(ids)].sort((a, b) => a - b);
  return { kind: "direct", userIds, conversation: await findConversation(userIds) };
}

/**
 * Marks all messages as read by each user, except the messages of an unread conversation after the user's own last message,
 * reaction or vote there.
 */
export function readMarksOf(
  conversations: readonly Conversation[],
  people: readonly Caller[],
  now: Date,
): Map<number, ReadMarks> {
  const messagesByTime = conversations
    .flatMap(({ unread, messages }, index) =>
      messages.map(({ from, sent, reactions, votes }) => {
        const activeAddresses = new Set(
          [from, ...Object.values(reactions).flat(), ...votes.flat()].map((address) => address.toLowerCase()),
        );
        return { index, unread, activeAddresses, sentAt: sentAtOf(sent, now) };
      }),
    )
    .sort((a, b) => a.sentAt - b.sentAt);
  return new Map(
    people.map(({ id, email }) => {
      const marks = new ReadMarks();
      const lastActive = new Map<number, number>();
      for (const [position, { index, activeAddresses }] of messagesByTime.entries())
        if (activeAddresses.has(email.toLowerCase())) lastActive.set(index, position);
      for (const [position, { index, unread }] of messagesByTime.entries())
        if (!unread || position <= (lastActive.get(index) ?? -1)) marks.mark(position + 1, true);
      return [id, marks];
    }),
  );
}
