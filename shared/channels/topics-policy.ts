import { type OutboxJob, outboxJob } from "../jobs/outbox.ts";
import { accessRealm } from "../organization/access.ts";
import { findChannel } from "../store/channels.ts";
import { consistently } from "../store/consistency.ts";
import { readPartition, topicPartition } from "../store/messages.ts";
import { listTopics } from "../store/topics.ts";
import { profilesOf } from "../users/profiles.ts";
import { changeTo } from "./change.ts";
import { settleTopicsPolicyJob } from "./jobs.ts";

/** `empty_topic_only` is for channels whose messages are all in the empty topic (2.3). */

/** Whether a channel has messages in a topic with a name. A topic's record may outlive its messages: only they count. */
export async function hasNamedTopics(channelId: number): Promise<boolean> {
  const named = (await listTopics(channelId)).filter(({ name }) => name !== "");
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: 1 };
  for (const { name } of named)
    if ((await readPartition("gsi2", topicPartition(channelId, name), all)).length > 0) return true;
  return false;
}

/** Longer than any request may take: who sends by the policy before has sent by then. */
const settledSeconds = 40;

/** A job that looks again, once all messages that were on their way when the policy changed have come. */
export const lookAgainAtTopics = (channelId: number): OutboxJob =>
  outboxJob(settleTopicsPolicyJob, { channel_id: channelId }, settledSeconds);

/** Gives up the policy `empty_topic_only` of a channel into which a message with another topic slipped. */
export const settleTopicsPolicy = (channelId: number): Promise<void> =>
  consistently(async () => {
    for (;;) {
      const channel = await findChannel(channelId);
      if (channel?.topicsPolicy !== "empty_topic_only" || !(await hasNamedTopics(channelId))) return;
      const realm = await accessRealm();
      const bot = (await profilesOf([realm.notificationBotId], realm.usersVersion)).get(realm.notificationBotId);
      const by = bot ?? { id: realm.notificationBotId, fullName: "" };
      if (await changeTo(channel, { topicsPolicy: "inherit" }, by, realm)) return;
    }
  });
