import type { Realm } from "../../services/organization/access.ts";
import { deletePushTokenIfThere, type PushToken } from "../../store/delivery/push-tokens.ts";
import { transact } from "../../store/table/transactions.ts";
import { postToBouncer } from "./bouncer.ts";
import { legacyPayload, userUuid } from "./identity.ts";
import type { MessagePayload } from "./payload.ts";

/** Notifications for devices with legacy tokens, which are not end-to-end encrypted. */

/** The payloads for one user's APNs and FCM devices. */
interface LegacyPayloads {
  apns: Record<string, unknown>;
  gcm: Record<string, unknown>;
  /** Urgent notifications are displayed; others only update the display. */
  urgent: boolean;
}

/** The legacy notification of a message. Pure. */
export function legacyMessage(realm: Realm, userId: number, payload: MessagePayload): LegacyPayloads {
  const { message_id, sender_full_name, sender_avatar_url, recipient_type, channel_id, channel_name } = payload;
  // Without end-to-end encryption, organizations can require that the content is hidden.
  const content = realm.settings.require_e2ee_push_notifications ? "New message" : payload.content;
  const isChannel = recipient_type === "channel";
  const common = {
    ...legacyPayload(realm, userId),
    event: "message",
    time: payload.time,
    sender_id: payload.sender_id,
    sender_email: payload.sender_email,
    ...(isChannel
      ? { recipient_type: "stream", stream: channel_name, stream_id: channel_id, topic: payload.topic }
      : { recipient_type: "private", ...(payload.pm_users !== undefined && { pm_users: payload.pm_users }) }),
    ...(payload.mentioned_user_group_id !== undefined && {
      mentioned_user_group_id: payload.mentioned_user_group_id,
      mentioned_user_group_name: payload.mentioned_user_group_name,
    }),
  };
  const title = isChannel ? `#${channel_name} > ${payload.topic}` : sender_full_name;
  const subtitle = isChannel ? `${sender_full_name}:` : "";
  return {
    urgent: true,
    apns: {
      alert: { title, subtitle, body: content },
      sound: "default",
      badge: 0,
      custom: { zulip: { ...common, message_ids: [message_id] } },
    },
    gcm: {
      ...common,
      zulip_message_id: message_id,
      content,
      content_truncated: content.endsWith("…"),
      sender_full_name,
      sender_avatar_url,
    },
  };
}

/** The legacy notification that removes those of the given messages. Pure. */
export function legacyRemoval(realm: Realm, userId: number, ids: readonly number[]): LegacyPayloads {
  const common = { ...legacyPayload(realm, userId), event: "remove", zulip_message_ids: ids.join(",") };
  return {
    urgent: false,
    apns: { badge: 0, custom: { zulip: common } },
    gcm: { ...common, zulip_message_id: ids[0] },
  };
}

/** Sends to one user's devices, and deletes tokens that the bouncer reports as unknown. */
export async function notifyTokens(
  realm: Realm,
  tokens: readonly PushToken[],
  payloads: LegacyPayloads,
): Promise<void> {
  const [{ userId } = { userId: 0 }] = tokens;
  const tokensOfKind = (kind: PushToken["kind"]) =>
    tokens.filter((token) => token.kind === kind).map(({ token }) => token);
  const { deleted_devices: deleted } = await postToBouncer("push/notify", {
    json: {
      realm_uuid: realm.uuid,
      user_uuid: userUuid(realm, userId),
      user_id: userId,
      apns_payload: payloads.apns,
      gcm_payload: payloads.gcm,
      gcm_options: { priority: payloads.urgent ? "high" : "normal" },
      android_devices: tokensOfKind("fcm"),
      apple_devices: tokensOfKind("apns"),
    },
  });
  const { android_devices = [], apple_devices = [] } = (deleted ?? {}) as Record<string, string[] | undefined>;
  const unknownTokens = tokens.filter(({ kind, token }) =>
    (kind === "fcm" ? android_devices : apple_devices).includes(token),
  );
  for (const token of unknownTokens) await transact([deletePushTokenIfThere(token)]);
}
