import type { Values } from "../../base/schema/params.ts";
import { findEffectiveSettings } from "../../core/users/state.ts";
import { composeDirectNotice } from "../../messaging/messages/send/notices.ts";
import { sendOnce } from "../../messaging/messages/send/send-once.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findUser } from "../../store/users/users.ts";
import { changeSettings, mailSettings } from "./actions.ts";
import type { stopMailsJob } from "./jobs.ts";

const causes = {
  bounce: "was returned, because it cannot be delivered there",
  complaint: "was reported as spam by its reader",
  suppressed: "was not sent, because the address is on the suppression list of Amazon SES",
};
const unlistFirst =
  "Amazon SES sends nothing to this address until an administrator has taken it off the account's suppression list. Then turn them on in your settings under Notifications, or choose another address first, under Account.";
const remedies = {
  bounce:
    "To try again, turn them on in your settings under Notifications; if the address is wrong, change it there first, under Account.",
  complaint: unlistFirst,
  suppressed: unlistFirst,
};

/**
 * Turns off the mails that a person has not asked for at the moment, and tells them in the chat. Whoever turns them on again has Skein
 * try again. Does nothing if the address is no longer anybody's, or their mails are off.
 */
export async function stopMails({ id, address, reason }: Values<typeof stopMailsJob.body>): Promise<void> {
  const account = await findAccount(address);
  const user = account?.active ? await findUser(account.userId) : undefined;
  if (!user) return;
  const settings = await findEffectiveSettings(user.id);
  const on = mailSettings.filter((name) => settings[name]);
  if (on.length === 0) return;
  const realm = await loadRealm();
  const text = `Email to your address ${account?.email} ${causes[reason]}. Email notifications are now off. ${remedies[reason]}`;
  // Before the settings, so that a repetition still sends it.
  await sendOnce(`mails-stopped-${id}`, user.id, () => composeDirectNotice(realm, user.id, text));
  await changeSettings(user, Object.fromEntries(on.map((name) => [name, false])));
}
