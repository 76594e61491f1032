import { createCipheriv, randomBytes } from "node:crypto";
import { linkUrl } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { html, page } from "../../services/http/page.ts";
import { RawReply } from "../../services/http/raw-reply.ts";
import { mobileApp } from "../../services/identity/device-names.ts";
import { hashLinkToken, newLinkToken } from "../../services/identity/link-tokens.ts";
import type { Realm } from "../../services/organization/access.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Account } from "../../store/users/accounts.ts";
import { createLinkToken } from "../../store/users/link-tokens.ts";
import { showSignedIn } from "../joining/pages.ts";
import { programOfRequest, signIn } from "../users/devices.ts";

/**
 * How somebody who has signed in gets back to the client in which they began: the web client is a page of this browser; an app
 * has opened the browser with a one-time pad or key (`otp`), so that what leads back to it is of use to that app alone.
 */
export interface AppOtp {
  app: "mobile" | "desktop";
  /** 64 hexadecimal digits. */
  otp: string;
}

/** The app that began the sign-in according to its parameters; undefined: the web client. */
export function appOtpIn(mobileOtp: string | undefined, desktopOtp: string | undefined): AppOtp | undefined {
  if (mobileOtp !== undefined && desktopOtp !== undefined)
    throw badRequest("Can't use both mobile_flow_otp and desktop_flow_otp together.");
  const otp = mobileOtp ?? desktopOtp;
  if (otp === undefined) return undefined;
  if (!/^[0-9a-f]{64}$/i.test(otp)) throw badRequest("Invalid OTP");
  return { app: mobileOtp === undefined ? "desktop" : "mobile", otp };
}

/** How somebody has signed in: by a request, at the provider with the name `method`. */
interface SignedIn {
  request: HttpRequest;
  method: string;
}

export async function returnToClient(
  account: Account,
  app: AppOtp | undefined,
  realm: Realm,
  signedIn: SignedIn,
): Promise<RawReply> {
  if (app?.app === "mobile") return redirectToMobileApp(account, app.otp, realm, signedIn);
  if (app) return showDesktopCode(await newSignInToken(account), app.otp, realm);
  const apiKey = await signIn(account, signedIn.request, realm, signedIn);
  return showSignedIn(`Welcome to ${realm.name}`, { email: account.email, apiKey });
}

/** Zulip's mobile apps open addresses that begin with `zulip:`, and undo the XOR of the key with their one-time pad. */
async function redirectToMobileApp(
  account: Account,
  otp: string,
  realm: Realm,
  { request, method }: SignedIn,
): Promise<RawReply> {
  const pad = Buffer.from(otp, "hex");
  // The request is that of the browser in which the app has its user sign in.
  const program = { ...programOfRequest(request), client: mobileApp, isPersonal: true };
  const apiKey = await signIn(account, request, realm, { method, program });
  const encryptedKey = Buffer.from(apiKey).map((byte, index) => byte ^ (pad[index] ?? 0));
  const query = new URLSearchParams({
    realm: linkUrl(request.baseUrl),
    email: account.email,
    user_id: String(account.userId),
    otp_encrypted_api_key: Buffer.from(encryptedKey).toString("hex"),
  });
  return new RawReply(302, { location: `zulip://login?${query}`, "cache-control": "private, no-store" });
}

/** How long people have to paste the code into the app. */
const tokenSeconds = 300;

/** A token that is good for the account's key, once. 1 write unit. */
async function newSignInToken({ userId, email, keyHash }: Account): Promise<string> {
  const token = newLinkToken();
  const expiresAt = nowSeconds() + tokenSeconds;
  await transact([
    createLinkToken({ hash: hashLinkToken(token), grant: { kind: "sign-in", userId, email, keyHash }, expiresAt }),
  ]);
  return token;
}

/**
 * The desktop app watches the clipboard for what it can decrypt with its key: an initialization vector of 12 bytes, the token
 * encrypted by AES-256-GCM, and the tag of 16 bytes, as hexadecimal digits.
 */
function showDesktopCode(token: string, otp: string, realm: Realm): Promise<RawReply> {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(otp, "hex"), iv);
  const code = Buffer.concat([iv, cipher.update(token), cipher.final(), cipher.getAuthTag()]).toString("hex");
  return page(
    200,
    `Sign in to ${realm.name}`,
    html`<h1>Back to the app</h1><p>Copy this code. The app that you came from notices it and signs you in; it works once, for five minutes.</p><label>Code<input name="code" readonly value="${code}"></label><button type="button" class="primary" data-copies="code" hidden>Copy the code</button><p class="quiet small">If you did not begin in the app yourself, do not give the code to anybody.</p>`,
  );
}
