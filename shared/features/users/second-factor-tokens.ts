import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { ApiError } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";

/**
 * What somebody gets who has given the password, and must give a code before they are signed in: for some minutes, it proves the password
 * of this account, and ends with the account's password, API key and second factor. Nothing is stored.
 */
interface PasswordProof {
  account: Account;
  /** Of a second factor that is being set up; undefined: the code is that of the account's factor. */
  salt: string | undefined;
}

const tokenSeconds = 600;

/** `salt`: of a second factor to set up. */
export async function newFactorToken(account: Account, salt = ""): Promise<string> {
  const claim = `${account.userId}.${nowSeconds() + tokenSeconds}.${salt}`;
  return `${claim}.${(await signatureOf(claim, account)).toString("base64url")}`;
}

const signatureOf = async (
  claim: string,
  { keyHash, passwordHash = "", secondFactor = "" }: Account,
): Promise<Buffer> =>
  createHmac("sha256", await fleetSecret())
    .update(["proof of the password before a code", claim, keyHash, passwordHash, secondFactor].join(" "))
    .digest();

/** The account and purpose of a token; refuses every other one, and an address without an account, in the same way. */
export async function readFactorToken(email: string, token: string): Promise<PasswordProof> {
  const [, claim = "", userId = "", endsAt = "", salt = "", signature = ""] =
    /^((\d{1,15})\.(\d{1,15})\.([0-9a-f]{0,64}))\.([\w-]{43})$/.exec(token) ?? [];
  const account = claim === "" ? undefined : await findAccount(email.trim());
  const isOurs =
    account?.userId === Number(userId) &&
    account.active &&
    account.realmDeactivated === undefined &&
    Number(endsAt) > nowSeconds() &&
    timingSafeEqual(Buffer.from(signature, "base64url"), await signatureOf(claim, account));
  if (!isOurs || !account)
    throw new ApiError("AUTHENTICATION_FAILED", "This took too long. Enter your password again.");
  return { account, salt: salt === "" ? undefined : salt };
}
