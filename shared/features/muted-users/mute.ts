import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { nowSeconds } from "../../base/time.ts";
import { accessNamedUser } from "../../core/users/access-user.ts";
import { markMutedJob } from "../../messaging/messages/flags/jobs.ts";
import { markMuted } from "../../messaging/messages/flags/mark-muted.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { nowOrLater, outboxJob } from "../../services/jobs/outbox.ts";
import { eventForUser } from "../../store/log/entry.ts";
import { type Change, readHead } from "../../store/log/log.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";
import { updateAccount } from "../../store/users/accounts.ts";
import {
  createMutedUser,
  deleteMutedUser,
  listMutedUsers,
  type MutedUser,
  noteMarked,
} from "../../store/users/muted-users.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { toMutedUsersWire } from "./muted-users.ts";

/** Returns a user whom the caller may mute. Throws a 400 if the ID is the caller's own or nobody's. */
async function accessUserToMute(caller: Caller, id: number): Promise<User> {
  if (id === caller.id) throw badRequest("Cannot mute self");
  return accessNamedUser(caller, id, { deactivated: true, bots: true });
}

/** The user whom a request mutes. */
export const userToMute: Need<User, { caller: Caller; params: { muted_user_id: number } }> = {
  load: ({ caller, params }) => accessUserToMute(caller, params.muted_user_id),
};

/** The ID of the user whom a request unmutes. */
export const userToUnmute: Need<number, { caller: Caller; params: { muted_user_id: number } }> = {
  load: ({ caller, params }) => accessUserToUnmute(caller, params.muted_user_id),
};

/** Returns the ID of a user whom the caller may unmute; also of one who has become inaccessible since they were muted. */
async function accessUserToUnmute(caller: Caller, id: number): Promise<number> {
  const isMuted = (await listMutedUsers(caller.id)).some(({ mutedId }) => mutedId === id);
  return isMuted ? id : (await accessUserToMute(caller, id)).id;
}

/**
 * Mutes a user, and marks their messages as read. Conflicts if the user's address has changed. Refused if they are muted already, or
 * too many are: requests at once may exceed that by their number.
 */
export async function muteUser(userId: number, { id: mutedId, email, isSystemBot }: User): Promise<Change> {
  const muted: MutedUser = { userId, mutedId, mutedAt: nowSeconds(), isMarked: true };
  const [alreadyMuted, { message: up_to }] = await Promise.all([listMutedUsers(userId), readHead()]);
  if (alreadyMuted.length >= creationLimits.mutedUser.max) throw badRequest(tooMany("mutedUser"));
  const marking = { user_id: userId, muted_id: mutedId, up_to };
  const former = await markFormerlyMuted(alreadyMuted, up_to);
  return {
    writes: [
      withRefusal(createMutedUser(muted), () => badRequest("User already muted")),
      ...(isSystemBot ? [] : [updateAccount(email, { set: { wasMuted: true } })]),
      ...former.writes,
    ],
    events: [mutedUsersEvent(userId, [...alreadyMuted, muted])],
    followUps: [nowOrLater(markMutedJob, marking, () => markMuted(marking)), ...former.followUps],
  };
}

/** Of how many users that are muted from before version 0.2.0 one change takes note. */
const maxNoted = 20;

/** Plans that the messages of users are marked who were muted before that was done. */
async function markFormerlyMuted(
  muted: readonly MutedUser[],
  up_to: number,
): Promise<{ writes: Write[]; followUps: FollowUp[] }> {
  const unmarked = muted.filter(({ isMarked }) => !isMarked).slice(0, maxNoted);
  const users = (await findUsers(unmarked.map(({ mutedId }) => mutedId))).filter((user) => user && !user.isSystemBot);
  return {
    writes: [
      ...unmarked.map(noteMarked),
      ...users.flatMap((user) => (user ? [updateAccount(user.email, { set: { wasMuted: true } })] : [])),
    ],
    followUps: unmarked.map(({ userId, mutedId }) =>
      outboxJob(markMutedJob, { user_id: userId, muted_id: mutedId, up_to }),
    ),
  };
}

/** Unmutes a user; refused if they are not muted. */
export async function unmuteUser(userId: number, mutedId: number): Promise<Change> {
  const remaining = (await listMutedUsers(userId)).filter((user) => user.mutedId !== mutedId);
  return {
    writes: [deleteMutedUser({ userId, mutedId })],
    events: [mutedUsersEvent(userId, remaining)],
    refusal: () => badRequest("User is not muted"),
  };
}

const mutedUsersEvent = (userId: number, mutedUsers: readonly MutedUser[]) =>
  eventForUser(userId, { type: "muted_users", muted_users: toMutedUsersWire(mutedUsers) });
