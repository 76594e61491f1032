import { enqueue } from "../jobs/queues.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { ownUrl, pushBouncerUrl } from "../settings.ts";
import { findChannels } from "../store/channels.ts";
import { findMessage, type Message } from "../store/messages.ts";
import { listDeviceOwners, listPushDevices, type PushDevice } from "../store/push-devices.ts";
import { deletePushed, findPushed, listPushed, putPushed } from "../store/pushed-messages.ts";
import { pictureUrl } from "../users/avatars.ts";
import { profilesOf } from "../users/profiles.ts";
import { commonPayload } from "./identity.ts";
import { pushMessageJob } from "./jobs.ts";
import { type Notification, notify } from "./notify.ts";
import { isTold, type Recipient, recipientsAmong } from "./recipients.ts";
import { notificationText } from "./text.ts";

/** Owners of devices looked at by one job, and notifications sent in one request. */
const ownersToJob = 200;
const notificationsToRequest = 100;
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

async function tell(message: Message, recipients: readonly Recipient[], realm: Realm): Promise<void> {
  if (recipients.length === 0) return;
  const done = await findPushed(
    recipients.map(({ userId }) => userId),
    message.id,
  );
  const content = await messagePayload(message, realm);
  let waiting: Notification[] = [];
  const send = async () => {
    if (waiting.length > 0) await notify(realm.uuid, waiting);
    await Promise.all([...new Set(waiting.map(({ device }) => device.userId))].map((id) => putPushed(id, message.id)));
    waiting = [];
  };
  for (const { userId, group } of recipients.filter((recipient) => !done.has(recipient.userId))) {
    const payload = {
      ...commonPayload(realm, userId),
      ...content,
      ...(group && { mentioned_user_group_id: group.id, mentioned_user_group_name: group.name }),
    };
    waiting.push(...(await activeDevices(userId)).map((device) => ({ device, payload, urgent: true })));
    if (waiting.length >= notificationsToRequest) await send();
  }
  await send();
}

/** What is the same for all who are told of a message (companion reference, B 4.9). */
async function messagePayload(message: Message, realm: Realm) {
  const { channelId, topic = "", userIds = [], senderId } = message;
  const [users, [channel]] = await Promise.all([
    profilesOf([senderId], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
  ]);
  const sender = users.get(senderId);
  const picture = sender ? pictureUrl(sender) : "";
  return {
    type: "message",
    message_id: message.id,
    time: message.sentAt,
    content: notificationText(message.html),
    sender_id: senderId,
    sender_full_name: sender?.fullName ?? "",
    sender_avatar_url: picture.startsWith("/") ? ownUrl() + picture : picture,
    ...(channelId !== undefined
      ? { recipient_type: "channel", channel_id: channelId, channel_name: channel?.name ?? "", topic }
      : { recipient_type: "direct", ...(userIds.length > 2 && { pm_users: userIds.join(",") }) }),
  };
}

/** Takes notifications from a user's devices, of those of some messages that are shown there. */
export async function removeNotifications(userId: number, messageIds: readonly number[]): Promise<void> {
  if (!pushBouncerUrl()) return;
  const [realm, shown, devices] = await Promise.all([
    accessRealm(),
    listPushed(userId, messageIds),
    activeDevices(userId),
  ]);
  if (shown.length === 0) return;
  const payload = { ...commonPayload(realm, userId), type: "remove", message_ids: shown };
  if (devices.length > 0)
    await notify(
      realm.uuid,
      devices.map((device) => ({ device, payload, urgent: false })),
    );
  await Promise.all(shown.map((id) => deletePushed(userId, id)));
}
