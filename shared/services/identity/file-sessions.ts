import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { toCaller } from "./access.ts";
import type { Caller } from "./caller.ts";
import { acceptedKeyHashes } from "./sessions.ts";

/**
 * A browser loads pictures and files without an API key. The web client therefore gets a cookie for them, which scripts cannot
 * read and other sites cannot use. It is valid for files only, until it expires, the key ends with which the browser asked for it, or the account is
 * deactivated.
 */

export const fileCookie = "skein_files";

/** The client gets a new cookie whenever it starts. */
const lifetimeSeconds = 30 * secondsPerDay;

const signature = async ({ email, keyHash }: { email: string; keyHash: string }, expiresAt: number) =>
  createHmac("sha256", await fleetSecret())
    .update(JSON.stringify(["file session", email.toLowerCase(), keyHash, expiresAt]))
    .digest("base64url");

const cookieAttributes = (secure: boolean) =>
  ["Path=/", "HttpOnly", "SameSite=Strict", ...(secure ? ["Secure"] : [])].join("; ");

/** The Set-Cookie header that starts a session, which ends with a key of the account, at `endsAt` (UNIX seconds) if not before. */
export async function startFileSession(email: string, keyHash: string, secure: boolean, endsAt: number) {
  const expiresAt = Math.min(nowSeconds() + lifetimeSeconds, endsAt);
  const name = Buffer.from(email).toString("base64url");
  const value = `${name}.${expiresAt}.${await signature({ email, keyHash }, expiresAt)}`;
  return `${fileCookie}=${value}; Max-Age=${expiresAt - nowSeconds()}; ${cookieAttributes(secure)}`;
}

/** The Set-Cookie header that deletes the cookie. */
export const endFileSession = (secure: boolean): string => `${fileCookie}=; Max-Age=0; ${cookieAttributes(secure)}`;

/** The account of a session's cookie; undefined when there is no valid one. 1 read unit. */
export async function authenticateFileSession(cookies: readonly string[]): Promise<Caller | undefined> {
  const cookie = cookies.find((text) => text.startsWith(`${fileCookie}=`));
  const [name = "", expires = "", mac = ""] = cookie?.slice(fileCookie.length + 1).split(".") ?? [];
  if (!cookie || !/^\d{1,12}$/.test(expires) || Number(expires) < Date.now() / 1000) return undefined;
  const account = await findAccount(Buffer.from(name, "base64url").toString("utf8"));
  if (!account?.active || account.realmDeactivated) return undefined;
  const givenMac = Buffer.from(mac);
  for (const keyHash of acceptedKeyHashes(account)) {
    const expectedMac = Buffer.from(await signature({ email: account.email, keyHash }, Number(expires)));
    if (expectedMac.length === givenMac.length && timingSafeEqual(expectedMac, givenMac)) return toCaller(account);
  }
  return undefined;
}
