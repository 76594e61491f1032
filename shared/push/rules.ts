import { badRequest } from "../errors.ts";
import { publicKeyLength } from "./seal.ts";

/** RFC 4648, section 4: the standard alphabet, padded. */
const isBase64 = (text: string) =>
  text !== "" && /^[A-Za-z0-9+/]*={0,2}$/.test(text) && Buffer.from(text, "base64").toString("base64") === text;

/** Refuses a key or a registration that nobody could use (4.9); the rest is for the bouncer to judge. */
export function checkRegistration(publicKey: string, encryptedRegistration: string): void {
  if (!isBase64(publicKey) || Buffer.from(publicKey, "base64").length !== publicKeyLength)
    throw badRequest("Invalid push_public_key");
  if (!isBase64(encryptedRegistration)) throw badRequest("Invalid encrypted_push_registration");
}

/** Refuses what cannot be a device's token (companion reference, B 4.10). */
export function checkToken(token: string, kind: "fcm" | "apns"): void {
  if (token === "" || token.length > 4096) throw badRequest("Empty or invalid length token");
  if (kind === "apns" && !/^([0-9a-fA-F]{2})+$/.test(token)) throw badRequest("Invalid APNS token");
}

export function checkAppId(appId: string): void {
  if (!/^[.a-zA-Z0-9-]{1,255}$/.test(appId)) throw badRequest("appid has invalid characters");
}
