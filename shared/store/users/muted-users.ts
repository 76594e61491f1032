import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { queryIds, queryItems } from "../table/reads.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

/** A user whom another user has muted. */
export interface MutedUser {
  userId: number;
  mutedId: number;
  /** UNIX seconds. */
  mutedAt: number;
  /** Whether their messages are marked as read (`markMuted`), which was not done before version 0.2.0. */
  isMarked?: true;
}

const key = (userId: number, mutedId: number) => ({ pk: `USER#${userId}`, sk: `MUTED#${padded(mutedId)}` });

/** The users whom a user has muted; 0.5 read units for about 50. */
export const listMutedUsers = (userId: number) =>
  queryItems<MutedUser>({ pk: `USER#${userId}`, prefix: "MUTED#", ...corrected });

/** IDs of the users who have muted a user; 0.5 read units for about 80. */
export const listMuterIds = (mutedId: number) => queryIds({ index: "gsi3", pk: `MUTERS#${mutedId}` });

/** Fails when they are muted already. */
export const createMutedUser = (muted: MutedUser): Write =>
  create({
    ...key(muted.userId, muted.mutedId),
    gsi3pk: `MUTERS#${muted.mutedId}`,
    gsi3sk: `USER#${padded(muted.userId)}`,
    ...muted,
  });

/** Notes that a muted user's messages are marked; fails when they are no longer muted, or it is noted. */
export const noteMarked = ({ userId, mutedId }: MutedUser): Write =>
  update(key(userId, mutedId), { set: { isMarked: true } }, { exists: true, equals: { isMarked: undefined } });

/** Fails when they are not muted. */
export const deleteMutedUser = ({ userId, mutedId }: Omit<MutedUser, "mutedAt">): Write =>
  remove(key(userId, mutedId), { exists: true });
