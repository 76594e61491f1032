import { batchesOf } from "../../base/batches.ts";
import { changeStatus } from "../../core/users/status-actions.ts";
import { avatarUpdateEvent, emailEvents, userUpdateEvent } from "../../core/users/user-events.ts";
import { hashApiKey, newKeySalt } from "../../services/identity/api-keys.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import { scheduleRemoval } from "../../services/pictures/actions.ts";
import { deleteUserTopic, listUserTopics } from "../../store/channels/user-topics.ts";
import { deleteBrowser, listBrowsers } from "../../store/delivery/browsers.ts";
import { deletePushDevice, listPushDevices } from "../../store/delivery/push-devices.ts";
import { deletePushTokenIfThere, listPushTokens } from "../../store/delivery/push-tokens.ts";
import { commit } from "../../store/log/log.ts";
import { deleteReminder, listReminders } from "../../store/messages/reminders.ts";
import { deleteScheduledMessage, listScheduledMessages } from "../../store/messages/scheduled-messages.ts";
import { bumpKeysVersion, bumpUsersVersion } from "../../store/organization/organization.ts";
import { navigationViewsKey } from "../../store/organization/short-lists.ts";
import { deleteSecondFactor } from "../../store/second-factors/second-factors.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { transact } from "../../store/table/transactions.ts";
import { remove, type Write } from "../../store/table/writes.ts";
import { type Account, findAccount, moveAccount, updateAccount } from "../../store/users/accounts.ts";
import { deleteAgentKey, listAgentKeys } from "../../store/users/agent-keys.ts";
import { findAlertWords, replaceAlertWords } from "../../store/users/alert-words.ts";
import { putBotKey } from "../../store/users/bot-keys.ts";
import { listBotEntries, readBotStorageUsage, writeBotEntries } from "../../store/users/bot-storage.ts";
import { findBot, updateBot } from "../../store/users/bots.ts";
import { deleteDevice, listDevices } from "../../store/users/devices.ts";
import { deleteDraft, listDrafts } from "../../store/users/drafts.ts";
import { deleteIdentity } from "../../store/users/identities.ts";
import { deleteLastPayload } from "../../store/users/last-payloads.ts";
import { deleteMutedUser, listMutedUsers } from "../../store/users/muted-users.ts";
import { deleteSnippet, listSnippets } from "../../store/users/saved-snippets.ts";
import { findScimLink, setScimLink } from "../../store/users/scim-links.ts";
import { findUserStatus } from "../../store/users/user-status.ts";
import { findUser, type User, updateUser } from "../../store/users/users.ts";
import { emailInUse } from "./changes.ts";
import { nameWithoutProfile } from "./jobs.ts";

/** An address that no mail can reach (RFC 2606); it keeps the account's place in the table. */
const erasedAddress = (userId: number): string => `deleted-user-${userId}@deleted.invalid`;

/**
 * Removes from a deactivated account what says who its owner was, and what only they have seen; their messages are deleted by other
 * jobs. Idempotent: each step finds what is left.
 */
export const eraseUser = (userId: number): Promise<void> =>
  withConsistentReads(async () => {
    if (!(await findUser(userId))?.erased) return;
    await retryOnConflict(() => eraseAccount(userId));
    await eraseStatus(userId);
    await eraseOwnItems(userId);
    await retryOnConflict(() => eraseBot(userId));
  });

