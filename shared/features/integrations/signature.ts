import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether `given` is the HMAC of a text or of bytes, after `prefix`; compares in constant time. */
export function isHmac(
  given: string | undefined,
  secret: string,
  signed: string | Buffer,
  {
    algorithm = "sha256",
    encoding = "hex",
    prefix = "",
  }: { algorithm?: "sha1" | "sha256"; encoding?: "hex" | "base64"; prefix?: string } = {},
): boolean {
  return isSame(given, prefix + createHmac(algorithm, secret).update(signed).digest(encoding));
}

/** Compares a secret that a service sends as it is, in constant time for equal lengths. */
export function isSame(given: string | undefined, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** How old a signed time may be, so that a recorded request cannot be sent again later. */
const maxAgeSeconds = 300;

/** Whether a signed time, in UNIX seconds, is recent. */
export const isRecent = (timestamp: string | undefined): boolean =>
  Math.abs(Date.now() / 1000 - Number(timestamp ?? Number.NaN)) <= maxAgeSeconds;
