import { createHash, hkdfSync } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";

/** The codes of a second factor: those that an authenticator app makes from a shared secret and the time, and recovery codes. */

/** On demand: most sign-ins have no code. */
const loadOtpauth = () => import("otpauth");

/** How many steps of 30 seconds before and after the present one a code is accepted, for clocks that differ. */
const window = 1;

/** The app's side of RFC 6238, with what every authenticator app supports: SHA-1, six digits, 30 seconds. */
async function totpOf(salt: string, shown: { issuer: string; label: string } = { issuer: "", label: "" }) {
  const { Secret, TOTP } = await loadOtpauth();
  const secret = hkdfSync("sha256", await fleetSecret(), salt, "skein one-time codes", 20);
  return new TOTP({ ...shown, secret: new Secret({ buffer: secret }) });
}

/** What an authenticator app is set up with: the secret, and the address that its QR code has. */
export async function secretFor(
  salt: string,
  shown: { issuer: string; label: string },
): Promise<{ secret: string; otpauth_url: string }> {
  const totp = await totpOf(salt, shown);
  return { secret: totp.secret.base32, otpauth_url: totp.toString() };
}

/** The time step whose code this is, if it is near the present one. Compares in constant time. */
export async function stepOf(salt: string, code: string, timestamp = Date.now()): Promise<number | undefined> {
  const totp = await totpOf(salt);
  const delta = totp.validate({ token: code, timestamp, window });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** A code without the spaces and hyphens with which people type it. */
export const normalizedCode = (text: string): string => text.replace(/[\s-]/g, "").toUpperCase();

const recoveryCodeCount = 10;

/** New recovery codes, such as "ABCD-EFGH-IJKL-MNOP", and the hashes that are stored. */
export async function newRecoveryCodes(): Promise<{ codes: string[]; hashes: Set<string> }> {
  const { Secret } = await loadOtpauth();
  const codes = Array.from({ length: recoveryCodeCount }, () => new Secret({ size: 10 }).base32);
  return {
    codes: codes.map((code) => code.replace(/(.{4})(?=.)/g, "$1-")),
    hashes: new Set(codes.map(hashRecoveryCode)),
  };
}

/** A code has 80 bits of entropy, so a fast hash without a salt suffices. It outlives a replacement of the deployment's secret. */
export const hashRecoveryCode = (code: string): string => createHash("sha256").update(code).digest("hex");
