import { commit } from "../store/log.ts";
import { deleteMove, type MoveRecord } from "../store/moves.ts";
import { findTopic } from "../store/topics.ts";
import { profilesOf } from "../users/profiles.ts";
import { type OutgoingMessage, planMessage } from "./actions.ts";
import type { MoveScene } from "./moves.ts";
import { noticeIn } from "./notices.ts";
import { isSameTopic } from "./topic-changes.ts";

/** Ends a move: removes its record and tells the topics of it, in one transaction, so that nobody is told twice. */
export async function finishMove(record: MoveRecord, scene: MoveScene): Promise<void> {
  const notices = await noticesOf(record, scene);
  const count = notices.length;
  await commit({ events: count, ...(count > 0 && { messages: count }) }, (numbers) => {
    const plans = notices.map((notice, index) =>
      planMessage(
        { ...notice, recipientId: recipientOf(notice), newConversation: false },
        { ...numbers, event: numbers.event + index, message: numbers.message + index },
      ),
    );
    return {
      writes: [deleteMove(record), ...plans.flatMap(({ writes }) => writes)],
      events: plans.map(({ event }) => event),
      result: undefined,
    };
  });
}

const recipientOf = ({ destination }: OutgoingMessage) =>
  destination.kind === "channel" ? destination.channel.recipientId : 0;

async function noticesOf(record: MoveRecord, scene: MoveScene): Promise<OutgoingMessage[]> {
  const { realm, from, to } = scene;
  const actor = (await profilesOf([record.actorId], realm.usersVersion)).get(record.actorId);
  const by = `@_**${actor?.fullName ?? ""}|${record.actorId}**`;
  if (record.resolution)
    return [await notice(scene, scene.to, record.to.topic, `${by} has marked this topic as ${record.resolution}.`)];
  if (isSameTopic(record.from, record.to)) return [];
  const isWhole = (await findTopic(record.from.channelId, record.from.topic, { consistent: true })) === undefined;
  const what = isWhole ? "This topic was" : record.moved === 1 ? "A message was" : `${record.moved} messages were`;
  const place = (name: string, topic: string) => `#**${name}>${topic}**`;
  const here = place(to.name, record.to.topic);
  const there = place(from.name, record.from.topic);
  return Promise.all([
    ...(record.noticeToOld
      ? [
          notice(
            scene,
            from,
            record.from.topic,
            `${what} moved ${isWhole ? "" : "from this topic "}to ${here} by ${by}.`,
          ),
        ]
      : []),
    ...(record.noticeToNew ? [notice(scene, to, record.to.topic, `${what} moved here from ${there} by ${by}.`)] : []),
  ]);
}

const notice = async (
  { realm }: MoveScene,
  channel: MoveScene["to"],
  topic: string,
  content: string,
): Promise<OutgoingMessage> => ({ ...(await noticeIn(realm, channel, topic, content)), readBySender: true });
