import { ECDH } from "node:crypto";
import { badRequest } from "../../base/errors.ts";
import type { Browser } from "../../store/delivery/browsers.ts";

/** The curve P-256, by its name in OpenSSL. */
export const curve = "prime256v1";
const maxEndpointLength = 2000;
const authBytes = 16;

/**
 * Refuses what is no subscription, with a 400. The address is only checked when a notification is sent, because a name may
 * resolve to another one each time. Plain http is for this machine alone, which `SKEIN_OUTGOING_ALLOW` must allow besides.
 */
export function checkSubscription({ endpoint, p256dh, auth }: Pick<Browser, "endpoint" | "p256dh" | "auth">): void {
  const url = endpoint.length <= maxEndpointLength && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "127.0.0.1");
  if (!url || !isSecure || url.username !== "" || url.password !== "") throw badRequest("Invalid endpoint");
  if (!isPublicKey(p256dh)) throw badRequest("Invalid p256dh");
  if (!isBase64Url(auth) || Buffer.from(auth, "base64url").length !== authBytes) throw badRequest("Invalid auth");
}

const isBase64Url = (text: string) => Buffer.from(text, "base64url").toString("base64url") === text;

/** Whether a text is an uncompressed point of the curve. */
function isPublicKey(text: string): boolean {
  if (!isBase64Url(text) || text.length !== 87) return false;
  try {
    return ECDH.convertKey(text, curve, "base64url", "base64url", "uncompressed") === text;
  } catch {
    return false;
  }
}
