import { badRequest } from "../../base/errors.ts";
import { publicKeyLength } from "./seal.ts";

/** RFC 4648, section 4: the standard alphabet, padded. */
const isBase64 = (text: string) =>
  text !== "" && /^[A-Za-z0-9+/]*={0,2}$/.test(text) && Buffer.from(text, "base64").toString("base64") === text;

/** Refuses malformed keys and registrations; the bouncer, which can decrypt the registration, checks its content. */
export function checkRegistration(publicKey: string, encryptedRegistration: string): void {
  if (!isBase64(publicKey) || Buffer.from(publicKey, "base64").length !== publicKeyLength)
    throw badRequest("Invalid push_public_key");
  if (!isBase64(encryptedRegistration)) throw badRequest("Invalid encrypted_push_registration");
}

/** Refuses malformed device tokens. See https://zulip.com/api/add-fcm-token. */
export function checkToken(token: string, kind: "fcm" | "apns"): void {
  if (token === "" || token.length > 4096) throw badRequest("Empty or invalid length token");
  if (kind === "apns" && !/^([0-9a-fA-F]{2})+$/.test(token)) throw badRequest("Invalid APNS token");
}

export function checkAppId(appId: string): void {
  if (!/^[.a-zA-Z0-9-]{1,255}$/.test(appId)) throw badRequest("appid has invalid characters");
}
