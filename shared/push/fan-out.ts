import { enqueue, enqueueAll } from "../jobs/queues.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { pushBouncerUrl } from "../settings.ts";
import { findMessage, findMessages, type Message } from "../store/messages.ts";
import { listDeviceOwners, listPushDevices, type PushDevice } from "../store/push-devices.ts";
import { listPushTokens, type PushToken } from "../store/push-tokens.ts";
import { deletePushed, findPushed, listPushed, putPushed } from "../store/pushed-messages.ts";
import { findMarkedAsRead } from "../store/read-state.ts";
import { commonPayload } from "./identity.ts";
import { pushMessageJob, removeNotificationsJob } from "./jobs.ts";
import { legacyMessage, legacyRemoval, notifyTokens } from "./legacy.ts";
import { notify } from "./notify.ts";
import { type MessagePayload, messagePayload } from "./payload.ts";
import { isTold, type Recipient, recipientsAmong } from "./recipients.ts";

/** Owners of devices looked at by one job, those whose devices are looked up at once, and notifications sent in one request. */
const ownersToJob = 200;
const ownersAtOnce = 10;
const notificationsToRequest = 100;
/** Old devices are told by a request for each of their owners; so many at once. */
const peopleToRequests = 100;
/** Nobody wants to be told of older messages, after an outage. */
const staleAfterSeconds = 3600;

/**
 * Tells devices of a message, those of 200 owners at a time: the rest is another job, so that memory and time are
 * bounded however many are told. Who has been told is noted after each request, and not told again by a repetition.
 */
export async function pushMessage({ messageId, after }: { messageId: number; after: number }): Promise<void> {
  if (!pushBouncerUrl()) return;
  const [realm, message] = await Promise.all([accessRealm(), findMessage(messageId)]);
  if (!message || Date.now() / 1000 - message.sentAt > staleAfterSeconds) return;
  const { ids, isLast } =
    message.channelId === undefined
      ? { ids: message.userIds ?? [], isLast: true }
      : await listDeviceOwners(after, ownersToJob);
  await tell(message, await recipientsAmong(ids, message, realm, isTold), realm);
  const last = ids.at(-1);
  if (!isLast && last !== undefined) await enqueue(pushMessageJob, { message_id: messageId, after: last });
}

const activeDevices = async (userId: number): Promise<PushDevice[]> =>
  (await listPushDevices(userId)).filter(({ status }) => status === "active");

/** What one user's devices are told, in the form that each of them reads. */
interface Telling {
  userId: number;
  payload: MessagePayload;
  devices: readonly PushDevice[];
  tokens: readonly PushToken[];
}

async function tell(message: Message, recipients: readonly Recipient[], realm: Realm): Promise<void> {
  if (recipients.length === 0) return;
  const done = await findPushed(
    recipients.map(({ userId }) => userId),
    message.id,
  );
  const common = await messagePayload(message, realm);
  const fresh = recipients.filter(({ userId }) => !done.has(userId));
  let waiting: Telling[] = [];
  for (let start = 0; start < fresh.length; start += ownersAtOnce) {
    const some = fresh.slice(start, start + ownersAtOnce);
    for (const telling of await Promise.all(some.map((recipient) => tellingOf(recipient, common)))) {
      if (telling.devices.length + telling.tokens.length > 0) waiting.push(telling);
      if (!isEnough(waiting)) continue;
      await send(message.id, waiting, realm);
      waiting = [];
    }
  }
  await send(message.id, waiting, realm);
}

const isEnough = (tellings: readonly Telling[]): boolean =>
  tellings.length >= peopleToRequests || tellings.flatMap(({ devices }) => devices).length >= notificationsToRequest;

async function tellingOf({ userId, group }: Recipient, common: MessagePayload): Promise<Telling> {
  const named = group && { mentioned_user_group_id: group.id, mentioned_user_group_name: group.name };
  const [devices, tokens] = await Promise.all([activeDevices(userId), listPushTokens(userId)]);
  return { userId, devices, tokens, payload: { ...common, ...named } };
}

/** Sends to all, and notes who has been told on every device of theirs; then fails if somebody has not. */
async function send(messageId: number, tellings: readonly Telling[], realm: Realm): Promise<void> {
  const sealed = tellings.flatMap(({ userId, devices, payload: { sender_email: _, ...payload } }) =>
    devices.map((device) => ({
      device,
      payload: { ...commonPayload(realm, userId), type: "message", ...payload },
      urgent: true,
    })),
  );
  const all = sealed.length > 0 ? notify(realm.uuid, sealed) : Promise.resolve([]);
  // Whoever waits for it hears of its failure.
  all.catch(() => {});
  const results = await Promise.allSettled(
    tellings.map(async ({ userId, devices, tokens, payload }) => {
      if (tokens.length > 0) await notifyTokens(realm, tokens, legacyMessage(realm, userId, payload));
      if (devices.length > 0) await all;
      await putPushed(userId, messageId);
      return userId;
    }),
  );
  await takeBack(
    messageId,
    results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** Has what was read or deleted while it was told taken away again: who followed the log did not know that it is shown. */
async function takeBack(messageId: number, userIds: readonly number[]): Promise<void> {
  const [[message], readers] = await Promise.all([
    findMessages([messageId], { consistent: true }),
    findMarkedAsRead(messageId, userIds, true),
  ]);
  await enqueueAll(
    removeNotificationsJob,
    (message ? readers : userIds).map((user_id) => ({ user_id, message_ids: [messageId] })),
  );
}

/** Takes notifications from a user's devices, of those of some messages that are shown there. */
export async function removeNotifications(userId: number, messageIds: readonly number[]): Promise<void> {
  if (!pushBouncerUrl()) return;
  const [realm, shown, devices, tokens] = await Promise.all([
    accessRealm(),
    listPushed(userId, messageIds),
    activeDevices(userId),
    listPushTokens(userId),
  ]);
  if (shown.length === 0) return;
  const payload = { ...commonPayload(realm, userId), type: "remove", message_ids: shown };
  if (devices.length > 0)
    await notify(
      realm.uuid,
      devices.map((device) => ({ device, payload, urgent: false })),
    );
  if (tokens.length > 0) await notifyTokens(realm, tokens, legacyRemoval(realm, userId, shown));
  await Promise.all(shown.map((id) => deletePushed(userId, id)));
}
