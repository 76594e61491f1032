import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, put, remove, type Update, update, type Write } from "../table/writes.ts";

/** A device that receives end-to-end encrypted push notifications. */
export interface PushDevice {
  userId: number;
  /** Chosen by the client. */
  pushAccountId: number;
  tokenKind: "fcm" | "apns";
  /** The X25519 key with which notifications are encrypted, in base64. */
  publicKey: string;
  bouncerPublicKey: string;
  /** Encrypted by the client for the bouncer. */
  encryptedRegistration: string;
  status: "pending" | "active" | "failed";
  /** The hash of the key with which the device was registered; absent: it was not recorded. */
  keyHash?: string;
  /** Only of a failed device. */
  errorCode?: string;
  deviceId?: number;
}

type Id = Pick<PushDevice, "userId" | "pushAccountId">;
const key = ({ userId, pushAccountId }: Id) => ({ pk: `USER#${userId}`, sk: `PUSHDEVICE#${pushAccountId}` });

export const findPushDevice = (id: Id) => getItem<PushDevice>(key(id));

/** 0.5 read units for about 8. */
export const listPushDevices = (userId: number) =>
  queryItems<PushDevice>({ pk: `USER#${userId}`, prefix: "PUSHDEVICE#", ...corrected });

/** An index of the users with active devices or tokens, so that a channel message need not query every subscriber's devices. */
const ownersPartition = "PUSHOWNERS";
const ownerKey = (userId: number) => `USER#${padded(userId)}`;
export const ownerIndexKeys = (userId: number, device: string) => ({
  gsi3pk: ownersPartition,
  gsi3sk: `${ownerKey(userId)}#${device}`,
});
const deviceIndexKeys = ({ userId, pushAccountId }: Id) => ownerIndexKeys(userId, String(pushAccountId));

/** Owners of active devices with IDs above `after`, about `limit`, ascending; 0.5 read units for about 80. */
export async function listDeviceOwners(after: number, limit: number): Promise<{ ids: number[]; isLast: boolean }> {
  const items = await queryItems<{ gsi3sk: string }>({
    index: "gsi3",
    pk: ownersPartition,
    from: ownerKey(after + 1),
    limit,
  });
  const ids = [...new Set(items.map(({ gsi3sk }) => Number(gsi3sk.split("#")[1])))];
  return { ids, isLast: items.length < limit };
}

/** Fails when the ID exists already. */
export const createPushDevice = (device: PushDevice): Write => create({ ...key(device), ...device });

export const replaceFailedPushDevice = (device: PushDevice): Write =>
  put({ ...key(device), ...device }, { equals: { status: "failed" } });

/** Activates a device with the bouncer's ID; fails when the device has changed since it was read. */
export const activatePushDevice = (before: PushDevice, deviceId: number): Write =>
  updatePushDeviceIfUnchanged(before, {
    set: { status: "active", deviceId, ...deviceIndexKeys(before) },
    remove: ["errorCode"],
  });

/** Changes a device; fails when it was registered again, removed, activated or failed since it was read. */
export const updatePushDeviceIfUnchanged = (before: PushDevice, change: Update): Write =>
  update(key(before), change, {
    equals: { status: before.status, encryptedRegistration: before.encryptedRegistration },
  });

/** Deletes a device; fails when the bouncer has given it another ID since it was read. */
export const deletePushDevice = (device: PushDevice): Write =>
  remove(key(device), { equals: { deviceId: device.deviceId } });
