import { ApiError } from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { throttle } from "../../core/users/throttle.ts";
import { hashRecoveryCode, normalizedCode, stepOf } from "../../services/identity/one-time-codes.ts";
import { recordFailedSignIn } from "../../store/organization/audit-log.ts";
import {
  acceptStep,
  findSecondFactor,
  type SecondFactor,
  useRecoveryCode,
} from "../../store/second-factors/second-factors.ts";
import type { Write } from "../../store/table/writes.ts";
import type { Account } from "../../store/users/accounts.ts";

/** The check of a second factor's codes: each is accepted once, and guesses are limited as those of passwords are. */

export const wrongCode = () => new ApiError("AUTHENTICATION_FAILED", "This code is wrong, or was used already.");

/**
 * Runs `check`, which throws `wrongCode`, unless there were too many wrong codes. They count apart from wrong passwords, because a right
 * password forgives those, and whoever guesses codes knows it. No username at a sign-in is their name, which has no "@".
 */
export const throttleCodes = <T>({ userId }: Account, sourceIp: string, check: () => Promise<T>): Promise<T> =>
  throttle(`second factor ${userId}`, sourceIp, async () => {
    try {
      return await check();
    } catch (error) {
      if (error instanceof ApiError && error.code === "AUTHENTICATION_FAILED")
        await recordFailedSignIn(userId).catch((problem: unknown) =>
          console.error(JSON.stringify({ failedSignIn: "not recorded", error: describeError(problem) })),
        );
      throw error;
    }
  });

/** What a right code allows: the write that uses it up, and how many recovery codes are left if it was one of these. */
interface AcceptedCode {
  write: Write;
  /** Undefined: it was not a recovery code. */
  recoveryCodesLeft: number | undefined;
}

/** Checks a code of an authenticator app, or a recovery code. Its write must be part of what the code allows. 1 read unit. */
export async function checkCode(account: Account, text: string): Promise<AcceptedCode> {
  const factor = await findSecondFactor(account.userId);
  if (!factor || factor.id !== account.secondFactor) throw wrongCode();
  const code = normalizedCode(text);
  if (/^\d{6}$/.test(code)) {
    const step = await newStepOf(factor, code);
    return { write: acceptStep(factor, step, wrongCode), recoveryCodesLeft: undefined };
  }
  const hash = hashRecoveryCode(code);
  const { recoveryHashes: left = new Set() } = factor;
  if (!left.has(hash)) throw wrongCode();
  return { write: useRecoveryCode(factor, hash, wrongCode), recoveryCodesLeft: left.size - 1 };
}

/** The time step of an authenticator app's code that comes after all that were accepted. */
export async function newStepOf(
  { salt, lastStep }: Pick<SecondFactor, "salt" | "lastStep">,
  text: string,
): Promise<number> {
  const step = await stepOf(salt, normalizedCode(text));
  if (step === undefined || step <= lastStep) throw wrongCode();
  return step;
}
