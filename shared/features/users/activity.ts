import { badRequest } from "../../base/errors.ts";
import { ownerRole } from "../../base/schema/roles.ts";
import { effectiveUserSettings } from "../../base/schema/user-settings.ts";
import { restoredPresence } from "../../core/presence/actions.ts";
import { checkNotErased } from "../../core/users/access-user.ts";
import { settingsListingEvents } from "../../core/users/settings-naming-user.ts";
import { consentEvent, membershipEvents, systemGroupsOf, userUpdateEvent } from "../../core/users/user-events.ts";
import { nowOrLater } from "../../services/jobs/outbox.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listSubscriptions } from "../../store/channels/subscriptions.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { type Change, noChange } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { Write } from "../../store/table/writes.ts";
import { findAccount, updateAccount } from "../../store/users/accounts.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";
import { type User, updateUser } from "../../store/users/users.ts";
import { userChangedMeanwhile } from "./changes.ts";
import { syncSubscriptionsJob } from "./jobs.ts";
import { syncSubscriptions } from "./sync-subscriptions.ts";

/** A change of the user's profile that is made together with that of their activity. */
export interface ProfileChange {
  set: Partial<User>;
  remove: string[];
  /** The values that were read. */
  expected: Partial<User>;
  writes: Write[];
  events: LoggedEvent[];
}

interface ActivityChange {
  user: User;
  active: boolean;
  realm: Realm;
  /** When deactivating an owner: another owner, who must remain one. */
  remainingOwnerId?: number | undefined;
  writes?: Write[];
  /** What the audit log says of the change besides. */
  recorded?: Readonly<Record<string, unknown>> | undefined;
  profile?: ProfileChange | undefined;
  followUps?: readonly FollowUp[];
}

/**
 * Deactivates or reactivates a user, with effect from the next request; no session goes on after a reactivation. The change is that of
 * account and profile with their events; the subscriptions follow, completed by a job if the request dies.
 */
export async function setActive({
  user,
  active,
  realm,
  remainingOwnerId,
  writes = [],
  recorded,
  profile,
  followUps = [],
}: ActivityChange): Promise<Change> {
  if (active) checkNotErased(user);
  const returns = active && user.botType === undefined;
  const [account, subscriptions, settingsEvents, consent, presence] = await Promise.all([
    findAccount(user.email),
    active ? [] : withConsistentReads(() => listSubscriptions(user.id)),
    withConsistentReads(() => settingsListingEvents(user.id, realm)),
    returns ? findConsent(user.id) : undefined,
    returns ? restoredPresence(user, realm) : noChange,
  ]);
  if (!account) throw badRequest("No such user");
  const suspendedChannelIds = subscriptions.flatMap((subscription) =>
    subscription.active ? subscription.channelId : [],
  );
  const groupIds = [...systemGroupsOf(user, realm), ...(account.groupIds ?? [])];
  const events = [
    ...membershipEvents(active ? "add_members" : "remove_members", groupIds, user.id),
    userUpdateEvent(user.id, { is_active: active }),
    ...botEvents(user, active),
    ...(consent === undefined ? [] : [consentEvent(user.id, consent)]),
    ...settingsEvents,
    ...presence.events,
    ...(profile?.events ?? []),
  ];
  const isOwner = user.role === ownerRole;
  const ownerChange = active
    ? { gained: isOwner ? user.id : undefined }
    : { lost: isOwner ? user.id : undefined, remaining: remainingOwnerId };
  const expected = { active: !active, role: user.role };
  return {
    writes: [
      updateAccount(
        user.email,
        // Until then, their keys are refused as those of a deactivated account.
        { set: { active }, ...(active && { remove: ["sessions"] }) },
        { userId: user.id, ...expected },
      ),
      updateUser(
        user.id,
        {
          set: {
            active,
            ...profile?.set,
            ...(suspendedChannelIds.length > 0 && { suspendedChannelIds: new Set(suspendedChannelIds) }),
          },
          ...(profile && { remove: profile.remove }),
        },
        // An erasure may have begun meanwhile, and must not go on with an account that is in use.
        { ...expected, ...(active && { erased: user.erased }), ...profile?.expected } as Partial<User>,
      ),
      bumpUsersVersion(ownerChange),
      auditRecord(active ? "user_reactivated" : "user_deactivated", {
        ...{ userId: user.id, name: user.fullName },
        ...(recorded && { after: recorded }),
      }),
      ...presence.writes,
      ...(profile?.writes ?? []),
      ...writes,
    ],
    events,
    followUps: [nowOrLater(syncSubscriptionsJob, { user_id: user.id }, () => syncSubscriptions(user.id)), ...followUps],
    refusal: userChangedMeanwhile,
  };
}

const findConsent = async (userId: number): Promise<boolean> =>
  effectiveUserSettings(await findUserSettings(userId)).allow_private_data_export;

/** Additional events about bots, for their owners and administrators. */
function botEvents({ id, botType, ownerId }: User, active: boolean): LoggedEvent[] {
  if (botType === undefined) return [];
  const audience = { kind: "administrators" as const, userIds: ownerId === undefined ? [] : [ownerId] };
  return [
    active
      ? { audience, event: { type: "realm_bot", op: "add", bot_id: id } }
      : { audience, event: { type: "realm_bot", op: "update", bot: { user_id: id, is_active: false } } },
  ];
}
