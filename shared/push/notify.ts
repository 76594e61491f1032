import { deletePushDevice, type PushDevice } from "../store/push-devices.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { askBouncer } from "./bouncer.ts";
import { seal } from "./seal.ts";

/** One notification for one device; `urgent` ones are shown, others only change what is. */
export interface Notification {
  device: PushDevice;
  payload: Record<string, unknown>;
  urgent: boolean;
}

/** The notification as the bouncer takes it: it learns which device, and nothing of what is said. */
export function pushRequest({ device, payload, urgent }: Notification) {
  const { deviceId, pushAccountId, publicKey, tokenKind } = device;
  const sealed = { push_account_id: pushAccountId, encrypted_data: seal(JSON.stringify(payload), publicKey) };
  if (tokenKind === "fcm") return { device_id: deviceId, fcm_priority: urgent ? "high" : "normal", payload: sealed };
  return {
    device_id: deviceId,
    http_headers: { apns_priority: urgent ? 10 : 5, apns_push_type: urgent ? "alert" : "background" },
    payload: { ...sealed, aps: { "mutable-content": 1, alert: { title: "New notification" } } },
  };
}

/** Sends notifications in one request and forgets the devices that the bouncer no longer knows; returns those. */
export async function notify(realmUuid: string, notifications: readonly Notification[]): Promise<PushDevice[]> {
  const { delete_device_ids: gone } = await askBouncer("push/e2ee/notify", {
    json: { realm_uuid: realmUuid, push_requests: notifications.map(pushRequest) },
  });
  const ids = new Set(Array.isArray(gone) ? gone : []);
  const forgotten = notifications.map(({ device }) => device).filter(({ deviceId }) => ids.has(deviceId));
  await Promise.all(forgotten.map(forget));
  return forgotten;
}

/** One that has been registered anew meanwhile stays. */
async function forget(device: PushDevice): Promise<void> {
  await transact([deletePushDevice(device)]).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error;
  });
}
