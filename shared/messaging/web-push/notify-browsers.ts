import { batchesOf } from "../../base/batches.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { toDisplayTopic } from "../../core/channels/topic-names.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { acceptedKeyHashes } from "../../services/identity/sessions.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { type Browser, deleteBrowserIfUnchanged, listBrowsers, setFailures } from "../../store/delivery/browsers.ts";
import { findMessage, type Message } from "../../store/messages/messages.ts";
import { findMarkedAsRead } from "../../store/messages/read-state.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { messageHash } from "../messages/links.ts";
import { findRecipients, isStale, type Recipient, wantsPush } from "../notifications/recipients.ts";
import { notificationText } from "../notifications/text.ts";
import { type BrowserPayload, sendToBrowser } from "./push-service.ts";

/** Notifies the browsers of one user. */

interface Delivery {
  isLast: boolean;
}

/**
 * Shows a message's notification, if the user still wants it. Throws to be retried; after the last attempt the notification is
 * dropped, because it would be of no use later. About 8 read units.
 */
export async function notifyBrowsers(userId: number, messageId: number, delivery: Delivery): Promise<void> {
  const [realm, message] = await Promise.all([loadRealm(), findMessage(messageId)]);
  if (!message || isStale(message)) return;
  const [recipient] = await withConsistentReads(() => findRecipients([userId], message, realm, wantsPush));
  if (!recipient) return;
  const browsers = await activeBrowsers(userId, realm);
  if (browsers.length === 0) return;
  const payload = await messagePayload(message, recipient, realm);
  try {
    await sendToAll(browsers, payload, delivery);
  } finally {
    // Whoever read or deleted the message meanwhile may have had the notification removed before it was there.
    if (await isOutdated(userId, messageId)) await clear(browsers, [messageId], delivery);
  }
}

/** Closes the notifications of messages that were read elsewhere, or deleted. */
export async function clearBrowsers(userId: number, messageIds: readonly number[], delivery: Delivery): Promise<void> {
  await clear(await activeBrowsers(userId, await loadRealm()), messageIds, delivery);
}

/** How many message IDs fit into a notification, whose content has at most 3,993 bytes (RFC 8291). */
const maxClearedIds = 200;

async function clear(browsers: readonly Browser[], messageIds: readonly number[], delivery: Delivery): Promise<void> {
  const clearable = browsers.filter(({ endpoint }) => !needsDisplay(endpoint));
  for (const message_ids of batchesOf(messageIds, maxClearedIds))
    await sendToAll(clearable, { type: "remove", message_ids }, delivery);
}

/**
 * Whether a browser takes the permission back when a notification shows nothing, as Safari does after three of them. Others
 * tolerate some. See https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers.
 */
const needsDisplay = (endpoint: string) => new URL(endpoint).hostname.endsWith(".push.apple.com");

/**
 * After so many dropped notifications in a row, a browser is removed. It subscribes again when its user opens the page. They are
 * many, because all notifications of an outage after the first one are dropped at once.
 */
const maxFailures = 100;

/**
 * Sends to all browsers, and throws to be retried; after the last attempt a failure is only counted. So it is at once for a browser
 * that did not take the notification before: each attempt notifies the user's other browsers again, and takes time from
 * everybody's jobs.
 */
async function sendToAll(browsers: readonly Browser[], payload: BrowserPayload, delivery: Delivery): Promise<void> {
  const results = await Promise.allSettled(browsers.map((browser) => send(browser, payload, delivery)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

async function send(browser: Browser, payload: BrowserPayload, { isLast }: Delivery): Promise<void> {
  const { failures = 0 } = browser;
  try {
    const outcome = await sendToBrowser(browser, payload);
    if (outcome === "ended") await deleteBrowserIfUnchanged(browser);
    else if (failures > 0) await setFailures(browser, 0);
    if (outcome === "refused") console.error(JSON.stringify({ webPush: "refused", host: hostOf(browser) }));
  } catch (error) {
    if (!isLast && failures === 0) throw error;
    console.error(JSON.stringify({ webPush: "dropped", host: hostOf(browser), error: describeError(error) }));
    if (failures + 1 < maxFailures) await setFailures(browser, failures + 1);
    else await deleteBrowserIfUnchanged(browser);
  }
}

/** The endpoint's path is a secret of the browser. */
const hostOf = ({ endpoint }: Browser) => new URL(endpoint).host;

/** The user's browsers whose session, or API key, is still valid. The others are removed. */
async function activeBrowsers(userId: number, realm: Realm): Promise<Browser[]> {
  const [browsers, profiles] = await Promise.all([
    listBrowsers(userId),
    findCachedProfiles([userId], realm.usersVersion),
  ]);
  if (browsers.length === 0) return [];
  const account = await findAccount(profiles.get(userId)?.email ?? "");
  // The account's address has changed since the profile was read.
  if (account?.userId !== userId || account.realmDeactivated) return [];
  const isValid = ({ keyHash }: Browser) => account.active && acceptedKeyHashes(account).includes(keyHash);
  await Promise.all(browsers.filter((browser) => !isValid(browser)).map(deleteBrowserIfUnchanged));
  return browsers.filter(isValid);
}

/** Whether a message was deleted, or the user has read it. */
const isOutdated = (userId: number, messageId: number): Promise<boolean> =>
  withConsistentReads(async () => {
    const [message, readers] = await Promise.all([findMessage(messageId), findMarkedAsRead([messageId], [userId])]);
    return !message || readers.size > 0;
  });

async function messagePayload(message: Message, { context }: Recipient, realm: Realm): Promise<BrowserPayload> {
  const { id, channelId, topic = "", senderId } = message;
  const [profiles, [channel]] = await Promise.all([
    findCachedProfiles([senderId], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
  ]);
  const where = channel ? ` (#${channel.name} › ${toDisplayTopic(topic, false, realm.settings)})` : "";
  // The setting of the page's own notifications.
  const showsContent = channelId !== undefined || context.settings.pm_content_in_desktop_notifications;
  return {
    type: "message",
    message_id: id,
    title: `${profiles.get(senderId)?.fullName ?? ""}${where}`,
    ...(showsContent && { content: notificationText(message.html) }),
    hash: messageHash(message),
  };
}
