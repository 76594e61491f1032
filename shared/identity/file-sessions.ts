import { createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../aws/secret.ts";
import { unauthorized } from "../errors.ts";
import { callerOf } from "../identity/access.ts";
import type { Caller } from "../identity/caller.ts";
import { type Account, findAccount } from "../store/users/accounts.ts";

/**
 * A browser fetches pictures and files by itself and sends no API key with that. A page that has the key gets a cookie
 * for them instead: scripts cannot read it, other sites cannot have it sent, it is good for files alone, and it ends with
 * its time, with a new key, and with the account.
 */

export const fileCookie = "skein_files";

/** How long a cookie is good for; a page that is open asks for a new one with each start. */
const seconds = 30 * 86_400;

const signature = async ({ email, keyHash }: Pick<Account, "email" | "keyHash">, expiresAt: number) =>
  createHmac("sha256", await fleetSecret())
    .update(JSON.stringify(["file session", email.toLowerCase(), keyHash, expiresAt]))
    .digest("base64url");

const attributes = (secure: boolean) =>
  ["Path=/", "HttpOnly", "SameSite=Strict", ...(secure ? ["Secure"] : [])].join("; ");

/** The header that gives an account's browser a cookie. 1 read unit. */
export async function startFileSession(email: string, secure: boolean): Promise<string> {
  const account = await findAccount(email);
  if (!account) throw unauthorized();
  const expiresAt = Math.floor(Date.now() / 1000) + seconds;
  const name = Buffer.from(account.email).toString("base64url");
  const value = `${name}.${expiresAt}.${await signature(account, expiresAt)}`;
  return `${fileCookie}=${value}; Max-Age=${seconds}; ${attributes(secure)}`;
}

/** The header that takes the cookie away. */
export const endFileSession = (secure: boolean): string => `${fileCookie}=; Max-Age=0; ${attributes(secure)}`;

/** The account that a cookie stands for, undefined where it stands for none any more. 1 read unit. */
export async function accountOfFileSession(cookies: readonly string[]): Promise<Caller | undefined> {
  const given = cookies.map((cookie) => cookie.trim()).find((cookie) => cookie.startsWith(`${fileCookie}=`));
  const [name = "", expires = "", mac = ""] = given?.slice(fileCookie.length + 1).split(".") ?? [];
  if (!given || !/^\d{1,12}$/.test(expires) || Number(expires) < Date.now() / 1000) return undefined;
  const account = await findAccount(Buffer.from(name, "base64url").toString("utf8"));
  if (!account?.active || account.realmDeactivated) return undefined;
  const wanted = Buffer.from(await signature(account, Number(expires)));
  const got = Buffer.from(mac);
  return wanted.length === got.length && timingSafeEqual(wanted, got) ? callerOf(account) : undefined;
}
