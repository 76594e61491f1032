import { bool, object, optional, type Value } from "../../base/schema/params.ts";
import { avatarUpdateEvent, userUpdateEvent } from "../../core/users/user-events.ts";
import { deleteSentMessagesJob } from "../../messaging/messages/edit/jobs.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import type { Realm } from "../../services/organization/access.ts";
import { scheduleRemoval } from "../../services/pictures/actions.ts";
import { commit, readHead } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { listBots } from "../../store/users/bots.ts";
import { findUsers, type User, updateUser } from "../../store/users/users.ts";
import { type ProfileChange, setActive } from "./activity.ts";
import { userChangedMeanwhile } from "./changes.ts";
import { eraseUserJob, nameWithoutProfile } from "./jobs.ts";

/**
 * What to delete together with a deactivation; see https://zulip.com/api/deactivate-user. `erase`, which is not Zulip's, is all of it, and
 * whatever else says who the person was.
 */
export const deactivationActions = object({
  delete_profile: optional(bool()),
  delete_public_channel_messages: optional(bool()),
  delete_private_channel_messages: optional(bool()),
  delete_direct_messages: optional(bool()),
  erase: optional(bool()),
});
type DeactivationActions = Value<typeof deactivationActions>;

/**
 * Deactivates a user and their bots, with the actions on each, and sends `mail` if given. Bots come first, so that repeating the request
 * completes it. What is deactivated already is only erased.
 */
export async function deactivatePerson(
  user: User,
  realm: Realm,
  remainingOwnerId: number | undefined,
  { mail, actions }: { mail?: FollowUp | undefined; actions?: DeactivationActions | undefined } = {},
): Promise<void> {
  const ownBots = (await listBots()).filter(({ ownerId }) => ownerId === user.id);
  for (const bot of await findUsers(ownBots.map(({ id }) => id)))
    if (bot?.active)
      await commit(await setActive({ user: bot, active: false, realm, ...(await deletionsOf(bot, actions)) }));
    else if (bot && actions?.erase) await eraseDeactivated(bot);
  if (!user.active) return eraseDeactivated(user);
  const { followUps, ...deletions } = await deletionsOf(user, actions);
  await commit(
    await setActive({
      ...{ user, active: false, realm, remainingOwnerId, recorded: actions, ...deletions },
      followUps: [...followUps, ...(mail ? [mail] : [])],
    }),
  );
}

/** Erases somebody who is deactivated already. */
async function eraseDeactivated(user: User): Promise<void> {
  const { writes, followUps } = await deletionsOf(user, { erase: true });
  await transact([updateUser(user.id, { set: { erased: true } }, { active: false }), bumpUsersVersion(), ...writes], {
    refusal: userChangedMeanwhile,
    followUps,
  });
}

/** Whether somebody is to be erased, which is also possible after a deactivation. */
export const erases = (actions: DeactivationActions | undefined): boolean => actions?.erase === true;

/** What is deleted in the transaction of the deactivation, and by jobs that it starts. */
async function deletionsOf(
  user: User,
  requested: DeactivationActions = {},
): Promise<{ profile?: ProfileChange; writes: Write[]; followUps: FollowUp[] }> {
  const isErased = erases(requested);
  const actions = isErased ? everything : requested;
  return {
    ...(actions.delete_profile === true && { profile: withoutProfile(user, isErased) }),
    // Only the first time: whoever is erased again, such as after a failure, is on record already.
    writes: isErased && !user.erased ? [auditRecord("user_erased", { userId: user.id })] : [],
    followUps: [
      ...(isErased
        ? [
            outboxJob(eraseUserJob, { user_id: user.id }),
            // For what was still being written.
            outboxJob(eraseUserJob, { user_id: user.id }, lateSeconds),
          ]
        : []),
      ...(await messageDeletions(user.id, actions)),
    ],
  };
}

const everything: DeactivationActions = {
  ...{ delete_profile: true, delete_direct_messages: true },
  ...{ delete_public_channel_messages: true, delete_private_channel_messages: true },
};

/** Longer than a request takes that was authenticated before the deactivation. */
const lateSeconds = 60;

/** One job for the messages that exist, and a later one for those that were still being sent. 1 read unit, if there is any. */
async function messageDeletions(userId: number, actions: DeactivationActions): Promise<FollowUp[]> {
  const kinds = {
    public_channels: actions.delete_public_channel_messages === true,
    private_channels: actions.delete_private_channel_messages === true,
    direct_messages: actions.delete_direct_messages === true,
  };
  if (!Object.values(kinds).includes(true)) return [];
  const { message: through } = await readHead();
  const deletion = { user_id: userId, ...kinds, through };
  return [
    outboxJob(deleteSentMessagesJob, { ...deletion, from: 0 }),
    outboxJob(deleteSentMessagesJob, { ...deletion, from: through + 1 }, lateSeconds),
  ];
}

function withoutProfile(user: User, isErased: boolean): ProfileChange {
  const { avatarFile, ...rest } = user;
  const after: User = {
    ...rest,
    fullName: nameWithoutProfile,
    avatarSource: "G",
    avatarVersion: user.avatarVersion + 1,
  };
  const { fullName, avatarSource, avatarVersion } = after;
  return {
    set: { fullName, avatarSource, avatarVersion, ...(isErased && { erased: true as const }) },
    remove: ["avatarFile"],
    expected: { fullName: user.fullName, avatarVersion: user.avatarVersion },
    writes: scheduleRemoval(avatarFile),
    events: [userUpdateEvent(user.id, { full_name: fullName }), avatarUpdateEvent(after)],
  };
}
