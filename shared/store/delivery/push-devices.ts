import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { create, put, remove, type Update, update, type Write } from "../table/writes.ts";

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

/** Owners of active devices, and of tokens, are listed, so that a channel's message looks at them and not at all subscribers. */
const ownersPartition = "PUSHOWNERS";
const ownerKey = (userId: number) => `USER#${padded(userId)}`;
/** What lists somebody for one device of theirs, in whichever way it is told. */
export const ownerListing = (userId: number, device: string) => ({
  gsi3pk: ownersPartition,
  gsi3sk: `${ownerKey(userId)}#${device}`,
});
const listing = ({ userId, pushAccountId }: Id) => ownerListing(userId, String(pushAccountId));

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

/** Fails when there is one of that ID already. */
export const createPushDevice = (device: PushDevice): Write => create({ ...key(device), ...device });

/** Puts a new registration in the place of a failed one. */
export const replaceFailedPushDevice = (device: PushDevice): Write =>
  put({ ...key(device), ...device }, { equals: { status: "failed" } });

/** Makes a device active under the bouncer's name for it, unless it has been registered anew since it was read. */
export const activatePushDevice = (before: PushDevice, deviceId: number): Write =>
  settlePushDevice(before, { set: { status: "active", deviceId, ...listing(before) }, remove: ["errorCode"] });

/** Changes a device unless it has been registered anew, removed or settled since it was read. */
export const settlePushDevice = (before: PushDevice, change: Update): Write =>
  update(key(before), change, {
    equals: { status: before.status, encryptedRegistration: before.encryptedRegistration },
  });

/** Forgets a device if the bouncer still knows it by that name. */
export const deletePushDevice = (device: PushDevice): Write =>
  remove(key(device), { equals: { deviceId: device.deviceId } });
