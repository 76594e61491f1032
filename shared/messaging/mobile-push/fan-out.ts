import { batchesOf } from "../../base/batches.ts";
import { pushBouncerUrl } from "../../base/environment.ts";
import { enqueue, enqueueAll } from "../../services/jobs/queues.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { type Browser, listBrowsers } from "../../store/delivery/browsers.ts";
import { listDeviceOwners, listPushDevices, type PushDevice } from "../../store/delivery/push-devices.ts";
import { listPushTokens, type PushToken } from "../../store/delivery/push-tokens.ts";
import {
  deletePushed,
  findPushedUsers,
  listPushedAmong,
  listPushedUsers,
  putPushed,
  putPushing,
} from "../../store/delivery/pushed-messages.ts";
import { findMessage, findMessages, type Message } from "../../store/messages/messages.ts";
import { findMarkedAsRead } from "../../store/messages/read-state.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { findRecipients, isStale, type Recipient, wantsPush } from "../notifications/recipients.ts";
import { clearBrowsersJob, notifyBrowsersJob } from "../web-push/jobs.ts";
import { commonPayload } from "./identity.ts";
import { pushMessageJob, removeNotificationsJob } from "./jobs.ts";
import { legacyMessage, legacyRemoval, notifyTokens } from "./legacy.ts";
import { notify } from "./notify.ts";
import { type MessagePayload, messagePayload } from "./payload.ts";

/** The maximum number of device owners that one job notifies, which bounds its memory and time. */
const ownersPerJob = 200;
const maxConcurrentLookups = 10;
const notificationsPerRequest = 100;
/** Legacy devices need one request per owner; at most this many users are notified concurrently. */
const maxConcurrentLegacyUsers = 100;

/**
 * Sends a message's notifications to the devices of up to `ownersPerJob` owners and enqueues another job for the rest. Notified
 * users are recorded after each request, so that a repeated job does not notify them again.
 */
export async function pushMessage({ messageId, after }: { messageId: number; after: number }): Promise<void> {
  const [realm, message] = await Promise.all([loadRealm(), findMessage(messageId)]);
  if (!message) return completeRecords(messageId, await listPushedUsers(messageId));
  if (isStale(message)) return;
  const { ids, isLast } =
    message.channelId === undefined
      ? { ids: message.userIds ?? [], isLast: true }
      : await listDeviceOwners(after, ownersPerJob);
  const lastId = ids.at(-1);
  if (lastId === undefined) return;
  const [recipients, attempted] = await Promise.all([
    findRecipients(ids, message, realm, wantsPush),
    listPushedUsers(messageId, { from: Math.min(...ids), to: Math.max(...ids) }),
  ]);
  const wanted = new Set(recipients.map(({ userId }) => userId));
  await completeRecords(
    messageId,
    attempted.filter((id) => !wanted.has(id)),
  );
  const notified = await findPushedUsers(attempted, messageId);
  await notifyRecipients(
    message,
    recipients.filter(({ userId }) => !notified.has(userId)),
    realm,
  );
  if (!isLast) await enqueue(pushMessageJob, { message_id: messageId, after: lastId });
}

/**
 * Completes the records of users whom a worker has notified, or was about to notify, before it died, and retracts the notifications
 * of those who have read the message since.
 */
async function completeRecords(messageId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await putPushed(userIds, messageId);
  await retractOutdated(messageId, userIds);
}

interface Devices {
  devices: readonly PushDevice[];
  tokens: readonly PushToken[];
  browsers: readonly Browser[];
}

/** A user's devices that can be notified: without a bouncer only browsers. */
async function findDevices(userId: number, { browsersUsed }: Realm): Promise<Devices> {
  const hasBouncer = pushBouncerUrl() !== undefined;
  const [devices, tokens, browsers] = await Promise.all([
    hasBouncer ? listPushDevices(userId) : [],
    hasBouncer ? listPushTokens(userId) : [],
    browsersUsed ? listBrowsers(userId) : [],
  ]);
  return { devices: devices.filter(({ status }) => status === "active"), tokens, browsers };
}

/** The notifications for one user's devices, in each device's format. */
interface Delivery extends Devices {
  userId: number;
  payload: MessagePayload;
}

