import { plainName } from "../../core/markdown/source/plain.ts";
import { silentMention } from "../../core/markdown/source/references.ts";
import { addMembers } from "../../core/user-groups/membership.ts";
import { composeDirectNotice } from "../../messaging/messages/send/notices.ts";
import { sendOnce } from "../../messaging/messages/send/send-once.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { type Channel, findChannels, listChannels } from "../../store/channels/channels.ts";
import { findGroups } from "../../store/organization/groups.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { revokeInvitationsTo } from "../invites/actions.ts";
import { subscribe } from "../subscriptions/subscribe.ts";
import type { FinishAdmission } from "./jobs.ts";
import { welcome } from "./welcome.ts";

/** Completes a new account with its channels, groups, welcome message and notices. Idempotent. */
export async function finishAdmission(job: FinishAdmission): Promise<void> {
  const [[user], realm, channels] = await Promise.all([
    findUsers([job.user_id]),
    loadRealm(),
    listInitialChannels(job),
  ]);
  if (!user?.active) return;
  for (const channel of channels) if (!channel.isArchived) await subscribe(channel, [user.id]);
  await joinGroups(user, job.group_ids);
  await revokeInvitationsTo(user.email);
  await welcome(job.id, user, realm, job.welcome_text);
  const { told_id: inviterId } = job;
  if (inviterId === undefined || !(await findUsers([inviterId]))[0]?.active) return;
  const noticeText = `${silentMention(user)} accepted your invitation to join ${plainName(realm.name)}!`;
  await sendOnce(job.id, inviterId, () => composeDirectNotice(realm, inviterId, noticeText));
}

async function listInitialChannels({ channel_ids, with_defaults }: FinishAdmission): Promise<Channel[]> {
  const [requestedChannels, allChannels] = await Promise.all([
    findChannels(channel_ids),
    with_defaults ? listChannels() : [],
  ]);
  const channels = [...requestedChannels, ...allChannels.filter(({ isDefault }) => isDefault)].filter(
    (channel) => channel !== undefined,
  );
  return [...new Map(channels.map((channel) => [channel.id, channel])).values()];
}

async function joinGroups(user: User, ids: readonly number[]): Promise<void> {
  for (const group of await findGroups(ids))
    if (group && !group.deactivated && !group.members?.has(user.id)) await addMembers(group, [user]);
}
