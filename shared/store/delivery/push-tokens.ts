import { createHash } from "node:crypto";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { create, remove, type Write } from "../table/writes.ts";
import { ownerListing } from "./push-devices.ts";

/** A device that is told of messages in the old way, by a token that the server knows. */
export interface PushToken {
  userId: number;
  kind: "fcm" | "apns";
  token: string;
  /** Of the app that an APNs token belongs to. */
  appId?: string;
}

type Id = Pick<PushToken, "userId" | "kind" | "token">;

/** Tokens may be longer than a sort key. */
const key = ({ userId, kind, token }: Id) => ({
  pk: `USER#${userId}`,
  sk: `PUSHTOKEN#${kind}#${createHash("sha256").update(token).digest("hex")}`,
});

/** Strongly consistent: 1 read unit for each 4 KB. */
export const findPushToken = (id: Id) => getItem<PushToken>(key(id), { consistent: true });

/** 0.5 read units for each 4 KB. */
export const listPushTokens = (userId: number) => queryItems<PushToken>({ pk: `USER#${userId}`, prefix: "PUSHTOKEN#" });

/** Fails when it is there already. Its owner is listed among those of devices. */
export const createPushToken = (token: PushToken): Write =>
  create({ ...key(token), ...token, ...ownerListing(token.userId, key(token).sk) });

/** Fails when it is not there. */
export const deletePushToken = (id: Id): Write => remove(key(id), { exists: true });

/** A token that is gone already is no error. */
export const deletePushTokenIfThere = (token: Id): Write => remove(key(token));
