import { invalidPushDeviceToken, noActivePushDevice } from "../errors.ts";
import { accessRealm } from "../organization/access.ts";
import { listPushDevices } from "../store/delivery/push-devices.ts";
import { listPushTokens } from "../store/delivery/push-tokens.ts";
import { accessBouncer, BouncerError, postToBouncer, toClientError } from "./bouncer.ts";
import { commonPayload, legacyPayload, userUuid } from "./identity.ts";
import { notify } from "./notify.ts";
import { tokenKinds } from "./tokens.ts";

/** Sends a test to a user's legacy devices, or to the one with `token`, and waits for the bouncer's response. See https://zulip.com/api/test-notify. */
export async function testTokens(userId: number, token: string | undefined): Promise<void> {
  const all = await listPushTokens(userId);
  const wanted = token === undefined ? all : all.filter((each) => each.token === token);
  if (wanted.length === 0) {
    if (token !== undefined) throw invalidPushDeviceToken();
    return;
  }
  accessBouncer();
  const realm = await accessRealm();
  await withClientErrors(
    Promise.all(
      wanted.map((each) =>
        postToBouncer("push/test_notification", {
          json: {
            realm_uuid: realm.uuid,
            user_uuid: userUuid(realm, userId),
            user_id: userId,
            token: each.token,
            token_kind: tokenKinds[each.kind],
            base_payload: { event: "test", ...legacyPayload(realm, userId) },
          },
        }),
      ),
    ),
  );
}

/** Sends an encrypted test to a user's active devices, or to the one with `pushAccountId`. */
export async function testDevices(userId: number, pushAccountId: number | undefined): Promise<void> {
  const devices = (await listPushDevices(userId)).filter(
    (device) => device.status === "active" && (pushAccountId === undefined || device.pushAccountId === pushAccountId),
  );
  if (devices.length === 0) throw noActivePushDevice();
  accessBouncer();
  const realm = await accessRealm();
  const payload = { ...commonPayload(realm, userId), type: "test", time: Math.floor(Date.now() / 1000) };
  const notifications = devices.map((device) => ({ device, payload, urgent: true }));
  const forgotten = await withClientErrors(notify(realm.uuid, notifications));
  if (forgotten.length === devices.length) throw noActivePushDevice();
}

async function withClientErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof BouncerError ? toClientError(error) : error;
  }
}
