import { hasTopic, isSameTopic } from "../../channels/topics.ts";
import { findCachedProfiles } from "../../identity/profiles.ts";
import type { Realm } from "../../organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import { commitNumbered } from "../../store/log/log.ts";
import type { Message } from "../../store/messages/messages.ts";
import { deleteMove, type MoveRecord } from "../../store/messages/moves.ts";
import { type OutgoingMessage, planMessage } from "../send/actions.ts";
import { composeChannelNotice } from "../send/notices.ts";

/** The channels of a move, with what its events and notices need. */
export interface MoveContext {
  from: Channel;
  to: Channel;
  topicLinks: Message["topicLinks"];
  realm: Realm;
}

/** Ends a move: deletes its record and sends the notices in one transaction, so that a notice is never sent twice. */
export async function finishMove(record: MoveRecord, context: MoveContext): Promise<void> {
  const notices = await composeMoveNotices(record, context);
  await commitNumbered({ messages: notices.length }, (numbers) => {
    const plans = notices.map((notice, index) =>
      planMessage(
        { ...notice, recipientId: recipientOf(notice), newConversation: false },
        { ...numbers, event: numbers.event + index, message: numbers.message + index },
      ),
    );
    return {
      writes: [deleteMove(record), ...plans.flatMap(({ writes }) => writes)],
      events: plans.flatMap(({ events }) => events),
    };
  });
}

const recipientOf = ({ destination }: OutgoingMessage) =>
  destination.kind === "channel" ? destination.channel.recipientId : 0;

async function composeMoveNotices(record: MoveRecord, context: MoveContext): Promise<OutgoingMessage[]> {
  const { realm, from, to } = context;
  const actor = (await findCachedProfiles([record.actorId], realm.usersVersion)).get(record.actorId);
  const actorMention = `@_**${actor?.fullName ?? ""}|${record.actorId}**`;
  if (record.resolution)
    return [
      await composeMoveNotice(
        context,
        context.to,
        record.to.topic,
        `${actorMention} has marked this topic as ${record.resolution}.`,
      ),
    ];
  if (isSameTopic(record.from, record.to)) return [];
  const isWholeTopic = !(await hasTopic(record.from.channelId, record.from.topic));
  const subject = isWholeTopic
    ? "This topic was"
    : record.moved === 1
      ? "A message was"
      : `${record.moved} messages were`;
  const topicLink = (name: string, topic: string) => `#**${name}>${topic}**`;
  const newTopicLink = topicLink(to.name, record.to.topic);
  const oldTopicLink = topicLink(from.name, record.from.topic);
  return Promise.all([
    ...(record.noticeToOld
      ? [
          composeMoveNotice(
            context,
            from,
            record.from.topic,
            `${subject} moved ${isWholeTopic ? "" : "from this topic "}to ${newTopicLink} by ${actorMention}.`,
          ),
        ]
      : []),
    ...(record.noticeToNew
      ? [
          composeMoveNotice(
            context,
            to,
            record.to.topic,
            `${subject} moved here from ${oldTopicLink} by ${actorMention}.`,
          ),
        ]
      : []),
  ]);
}

const composeMoveNotice = async (
  { realm }: MoveContext,
  channel: MoveContext["to"],
  topic: string,
  content: string,
): Promise<OutgoingMessage> => ({
  ...(await composeChannelNotice(realm, channel, topic, content)),
  readBySender: true,
});
