import type { Realm } from "../organization/access.ts";
import { deletePushTokenIfThere, type PushToken } from "../store/push-tokens.ts";
import { transact } from "../store/transactions.ts";
import { askBouncer } from "./bouncer.ts";
import { legacyPayload, userUuid } from "./identity.ts";
import type { MessagePayload } from "./payload.ts";

/** Notifications for devices with a token of the old kind: the bouncer reads them, as it always has. */

/** What one user's devices of both kinds are sent. */
interface Forms {
  apns: Record<string, unknown>;
  gcm: Record<string, unknown>;
  /** Shown at once; others only change what is shown. */
  urgent: boolean;
}

/** A message as old devices are told of it (4.18). Pure. */
export function legacyMessage(realm: Realm, userId: number, payload: MessagePayload): Forms {
  const { message_id, content, sender_full_name, sender_avatar_url, recipient_type, channel_id, channel_name } =
    payload;
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

/** That the notifications of some messages are to go. Pure. */
export function legacyRemoval(realm: Realm, userId: number, ids: readonly number[]): Forms {
  const common = { ...legacyPayload(realm, userId), event: "remove", zulip_message_ids: ids.join(",") };
  return {
    urgent: false,
    apns: { badge: 0, custom: { zulip: common } },
    gcm: { ...common, zulip_message_id: ids[0] },
  };
}

/** Sends one user's devices what is for them, and forgets the tokens that the bouncer no longer knows. */
export async function notifyTokens(realm: Realm, tokens: readonly PushToken[], forms: Forms): Promise<void> {
  const [{ userId } = { userId: 0 }] = tokens;
  const of = (kind: PushToken["kind"]) => tokens.filter((each) => each.kind === kind).map(({ token }) => token);
  const { deleted_devices: deleted } = await askBouncer("push/notify", {
    json: {
      realm_uuid: realm.uuid,
      user_uuid: userUuid(realm, userId),
      user_id: userId,
      apns_payload: forms.apns,
      gcm_payload: forms.gcm,
      gcm_options: { priority: forms.urgent ? "high" : "normal" },
      android_devices: of("fcm"),
      apple_devices: of("apns"),
    },
  });
  const { android_devices = [], apple_devices = [] } = (deleted ?? {}) as Record<string, string[] | undefined>;
  const gone = tokens.filter(({ kind, token }) => (kind === "fcm" ? android_devices : apple_devices).includes(token));
  for (const token of gone) await transact([deletePushTokenIfThere(token)]);
}
