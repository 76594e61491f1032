import { getItem } from "../table/reads.ts";
import { create, type Key, type Refusal, remove, update, type Write, withRefusal } from "../table/writes.ts";

/**
 * A person's second factor: an authenticator app that makes one-time codes (RFC 6238), and recovery codes. Whether there is one is in
 * the account (`secondFactor` in `accounts.ts`), which a sign-in reads anyway; only whoever has given the right password reads this.
 */
export interface SecondFactor {
  userId: number;
  /** As in the account. A new factor has a new one. */
  id: string;
  /** The secret that the app shares is derived from this and the deployment's secret: a copy of the table makes no codes. */
  salt: string;
  /** The time step, in the terms of RFC 6238, of the newest code that was accepted. */
  lastStep: number;
  /** SHA-256 of the recovery codes that are left, in hex; absent: none is left. */
  recoveryHashes?: Set<string>;
  /** UNIX seconds. */
  createdAt: number;
}

const key = (userId: number): Key => ({ pk: `USER#${userId}`, sk: "SECONDFACTOR" });

/** 1 read unit. */
export const findSecondFactor = (userId: number) => getItem<SecondFactor>(key(userId));

/** Fails its transaction when there is one already. */
export const createSecondFactor = (factor: SecondFactor): Write => create({ ...key(factor.userId), ...factor });

/** Accepts the code of a time step, unless another request has accepted that of this step or a later one. */
export const acceptStep = ({ userId, id, lastStep }: SecondFactor, step: number, refusal: Refusal): Write =>
  withRefusal(update(key(userId), { set: { lastStep: step } }, { exists: true, equals: { id, lastStep } }), refusal);

/** Uses up a recovery code; fails when another request has. */
export const useRecoveryCode = ({ userId, id }: SecondFactor, hash: string, refusal: Refusal): Write =>
  withRefusal(
    update(
      key(userId),
      { subtract: { recoveryHashes: new Set([hash]) } },
      { exists: true, equals: { id }, contains: { recoveryHashes: hash } },
    ),
    refusal,
  );

/** Replaces the recovery codes, and accepts the code of a time step for it, as `acceptStep` does. */
export const replaceRecoveryCodes = (
  { userId, id, lastStep }: SecondFactor,
  { step, hashes }: { step: number; hashes: Set<string> },
  refusal: Refusal,
): Write =>
  withRefusal(
    update(
      key(userId),
      { set: { lastStep: step, recoveryHashes: hashes } },
      { exists: true, equals: { id, lastStep } },
    ),
    refusal,
  );

/** Idempotent. */
export const deleteSecondFactor = (userId: number): Write => remove(key(userId));
