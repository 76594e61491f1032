import { badRequest } from "../../base/errors.ts";
import { accessChannel } from "../../core/channels/channel-access.ts";
import { mayAdminister } from "../../core/channels/rules.ts";
import { groupsWithoutChannel } from "../../core/default-streams/groups.ts";
import { settingsWithoutChannel } from "../../core/organization/actions.ts";
import { markUnseenJob } from "../../messaging/messages/flags/jobs.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { accessOrganization, type Realm } from "../../services/organization/access.ts";
import { joinParts, type NumberedChange } from "../../store/log/log.ts";
import { channelChange } from "./apply-changes.ts";
import { type ChannelEdit, checkChannelEdit } from "./check-changes.ts";
import { findNamedCaller } from "./notices.ts";
import { topicsPolicyRecheck } from "./topics-policy.ts";

/** Changes a channel. After a conflict everything is checked again, so that an outdated `old` value is reported. */
export async function editChannel(
  caller: Caller,
  id: number,
  edit: ChannelEdit,
  realm: Realm,
): Promise<NumberedChange | undefined> {
  const access = await accessChannel(caller, id, realm);
  const changes = await checkChannelEdit(access, edit, realm);
  if (Object.keys(changes).length === 0) return undefined;
  const actor = await findNamedCaller(caller, realm);
  const staysArchived = access.channel.isArchived && changes.isArchived === undefined;
  return channelChange(access.channel, changes, actor, realm, (lastNoticeId) => ({
    followUps: [
      ...(changes.topicsPolicy === "empty_topic_only" ? [topicsPolicyRecheck(id)] : []),
      // The notices in an archived channel are not unread when it is unarchived.
      ...(staysArchived ? [outboxJob(markUnseenJob, { channel_id: id, up_to: lastNoticeId })] : []),
    ],
  }));
}

/**
 * Archives a channel: it takes no more messages, is removed from default channels and channels that new members may choose,
 * and from settings of the organization that send announcements to it. A job marks it as read for all subscribers.
 */
export async function archiveChannel(caller: Caller, id: number, realm: Realm): Promise<NumberedChange> {
  const access = await accessChannel(caller, id, realm);
  if (!mayAdminister(access)) throw badRequest("You do not have permission to administer this channel.");
  if (access.channel.isArchived) throw badRequest("Channel is already archived.");
  const actor = await findNamedCaller(caller, realm);
  const settingsChange = settingsWithoutChannel(await accessOrganization(), id);
  const groupsChange = await groupsWithoutChannel(id);
  const changes = { isArchived: true, isDefault: false };
  return channelChange(access.channel, changes, actor, realm, (lastNoticeId) =>
    joinParts(settingsChange, groupsChange, {
      followUps: [outboxJob(markUnseenJob, { channel_id: id, up_to: lastNoticeId })],
    }),
  );
}

export const channelChangedMeanwhile = () => badRequest("The channel was changed by another request; try again.");