async function eraseAccount(userId: number): Promise<void> {
  const user = await findUser(userId);
  const email = erasedAddress(userId);
  if (!user || user.email === email) return;
  const account = await accountOf(user);
  const { identity } = account;
  const secrets = ["passwordHash", "secondFactor", "identity", "sessions", "sessionUses", "signIns"];
  // Nobody knows the key with this hash.
  const [keySalt, keyHash] = [newKeySalt(), hashApiKey(newKeySalt())];
  const unchanged = { userId, active: false, identity } as Partial<Account>;
  await transact([
    // A bot's key is looked up by its hash, and ends with the bot.
    updateAccount(
      account.email,
      account.botType === undefined ? { set: { keySalt, keyHash }, remove: secrets } : { remove: secrets },
      unchanged,
    ),
    bumpKeysVersion(),
    ...(identity === undefined ? [] : [deleteIdentity(identity)]),
  ]);
  const { avatarFile, ...rest } = user;
  const set = {
    ...{ email, fullName: nameWithoutProfile, timezone: "", avatarSource: "G" as const, profileValues: {} },
    ...{ avatarVersion: user.avatarVersion + 1, profileVersion: (user.profileVersion ?? 0) + 1 },
  };
  const after: User = { ...rest, ...set };
  const { avatarVersion, profileVersion, fullName, profileValues = {} } = user;
  const bare = await accountOf(user);
  await commit({
    writes: [
      ...moveAccount(bare, email, () => emailInUse(email)),
      ...(bare.botType === undefined ? [] : [putBotKey({ keyHash: bare.keyHash, email })]),
      updateUser(userId, { set, remove: ["avatarFile"] }, {
        ...{ email: user.email, avatarVersion, profileVersion, fullName },
      } as Partial<User>),
      ...scheduleRemoval(avatarFile),
      bumpUsersVersion(),
    ],
    events: [
      userUpdateEvent(userId, { full_name: nameWithoutProfile }),
      avatarUpdateEvent(after),
      ...emailEvents(after),
      ...(user.timezone === "" ? [] : [userUpdateEvent(userId, { timezone: "", email: visibleEmail(after) })]),
      ...Object.keys(profileValues).map((id) =>
        userUpdateEvent(userId, { custom_profile_field: { id: Number(id), value: null } }),
      ),
    ],
  });
}

async function accountOf({ id, email }: User): Promise<Account> {
  const account = await findAccount(email);
  if (account?.userId !== id) throw new Error(`The account of user ${id} is at another address`);
  return account;
}

async function eraseStatus(userId: number): Promise<void> {
  const status = await findUserStatus(userId);
  if (status?.text || status?.emojiName)
    await changeStatus(userId, { text: "", emoji: { name: "", code: "", type: "unicode_emoji" } });
}

/** A transaction has at most 100 writes. */
const maxRemovals = 90;

/** What nobody else sees: no client is left that would get its events. */
async function eraseOwnItems(userId: number): Promise<void> {
  const removals: Write[] = [
    ...(await listDrafts(userId)).map(deleteDraft),
    ...(await listReminders(userId)).map(deleteReminder),
    ...(await listScheduledMessages(userId)).map(deleteScheduledMessage),
    ...(await listDevices(userId)).map(deleteDevice),
    ...(await listPushDevices(userId)).map(deletePushDevice),
    ...(await listPushTokens(userId)).map(deletePushTokenIfThere),
    ...(await listBrowsers(userId)).map(deleteBrowser),
    deleteSecondFactor(userId),
    ...(await listMutedUsers(userId)).map(deleteMutedUser),
    ...(await listUserTopics(userId)).map(deleteUserTopic),
    remove(navigationViewsKey(userId)),
  ];
  for (const part of batchesOf(removals, maxRemovals)) await transact(part);
  // Each also changes the person's count of them, which one transaction can do only once.
  const counted: Write[][] = [
    ...(await listSnippets(userId)).map(deleteSnippet),
    ...(await listAgentKeys(userId)).map(deleteAgentKey),
  ];
  for (const writes of counted) await transact(writes);
  const [words, link] = [await findAlertWords(userId), await findScimLink("User", userId)];
  if (words && words.words.length > 0) await transact([replaceAlertWords(words, { userId, words: [] })]);
  if (link?.externalId !== undefined)
    await transact(setScimLink("User", link, { id: userId, deleted: true }, () => new Error("No ID is taken")));
}

/** What a bot has stored, was last sent, and with which addresses and secrets it reaches a service. */
async function eraseBot(botId: number): Promise<void> {
  const bot = await findBot(botId);
  if (!bot) return;
  const services = bot.services.map((service) => ({
    ...service,
    name: "",
    baseUrl: "https://deleted.invalid",
    token: "",
  }));
  await transact([updateBot(bot, { services, ...(bot.configData && { configData: {} }) }), deleteLastPayload(botId)]);
  for (const part of batchesOf(await listBotEntries(botId), maxRemovals)) {
    const usage = await readBotStorageUsage(botId);
    const removed = new Map(part.map(({ name }) => [name, undefined]));
    await transact(writeBotEntries(botId, removed, usage, { entries: usage.entries - part.length, bytes: 0 }));
  }
}
