import { toCaller } from "../identity/access.ts";
import { withConversation } from "../messages/send/actions.ts";
import { composeDirectNotice } from "../messages/send/notices.ts";
import { accessRealm } from "../organization/access.ts";
import { findReminder } from "../store/messages/reminders.ts";
import { findAccount } from "../store/users/accounts.ts";
import { findUser } from "../store/users/users.ts";
import { removeReminder, sendReminder } from "./actions.ts";

/** Delivers a pending reminder, however late; deletes it if its owner was deactivated. */
export async function deliverReminderIfPending(userId: number, id: number): Promise<void> {
  const [reminder, user, realm] = await Promise.all([findReminder(userId, id), findUser(userId), accessRealm()]);
  if (!reminder) return;
  if (!user?.active) {
    await removeReminder(reminder);
    return;
  }
  const account = await findAccount(user.email);
  const notice = await composeDirectNotice(realm, userId, reminder.content, account && { reader: toCaller(account) });
  await withConversation(notice, (resolved) => sendReminder(reminder, resolved));
}
