import { deletePushDevice, type PushDevice } from "../../store/delivery/push-devices.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { postToBouncer } from "./bouncer.ts";
import { seal } from "./seal.ts";

/** A notification for one device. The device displays `urgent` ones; others only update its display. */
export interface Notification {
  device: PushDevice;
  payload: Record<string, unknown>;
  urgent: boolean;
}

/** The request to the bouncer, which sees the device but not the encrypted payload. */
function pushRequest({ device, payload, urgent }: Notification) {
  const { deviceId, pushAccountId, publicKey, tokenKind } = device;
  const sealed = { push_account_id: pushAccountId, encrypted_data: seal(JSON.stringify(payload), publicKey) };
  if (tokenKind === "fcm") return { device_id: deviceId, fcm_priority: urgent ? "high" : "normal", payload: sealed };
  return {
    device_id: deviceId,
    http_headers: { apns_priority: urgent ? 10 : 5, apns_push_type: urgent ? "alert" : "background" },
    payload: { ...sealed, aps: { "mutable-content": 1, alert: { title: "New notification" } } },
  };
}

/** Sends notifications in one request; deletes and returns the devices that the bouncer reports as unknown. */
export async function notify(realmUuid: string, notifications: readonly Notification[]): Promise<PushDevice[]> {
  const { delete_device_ids: unknownIds } = await postToBouncer("push/e2ee/notify", {
    json: { realm_uuid: realmUuid, push_requests: notifications.map(pushRequest) },
  });
  const ids = new Set(Array.isArray(unknownIds) ? unknownIds : []);
  const unknownDevices = notifications.map(({ device }) => device).filter(({ deviceId }) => ids.has(deviceId));
  await Promise.all(unknownDevices.map(deleteUnknownDevice));
  return unknownDevices;
}

/** Deletes a device unless it was registered again meanwhile. */
const deleteUnknownDevice = (device: PushDevice) => succeeds(transact([deletePushDevice(device)]));
