import { toCaller } from "../../../services/identity/access.ts";
import { loadRealm } from "../../../services/organization/access.ts";
import { findAccount } from "../../../store/users/accounts.ts";
import { findUser } from "../../../store/users/users.ts";
import { Reader } from "../reader.ts";
import { addReadMarks } from "./actions.ts";
import { listUnread } from "./unread-list.ts";

/**
 * Marks what a user has not read of another's messages, up to a message ID, as read: they have muted them. Messages that are sent later
 * carry the IDs of those who have muted the sender (`Message.mutedBy`). Idempotent.
 */
export async function markMuted({ user_id, muted_id, up_to }: { user_id: number; muted_id: number; up_to: number }) {
  const user = await findUser(user_id);
  const account = user && (await findAccount(user.email));
  if (!account) return;
  const { messages } = await listUnread(new Reader(toCaller(account), await loadRealm()), { upTo: up_to });
  const ids = messages.filter(({ senderId }) => senderId === muted_id).map(({ id }) => id);
  await addReadMarks(user_id, ids, (id, marks) => marks.of(id) !== true);
}
