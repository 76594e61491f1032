import { createECDH, type ECDH } from "node:crypto";
import { encrypt } from "http_ece";
import type { Browser } from "../../store/delivery/browsers.ts";
import { curve } from "./rules.ts";

/** Message encryption for Web Push (RFC 8291): only the browser can read a notification, its push service cannot. */

/** Encrypts for a browser (`aes128gcm`), with a new key and salt unless a test gives them. */
export function encryptFor(
  { p256dh, auth }: Pick<Browser, "p256dh" | "auth">,
  content: string,
  { sender = newKey(), salt }: { sender?: ECDH; salt?: Buffer } = {},
): Buffer {
  const parameters = { version: "aes128gcm" as const, privateKey: sender, dh: p256dh, authSecret: auth };
  return encrypt(Buffer.from(content, "utf8"), { ...parameters, ...(salt && { salt }) });
}

function newKey(): ECDH {
  const key = createECDH(curve);
  key.generateKeys();
  return key;
}
