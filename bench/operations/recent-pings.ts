import { loadRealm } from "../../shared/services/organization/access.ts";
import { maxReadWhole, putPresence, updateIdNow } from "../../shared/store/users/presence.ts";
import { invoke } from "../host/invoke.ts";
import type { OperationContext } from "./operation.ts";

/** The first ID of the fillers: users who only make the organization larger. */
export const firstFillerId = 100_000;
const concurrentWrites = 50;
/** How many people ping between two reads of a process, when five processes take turns. */
const changesPerRead = 10;

/**
 * Simulates an ordinary minute of a working day: everybody has pinged since `member` did a minute ago, and this process has
 * read presence a moment ago, so that the next ping only reads newer changes.
 */
export async function simulateRecentPings({ member, other, users, replies }: OperationContext): Promise<void> {
  const realm = await loadRealm();
  const now = Math.floor(Date.now() / 1000);
  const putPing = (userId: number, secondsAgo: number, updateId: number) =>
    putPresence(
      { userId, lastActive: now - secondsAgo, lastConnected: now - secondsAgo, updateId },
      { readWhole: users <= maxReadWhole },
    );
  // `users` also counts the owner, who never pings, `member` and `other`.
  const fillers = Array.from({ length: users - 3 }, (_, index) => firstFillerId + 3 + index);
  const otherIds = [other.id, ...fillers];
  const ping = async (userIds: readonly number[]) => {
    for (let start = 0; start < userIds.length; start += concurrentWrites)
      await Promise.all(
        userIds.slice(start, start + concurrentWrites).map((userId) => putPing(userId, 30, updateIdNow(realm))),
      );
  };
  await ping(otherIds);
  const last_update_id = replies["presence ping"].presence_last_update_id;
  // Makes this process read presence; the pings after it are the changes since that read.
  await invoke(other, { method: "POST", path: "/users/me/presence", params: { status: "active", last_update_id } });
  await ping(otherIds.slice(0, changesPerRead));
  await putPing(member.id, 60, last_update_id);
}
