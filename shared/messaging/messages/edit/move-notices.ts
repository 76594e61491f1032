import { hasTopic, isSameTopic } from "../../../core/channels/topics.ts";
import { silentMention, topicReference } from "../../../core/markdown/source/references.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import type { Realm } from "../../../services/organization/access.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { commitNumbered, joinParts } from "../../../store/log/log.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { endMove, type MoveRecord } from "../../../store/messages/moves.ts";
import type { OutgoingMessage } from "../send/actions.ts";
import { composeChannelNotice, planNotices } from "../send/notices.ts";

/** The channels of a move, with what its events and notices need. */
export interface MoveContext {
  from: Channel;
  to: Channel;
  topicLinks: Message["topicLinks"];
  realm: Realm;
}

/** Ends a move and sends the notices in one transaction, so that a notice is never sent twice. */
export async function finishMove(record: MoveRecord, context: MoveContext): Promise<void> {
  const notices = await composeMoveNotices(record, context);
  await commitNumbered({ messages: notices.length }, (numbers) =>
    joinParts({ writes: [endMove(record)] }, planNotices(notices, numbers)),
  );
}

async function composeMoveNotices(record: MoveRecord, context: MoveContext): Promise<OutgoingMessage[]> {
  const { realm, from, to } = context;
  const notice = async (channel: Channel, topic: string, content: string) => ({
    ...(await composeChannelNotice(realm, channel, topic, content)),
    readBySender: true,
  });
  const actor = (await findCachedProfiles([record.actorId], realm.usersVersion)).get(record.actorId);
  const actorMention = silentMention({ id: record.actorId, fullName: actor?.fullName ?? "" });
  if (record.resolution)
    return [await notice(to, record.to.topic, `${actorMention} has marked this topic as ${record.resolution}.`)];
  if (isSameTopic(record.from, record.to)) return [];
  const isWholeTopic = !(await hasTopic(record.from.channelId, record.from.topic));
  const subject = isWholeTopic
    ? "This topic was"
    : record.moved === 1
      ? "A message was"
      : `${record.moved} messages were`;
  const topicLink = (channel: Channel, topic: string) =>
    topicReference(channel, topic, { emptyTopicName: realm.settings.empty_topic_display_name });
  const toOld = `${subject} moved ${isWholeTopic ? "" : "from this topic "}to ${topicLink(to, record.to.topic)} by ${actorMention}.`;
  const toNew = `${subject} moved here from ${topicLink(from, record.from.topic)} by ${actorMention}.`;
  return Promise.all([
    ...(record.noticeToOld ? [notice(from, record.from.topic, toOld)] : []),
    ...(record.noticeToNew ? [notice(to, record.to.topic, toNew)] : []),
  ]);
}
