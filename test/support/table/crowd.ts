import { roles } from "../../../shared/base/schema/roles.ts";
import { newSubscription } from "../../../shared/core/channels/defaults.ts";
import { createSubscription } from "../../../shared/store/channels/subscriptions.ts";
import { createPushDevice, ownerIndexKeys } from "../../../shared/store/delivery/push-devices.ts";
import { batchWrite } from "../../../shared/store/table/bulk.ts";
import type { Item, Write } from "../../../shared/store/table/writes.ts";
import { createAccount } from "../../../shared/store/users/accounts.ts";
import { type ChangedSettings, updateUserSettings } from "../../../shared/store/users/user-settings.ts";
import { createUser } from "../../../shared/store/users/users.ts";

/** Creates thousands of inactive users by writing to the table directly, because creating them by requests takes minutes. */

export interface Crowd {
  ids: number[];
  /** Removes all items of the crowd. */
  remove(): Promise<void>;
}

interface CrowdOptions {
  channelId: number;
  settings: ChangedSettings;
  /** Gives each of them a device; its ID at the bouncer is the user ID, and its push account ID `firstAccountId` plus that. */
  device?: { publicKey: Uint8Array; firstAccountId: number };
  /** Whether they have accounts and so can be mailed. */
  hasAccount?: boolean;
}

/** Creates `size` users with consecutive IDs from `firstId` on, subscribed to a channel. */
export async function aCrowd(firstId: number, size: number, options: CrowdOptions): Promise<Crowd> {
  const ids = Array.from({ length: size }, (_, index) => firstId + index);
  const items = ids.flatMap((id) => itemsOf(id, options));
  await batchWrite(items);
  return { ids, remove: () => batchWrite([], items) };
}

function itemsOf(id: number, { channelId, settings, device, hasAccount = false }: CrowdOptions): Item[] {
  const person = { email: `face-${id}@globe.test`, role: roles.member, active: true, joinedAt: 0 };
  const user = { ...person, id, fullName: `Face ${id}`, timezone: "", avatarSource: "G" as const, avatarVersion: 1 };
  return [
    ...(hasAccount ? written(createAccount({ ...person, userId: id, keyHash: "", keySalt: "" })) : []),
    ...written(createUser(user)),
    ...written(updateUserSettings(id, { set: settings })),
    ...written(createSubscription(newSubscription(id, channelId, 1))),
    ...(device ? deviceOf(id, device) : []),
  ];
}

function deviceOf(userId: number, { publicKey, firstAccountId }: NonNullable<CrowdOptions["device"]>): Item[] {
  const pushAccountId = firstAccountId + userId;
  const device = {
    userId,
    pushAccountId,
    tokenKind: "fcm" as const,
    publicKey: Buffer.from(publicKey).toString("base64"),
    bouncerPublicKey: "",
    encryptedRegistration: "",
    status: "active" as const,
    deviceId: userId,
  };
  const listing = ownerIndexKeys(userId, String(pushAccountId));
  return written(createPushDevice(device)).map((item) => ({ ...item, ...listing }));
}

/** The item that a write creates in an empty table. */
function written(write: Write): Item[] {
  if (write.kind === "put") return [write.item];
  return write.kind === "update" ? [{ ...write.key, ...write.update.set }] : [];
}
