import { invalidPushDeviceToken, noActivePushDevice } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { listPushDevices } from "../../store/delivery/push-devices.ts";
import { listPushTokens } from "../../store/delivery/push-tokens.ts";
import { accessBouncer, BouncerError, postToBouncer, toClientError } from "./bouncer.ts";
import { commonPayload, legacyPayload } from "./identity.ts";
import { notify } from "./notify.ts";
import { tokenFields } from "./tokens.ts";

/**
 * Sends a test to a user's legacy devices, or to the one with `token`, and waits for the bouncer's response. See
 * https://zulip.com/api/test-notify.
 */
export async function testTokens(userId: number, token: string | undefined): Promise<void> {
  const tokens = await listPushTokens(userId);
  const testedTokens = token === undefined ? tokens : tokens.filter((pushToken) => pushToken.token === token);
  if (testedTokens.length === 0) {
    if (token !== undefined) throw invalidPushDeviceToken();
    return;
  }
  accessBouncer();
  const realm = await loadRealm();
  await withClientErrors(
    Promise.all(
      testedTokens.map((pushToken) =>
        postToBouncer("push/test_notification", {
          json: { ...tokenFields(realm, pushToken), base_payload: { event: "test", ...legacyPayload(realm, userId) } },
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
  const realm = await loadRealm();
  const payload = { ...commonPayload(realm, userId), type: "test", time: nowSeconds() };
  const notifications = devices.map((device) => ({ device, payload, urgent: true }));
  const unknownDevices = await withClientErrors(notify(realm.uuid, notifications));
  if (unknownDevices.length === devices.length) throw noActivePushDevice();
}

/** Converts a failure of the bouncer to an error that the client can understand. */
async function withClientErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw error instanceof BouncerError ? toClientError(error) : error;
  }
}