async function notifyRecipients(message: Message, recipients: readonly Recipient[], realm: Realm): Promise<void> {
  if (recipients.length === 0) return;
  const basePayload = await messagePayload(message, realm);
  let batch: Delivery[] = [];
  for (const chunk of batchesOf(recipients, maxConcurrentLookups)) {
    for (const delivery of await Promise.all(
      chunk.map((recipient) => prepareDelivery(recipient, basePayload, realm)),
    )) {
      if (delivery.devices.length + delivery.tokens.length + delivery.browsers.length > 0) batch.push(delivery);
      if (!isFullBatch(batch)) continue;
      await send(message.id, batch, realm);
      batch = [];
    }
  }
  await send(message.id, batch, realm);
}

const isFullBatch = (deliveries: readonly Delivery[]): boolean =>
  deliveries.length >= maxConcurrentLegacyUsers ||
  deliveries.flatMap(({ devices }) => devices).length >= notificationsPerRequest;

async function prepareDelivery(
  { userId, group }: Recipient,
  basePayload: MessagePayload,
  realm: Realm,
): Promise<Delivery> {
  const groupFields = group && { mentioned_user_group_id: group.id, mentioned_user_group_name: group.name };
  return { userId, ...(await findDevices(userId, realm)), payload: { ...basePayload, ...groupFields } };
}

/** Sends to all devices and records the users whose devices were all notified; then throws if any request failed. */
async function send(messageId: number, deliveries: readonly Delivery[], realm: Realm): Promise<void> {
  if (deliveries.length === 0) return;
  await putPushing(
    deliveries.map(({ userId }) => userId),
    messageId,
  );
  await enqueueAll(
    notifyBrowsersJob,
    deliveries.flatMap(({ userId, browsers }) =>
      browsers.length > 0 ? [{ user_id: userId, message_id: messageId }] : [],
    ),
  );
  const notifications = deliveries.flatMap(({ userId, devices, payload: { sender_email: _, ...payload } }) =>
    devices.map((device) => ({
      device,
      payload: { ...commonPayload(realm, userId), type: "message", ...payload },
      urgent: true,
    })),
  );
  const bouncerRequest = notifications.length > 0 ? notify(realm.uuid, notifications) : Promise.resolve([]);
  // Errors are handled below, where the results are awaited.
  bouncerRequest.catch(() => {});
  const results = await Promise.allSettled(
    deliveries.map(async ({ userId, devices, tokens, payload }) => {
      if (tokens.length > 0) await notifyTokens(realm, tokens, legacyMessage(realm, userId, payload));
      if (devices.length > 0) await bouncerRequest;
      return userId;
    }),
  );
  const notified = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  await putPushed(notified, messageId);
  await retractOutdated(messageId, notified);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/**
 * Retracts notifications of messages that were read or deleted during the fan-out. The log subscriber could not retract
 * them, because they were not yet recorded as shown.
 */
async function retractOutdated(messageId: number, userIds: readonly number[]): Promise<void> {
  const [[message], readers] = await withConsistentReads(() =>
    Promise.all([findMessages([messageId]), findMarkedAsRead([messageId], userIds)]),
  );
  await enqueueAll(
    removeNotificationsJob,
    (message ? [...readers] : userIds).map((user_id) => ({ user_id, message_ids: [messageId] })),
  );
}

export async function removeNotifications(userId: number, messageIds: readonly number[]): Promise<void> {
  const [realm, shownIds] = await Promise.all([loadRealm(), listPushedAmong(userId, messageIds)]);
  if (shownIds.length === 0) return;
  const { devices, tokens, browsers } = await findDevices(userId, realm);
  if (browsers.length > 0) await enqueue(clearBrowsersJob, { user_id: userId, message_ids: shownIds });
  const payload = { ...commonPayload(realm, userId), type: "remove", message_ids: shownIds };
  if (devices.length > 0)
    await notify(
      realm.uuid,
      devices.map((device) => ({ device, payload, urgent: false })),
    );
  if (tokens.length > 0) await notifyTokens(realm, tokens, legacyRemoval(realm, userId, shownIds));
  await Promise.all(shownIds.map((id) => deletePushed(userId, id)));
}
