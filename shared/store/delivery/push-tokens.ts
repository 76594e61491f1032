import { corrected } from "../table/consistency.ts";
import { hashOf } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, remove, update, type Write } from "../table/writes.ts";
import { ownerIndexKeys } from "./push-devices.ts";

/** A device that receives unencrypted push notifications through the legacy protocol, by a token. */
export interface PushToken {
  userId: number;
  kind: "fcm" | "apns";
  token: string;
  /** Only of an APNs token: the ID of its app. */
  appId?: string;
  /** The hash of the key with which the token was added; absent: it was not recorded. */
  keyHash?: string;
}

type Id = Pick<PushToken, "userId" | "kind" | "token">;

const key = ({ userId, kind, token }: Id) => ({
  pk: `USER#${userId}`,
  sk: `PUSHTOKEN#${kind}#${hashOf(token)}`,
});

/** 1 read unit for each 4 KB. */
export const findPushToken = (id: Id) => getItem<PushToken>(key(id));

/** 0.5 read units for each 4 KB. */
export const listPushTokens = (userId: number) =>
  queryItems<PushToken>({ pk: `USER#${userId}`, prefix: "PUSHTOKEN#", ...corrected });

/** Fails when the token exists already. Adds its owner to the index of device owners. */
export const createPushToken = (token: PushToken): Write =>
  create({ ...key(token), ...token, ...ownerIndexKeys(token.userId, key(token).sk) });

/** Notes with which key a token was added again; fails when it does not exist. */
export const setPushTokenKey = (token: PushToken): Write =>
  update(key(token), { set: { keyHash: token.keyHash } }, { exists: true });

/** Fails when the token does not exist. */
export const deletePushToken = (id: Id): Write => remove(key(id), { exists: true });

/** Idempotent. */
export const deletePushTokenIfThere = (token: Id): Write => remove(key(token));
