import { accessRealm } from "../shared/organization/access.ts";
import { maxReadWhole, putPresence, updateIdNow } from "../shared/store/users/presence.ts";
import type { Setting } from "./act.ts";
import { invoke } from "./invoke.ts";
import { foundByLook } from "./presence-processes.ts";

/** IDs of the people who only fill the organization begin here. */
export const firstFiller = 100_000;
const atOnce = 50;

/**
 * Has all people pinged since `member` did, a minute ago, and the function know them: what an ordinary minute of a
 * working day finds. The process has looked just now, and finds no more than what came since and what it reads again.
 */
export async function everybodyHasPinged({ member, other, users, got }: Setting): Promise<void> {
  const realm = await accessRealm();
  const now = Math.floor(Date.now() / 1000);
  const noted = (userId: number, seconds: number, updateId: number) =>
    putPresence(
      { userId, lastActive: now - seconds, lastConnected: now - seconds, updateId },
      { readWhole: users <= maxReadWhole },
    );
  // Three of them are actors, of whom one never says that they are there.
  const fillers = Array.from({ length: users - 3 }, (_, index) => firstFiller + 3 + index);
  const others = [other.id, ...fillers];
  const ping = async (userIds: readonly number[]) => {
    for (let start = 0; start < userIds.length; start += atOnce)
      await Promise.all(userIds.slice(start, start + atOnce).map((userId) => noted(userId, 30, updateIdNow(realm))));
  };
  await ping(others);
  const last_update_id = got["presence ping"].presence_last_update_id;
  await invoke(other, { method: "POST", path: "/users/me/presence", params: { status: "active", last_update_id } });
  await ping(others.slice(0, foundByLook(users)));
  await noted(member.id, 60, last_update_id);
}
