import { randomUUID } from "node:crypto";
import { isMailEnabled } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import { accessAccountByPassword } from "../../core/users/login.ts";
import { throttle } from "../../core/users/throttle.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { newTokenSalt } from "../../services/identity/link-tokens.ts";
import { newRecoveryCodes, secretFor } from "../../services/identity/one-time-codes.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import type { Realm } from "../../services/organization/access.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import {
  createSecondFactor,
  deleteSecondFactor,
  findSecondFactor,
  replaceRecoveryCodes,
} from "../../store/second-factors/second-factors.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Account, findAccount, updateAccount } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";
import { checkCode, newStepOf, throttleCodes, wrongCode } from "./second-factor-codes.ts";
import { newFactorToken, readFactorToken } from "./second-factor-tokens.ts";

/** How people turn their second factor on and off. */

interface SetUp {
  /** With the first code, it proves that the app has the secret. */
  second_factor_token: string;
  secret: string;
  otpauth_url: string;
}

/** What somebody who has given the password needs in order to set up an authenticator app. Stores nothing. */
export async function setUpFor(account: Account, realm: Realm): Promise<SetUp> {
  const salt = newTokenSalt();
  const [token, shown] = await Promise.all([
    newFactorToken(account, salt),
    // The address of the app's entry separates the two by a colon.
    secretFor(salt, { issuer: realm.name.replaceAll(":", " "), label: account.email }),
  ]);
  return { second_factor_token: token, ...shown };
}

const alreadyOn = () => badRequest("You have a second factor already.");
const notOn = () => badRequest("You have no second factor.");

/** Begins to set up the caller's second factor. A stolen key is not enough: without the password, it could lock its owner out. */
export async function beginSetUp(caller: Caller, password: string, sourceIp: string, realm: Realm): Promise<SetUp> {
  const account = await throttle(caller.email, sourceIp, () => accessAccountByPassword(caller.email, password, realm));
  if (account.secondFactor !== undefined) throw alreadyOn();
  return setUpFor(account, realm);
}

/** Turns a second factor on for whoever has a token and the app's first code; returns the account as it is now, and recovery codes. */
export async function turnOn(
  { email, token, code, sourceIp }: { email: string; token: string; code: string; sourceIp: string },
  realm: Realm,
): Promise<{ account: Account; recoveryCodes: string[] }> {
  const { account, salt } = await readFactorToken(email, token);
  if (salt === undefined) throw alreadyOn();
  const { userId, passwordHash, keyHash, secondFactor } = account;
  return throttleCodes(account, sourceIp, async () => {
    const lastStep = await newStepOf({ salt, lastStep: 0 }, code);
    const { codes, hashes } = await newRecoveryCodes();
    const id = newTokenSalt();
    const unchanged = { userId, active: true, keyHash, passwordHash, secondFactor } as Partial<Account>;
    await transact(
      [
        updateAccount(account.email, { set: { secondFactor: id } }, unchanged),
        createSecondFactor({ userId, id, salt, lastStep, recoveryHashes: hashes, createdAt: nowSeconds() }),
        auditRecord("second_factor_enabled", { userId }),
      ],
      { refusal: alreadyOn, followUps: mailsAbout(account, realm, "was turned on") },
    );
    return { account: { ...account, secondFactor: id }, recoveryCodes: codes };
  });
}

/** Turns the caller's second factor off, for the password and a code. */
export async function turnOff(
  caller: Caller,
  { password, code }: { password: string; code: string },
  sourceIp: string,
  realm: Realm,
): Promise<void> {
  const account = await throttle(caller.email, sourceIp, () => accessAccountByPassword(caller.email, password, realm));
  if (account.secondFactor === undefined) throw notOn();
  await throttleCodes(account, sourceIp, async () => {
    await checkCode(account, code);
    await removeFactor(account, "second_factor_disabled", mailsAbout(account, realm, "was turned off"));
  });
}

async function removeFactor(
  { email, userId, secondFactor }: Account,
  type: "second_factor_disabled" | "second_factor_reset",
  followUps: FollowUp[],
): Promise<void> {
  const unchanged = { userId, secondFactor } as Partial<Account>;
  await transact(
    [
      updateAccount(email, { remove: ["secondFactor"] }, unchanged),
      deleteSecondFactor(userId),
      auditRecord(type, { userId }),
    ],
    { refusal: () => badRequest("The account was changed by another request; try again."), followUps },
  );
}

/** Takes a second factor from somebody who has lost it. */
export async function resetSecondFactor(caller: Caller, { email, id }: User, realm: Realm): Promise<void> {
  if (id === caller.id) throw badRequest("Turn your own second factor off in your settings.");
  const account = await findAccount(email);
  if (account?.userId !== id || account.secondFactor === undefined) throw badRequest("This user has no second factor.");
  await removeFactor(account, "second_factor_reset", mailsAbout(account, realm, "was removed by an administrator"));
}

/** Replaces the caller's recovery codes, for a code of the app. */
export async function renewRecoveryCodes(
  caller: Caller,
  code: string,
  sourceIp: string,
  realm: Realm,
): Promise<string[]> {
  const account = await findAccount(caller.email);
  if (account?.userId !== caller.id || account.secondFactor === undefined) throw notOn();
  return throttleCodes(account, sourceIp, async () => {
    const factor = await findSecondFactor(account.userId);
    if (!factor || factor.id !== account.secondFactor) throw wrongCode();
    const step = await newStepOf(factor, code);
    const { codes, hashes } = await newRecoveryCodes();
    await transact(
      [
        replaceRecoveryCodes(factor, { step, hashes }, wrongCode),
        auditRecord("recovery_codes_replaced", { userId: account.userId }),
      ],
      { followUps: mailsAbout(account, realm, "has new recovery codes") },
    );
    return codes;
  });
}

/** What the caller sees of their second factor. 1 to 2 read units. */
export async function secondFactorOf(caller: Caller) {
  const account = await findAccount(caller.email);
  const factor = account?.secondFactor === undefined ? undefined : await findSecondFactor(caller.id);
  return {
    is_enabled: factor !== undefined,
    date_enabled: factor?.createdAt ?? null,
    recovery_codes_left: factor?.recoveryHashes?.size ?? 0,
  };
}

/** The mail to whoever has a second factor about what has happened to it, whatever their settings are; none on a server without mail. */
export function mailsAbout({ email: to }: Account, realm: Realm, what: string): FollowUp[] {
  if (!isMailEnabled()) return [];
  const content = composeMail({
    subject: `Your second factor on ${realm.name}`,
    paragraphs: [
      `The second factor of your account on ${realm.name} ${what}.`,
      `Time: ${new Date().toUTCString()}.`,
      "If you did not expect this, change your password, sign out of all other devices, and tell your organization's administrators.",
    ],
  });
  return [outboxJob(sendMailJob, { id: randomUUID(), to, ...content })];
}
