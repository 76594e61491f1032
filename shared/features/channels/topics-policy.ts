import { hasTopic, listTopics } from "../../core/channels/topics.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { findChannel } from "../../store/channels/channels.ts";
import { commit, noChange } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { channelChange } from "./apply-changes.ts";
import { recheckTopicsPolicyJob } from "./jobs.ts";

/** Channels with the policy `empty_topic_only` allow no other topics. See https://zulip.com/help/general-chat-channels. */

export async function hasNamedTopics(channelId: number): Promise<boolean> {
  const named = (await listTopics(channelId)).filter(({ name }) => name !== "");
  // A record may outlive the messages of its topic: only messages count.
  for (const { name } of named) if (await hasTopic(channelId, name)) return true;
  return false;
}

/** Longer than any request may take: messages sent under the former policy are written by then. */
const inFlightSeconds = 40;

/** A job that checks the topics again once all messages in flight at the change of policy are written. */
export const topicsPolicyRecheck = (channelId: number): FollowUp =>
  outboxJob(recheckTopicsPolicyJob, { channel_id: channelId }, inFlightSeconds);

/** Resets the policy `empty_topic_only` if a message with another topic was sent during the change. */
export const recheckTopicsPolicy = (channelId: number): Promise<void> =>
  withConsistentReads(() =>
    retryOnConflict(async () => {
      const channel = await findChannel(channelId);
      if (channel?.topicsPolicy !== "empty_topic_only" || !(await hasNamedTopics(channelId))) return;
      const realm = await loadRealm();
      const bot = (await findCachedProfiles([realm.notificationBotId], realm.usersVersion)).get(
        realm.notificationBotId,
      );
      const actor = bot ?? { id: realm.notificationBotId, fullName: "" };
      await commit(await channelChange(channel, { topicsPolicy: "inherit" }, actor, realm, () => noChange));
    }),
  );
