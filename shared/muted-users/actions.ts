import { badRequest } from "../errors.ts";
import { commit } from "../store/log.ts";
import { createMutedUser, deleteMutedUser, listMutedUsers, type MutedUser } from "../store/muted-users.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUser } from "../store/users.ts";
import type { Write } from "../store/writes.ts";
import type { Caller } from "../users/caller.ts";
import { wireMutedUsers } from "./state.ts";

/** Somebody else, whom the caller may mute. */
export async function accessUserToMute(caller: Caller, id: number): Promise<number> {
  if (id === caller.id) throw badRequest("Cannot mute self");
  if (!(await findUser(id))) throw badRequest("No such user");
  return id;
}

/** False when they are muted already. */
export async function muteUser(userId: number, mutedId: number): Promise<boolean> {
  const muted = { userId, mutedId, mutedAt: Math.floor(Date.now() / 1000) };
  const others = await listMutedUsers(userId);
  return written(userId, [...others, muted], createMutedUser(muted));
}

/** False when they are not muted. */
export async function unmuteUser(userId: number, mutedId: number): Promise<boolean> {
  const others = (await listMutedUsers(userId)).filter((one) => one.mutedId !== mutedId);
  return written(userId, others, deleteMutedUser({ userId, mutedId }));
}

async function written(userId: number, after: readonly MutedUser[], write: Write): Promise<boolean> {
  const event = { type: "muted_users", muted_users: wireMutedUsers(after) };
  try {
    return await commit({ events: 1 }, () => ({
      writes: [write],
      events: [{ audience: { kind: "users", userIds: [userId] }, event }],
      result: true,
    }));
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
