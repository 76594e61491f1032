import { getItem, queryItems } from "./table.ts";
import { create, put, remove, type Update, update, type Write } from "./writes.ts";

/** A device that is told of messages end-to-end encrypted. */
export interface PushDevice {
  userId: number;
  /** Chosen by the client. */
  pushAccountId: number;
  tokenKind: "fcm" | "apns";
  /** X25519, base64: what is sent to the device is sealed for it. */
  publicKey: string;
  bouncerPublicKey: string;
  /** For the bouncer alone to read. */
  encryptedRegistration: string;
  status: "pending" | "active" | "failed";
  /** Of a failed one. */
  errorCode?: string;
  /** The bouncer's name for an active one. */
  deviceId?: number;
}

type Id = Pick<PushDevice, "userId" | "pushAccountId">;
const key = ({ userId, pushAccountId }: Id) => ({ pk: `USER#${userId}`, sk: `PUSHDEVICE#${pushAccountId}` });

/** Strongly consistent: 1 read unit. */
export const findPushDevice = (id: Id) => getItem<PushDevice>(key(id), { consistent: true });

/** 0.5 read units for about 8. */
export const listPushDevices = (userId: number) =>
  queryItems<PushDevice>({ pk: `USER#${userId}`, prefix: "PUSHDEVICE#" });

/** Fails when there is one of that ID already. */
export const createPushDevice = (device: PushDevice): Write => create({ ...key(device), ...device });

/** Puts a new registration in the place of a failed one. */
export const replaceFailedPushDevice = (device: PushDevice): Write =>
  put({ ...key(device), ...device }, { equals: { status: "failed" } });

/** Changes a device unless it has been registered anew, removed or settled since it was read. */
export const settlePushDevice = (before: PushDevice, change: Update): Write =>
  update(key(before), change, {
    equals: { status: before.status, encryptedRegistration: before.encryptedRegistration },
  });

/** Forgets a device if the bouncer still knows it by that name. */
export const deletePushDevice = (device: PushDevice): Write =>
  remove(key(device), { equals: { deviceId: device.deviceId } });
