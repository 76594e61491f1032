import { getItem, queryItems } from "../table/reads.ts";
import { create, type Key, remove, type Write } from "../table/writes.ts";

/**
 * What a person sees of a device on which they have signed in. Whether its key is valid is in the account alone, which each request
 * reads (`sessions` in `accounts.ts`): what is here without a session there belongs to a device that was signed out.
 */
export interface Device {
  userId: number;
  /** SHA-256 of the device's key, in hex. */
  keyHash: string;
  /** The device's key is derived from this and the deployment's secret. */
  keySalt: string;
  /** Absent: a device; "app": an app password, which its owner has made for a program. */
  kind?: "app" | undefined;
  /** The program, such as "Firefox"; of an app password, the name that its owner gave it. */
  client: string;
  /** The operating system; empty: the program has not told. */
  system: string;
  /** The network from which the person signed in, as a hash that only this deployment can compute. */
  networkHash: string;
  /** UNIX seconds. */
  createdAt: number;
}

const key = ({ userId, keyHash }: Pick<Device, "userId" | "keyHash">): Key => ({
  pk: `USER#${userId}`,
  sk: `DEVICE#${keyHash}`,
});

/** 1 read unit. */
export const findDevice = (id: Pick<Device, "userId" | "keyHash">) => getItem<Device>(key(id));

/** 1 read unit for each 4 KB, about 10 devices. */
export const listDevices = (userId: number) => queryItems<Device>({ pk: `USER#${userId}`, prefix: "DEVICE#" });

export const createDevice = (device: Device): Write => create({ ...key(device), ...device });

/** Idempotent. */
export const deleteDevice = (id: Pick<Device, "userId" | "keyHash">): Write => remove(key(id));
