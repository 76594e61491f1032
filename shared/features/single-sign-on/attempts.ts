import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { badRequest } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { endSignInAttempt } from "../../store/users/identities.ts";
import type { AppOtp } from "./return-to-client.ts";

/**
 * An attempt to sign in by a provider: begun by the redirect to it, ended by the redirect back. The browser keeps it in a signed
 * cookie, so that only the browser that began an attempt can end it: nobody is signed in to another's account by a link
 * (login forgery). The table keeps which attempts have ended, so that each ends once.
 */
export interface Attempt {
  provider: string;
  state: string;
  nonce: string;
  /** Of PKCE (RFC 7636). */
  codeVerifier: string;
  /** UNIX seconds. */
  expiresAt: number;
  /** The token of the invitation link from which the attempt was begun. */
  invitation?: string | undefined;
  /** The app that began it; absent: the web client. */
  app?: AppOtp | undefined;
}

/** How long people have to sign in at the provider. */
const lifetimeSeconds = 600;

export const newAttempt = (provider: string, fields: Pick<Attempt, "invitation" | "app">): Attempt => ({
  ...fields,
  provider,
  state: randomToken(),
  nonce: randomToken(),
  codeVerifier: randomToken(),
  expiresAt: nowSeconds() + lifetimeSeconds,
});

/** 43 characters, the shortest code verifier that RFC 7636 allows. */
const randomToken = () => randomBytes(32).toString("base64url");

/** Another host of the domain cannot set a cookie with the prefix `__Host-`, which browsers accept by https alone. */
const cookieName = (secure: boolean) => (secure ? "__Host-skein_sign_in" : "skein_sign_in");
const isSecure = (baseUrl: string) => baseUrl.startsWith("https:");

/** Sent along when the provider redirects back, which only `SameSite=Lax` allows. */
const attributesOf = (secure: boolean) =>
  ["Path=/", "HttpOnly", "SameSite=Lax", ...(secure ? ["Secure"] : [])].join("; ");

const signature = async (content: string) =>
  createHmac("sha256", await fleetSecret())
    .update(JSON.stringify(["sign-in attempt", content]))
    .digest("base64url");

/** The Set-Cookie header that keeps an attempt in the browser. `baseUrl` is the server's address. */
export async function attemptCookie(attempt: Attempt, baseUrl: string): Promise<string> {
  const content = Buffer.from(JSON.stringify(attempt)).toString("base64url");
  const secure = isSecure(baseUrl);
  const value = `${content}.${await signature(content)}`;
  return `${cookieName(secure)}=${value}; Max-Age=${lifetimeSeconds}; ${attributesOf(secure)}`;
}

/** The Set-Cookie header that deletes the cookie. */
export const endedAttemptCookie = (baseUrl: string): string =>
  `${cookieName(isSecure(baseUrl))}=; Max-Age=0; ${attributesOf(isSecure(baseUrl))}`;

const notBegunHere = (baseUrl: string) =>
  badRequest(
    `This sign-in was not started in this browser, took longer than ${lifetimeSeconds / 60} minutes, or is already complete. Please start again at ${baseUrl}/.`,
  );

/** Ends the attempt of the browser's cookie, which must be for this provider and state. 1 write unit. */
export async function endAttempt(
  provider: string,
  state: string | undefined,
  { cookies }: Pick<HttpRequest, "cookies">,
  baseUrl: string,
): Promise<Attempt> {
  const attempt = await attemptIn(cookies, baseUrl);
  if (!attempt || attempt.provider !== provider || attempt.state !== state || attempt.expiresAt < nowSeconds())
    throw notBegunHere(baseUrl);
  if (!(await endSignInAttempt(attempt.state, attempt.expiresAt))) throw notBegunHere(baseUrl);
  return attempt;
}

async function attemptIn(cookies: readonly string[], baseUrl: string): Promise<Attempt | undefined> {
  const prefix = `${cookieName(isSecure(baseUrl))}=`;
  const cookie = cookies.find((text) => text.startsWith(prefix));
  const [content = "", mac = ""] = cookie?.slice(prefix.length).split(".") ?? [];
  const [expectedMac, givenMac] = [Buffer.from(await signature(content)), Buffer.from(mac)];
  if (expectedMac.length !== givenMac.length || !timingSafeEqual(expectedMac, givenMac)) return undefined;
  return JSON.parse(Buffer.from(content, "base64url").toString("utf8")) as Attempt;
}
