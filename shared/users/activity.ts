import { badRequest } from "../errors.ts";
import { outboxJob } from "../jobs/outbox.ts";
import type { Realm } from "../organization/access.ts";
import { findAccount, updateAccount } from "../store/accounts.ts";
import { consistently } from "../store/consistency.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { listSubscriptions } from "../store/subscriptions.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { type User, updateUser } from "../store/users.ts";
import type { Write } from "../store/writes.ts";
import { changedMeanwhile } from "./changes.ts";
import { settleSubscriptionsJob } from "./jobs.ts";
import { namingEvents } from "./naming.ts";
import { ownerRole } from "./roles.ts";
import { effectiveUserSettings } from "./settings.ts";
import { settleSubscriptions } from "./settle.ts";
import { consentUpdate, membershipUpdates, systemGroupsOf, userUpdate } from "./tell.ts";

interface Change {
  user: User;
  active: boolean;
  realm: Realm;
  /** Of a deactivated owner: another one, who must still be there. */
  remaining?: number | undefined;
  writes?: Write[];
}

/**
 * Deactivates a user, who is refused from the next request on, or reactivates one. The transaction changes what decides,
 * with the events; channels follow, and if that is cut short a job makes up for it.
 */
export async function setActive({ user, active, realm, remaining, writes = [] }: Change): Promise<void> {
  const [account, subscriptions, naming, consented] = await Promise.all([
    findAccount(user.email),
    active ? [] : consistently(() => listSubscriptions(user.id)),
    consistently(() => namingEvents(user.id, realm)),
    active && user.botType === undefined ? consentOf(user.id) : undefined,
  ]);
  if (!account) throw badRequest("No such user");
  const suspended = subscriptions.flatMap((subscription) => (subscription.active ? subscription.channelId : []));
  const job = outboxJob(settleSubscriptionsJob, { user_id: user.id });
  const groups = [...systemGroupsOf(user, realm), ...(account.groupIds ?? [])];
  const events = [
    ...membershipUpdates(active ? "add_members" : "remove_members", groups, user.id),
    userUpdate(user.id, { is_active: active }),
    ...botEvents(user, active),
    ...(consented === undefined ? [] : [consentUpdate(user.id, consented)]),
    ...naming,
  ];
  const isOwner = user.role === ownerRole;
  const owners = active
    ? { gained: isOwner ? user.id : undefined }
    : { lost: isOwner ? user.id : undefined, remaining };
  const asRead = { active: !active, role: user.role };
  try {
    await commit({ events: events.length }, () => ({
      writes: [
        updateAccount(user.email, { set: { active } }, { userId: user.id, ...asRead }),
        updateUser(
          user.id,
          { set: { active, ...(suspended.length > 0 && { suspendedChannelIds: new Set(suspended) }) } },
          asRead,
        ),
        touchProfiles(owners),
        job.write,
        ...writes,
      ],
      events,
      result: undefined,
    }));
  } catch (error) {
    throw error instanceof ConditionFailed ? changedMeanwhile() : error;
  }
  await settleSubscriptions(user.id);
  await job.send();
}

const consentOf = async (userId: number): Promise<boolean> =>
  effectiveUserSettings(await findUserSettings(userId)).allow_private_data_export;

/** A bot's owner and administrators are told in their own terms. */
function botEvents({ id, botType, ownerId }: User, active: boolean): LoggedEvent[] {
  if (botType === undefined) return [];
  const audience = { kind: "administrators" as const, userIds: ownerId === undefined ? [] : [ownerId] };
  return [
    active
      ? { audience, event: { type: "realm_bot", op: "add", bot_id: id } }
      : { audience, event: { type: "realm_bot", op: "update", bot: { user_id: id, is_active: false } } },
  ];
}
