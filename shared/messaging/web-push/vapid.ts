import { createECDH, hkdfSync } from "node:crypto";
import { importJWK, SignJWT } from "jose";
import { fleetSecret } from "../../base/aws/secret.ts";
import { serverUrl } from "../../base/environment.ts";
import { nowSeconds } from "../../base/time.ts";
import { curve } from "./rules.ts";

/**
 * How push services recognize this server (VAPID, RFC 8292). The key pair is derived from the fleet's secret, so that it exists
 * since the first deployment, and is the same for each function. With another secret, browsers must subscribe again.
 */

/** The order of the group of P-256 (NIST SP 800-186). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The private key, 1 to `order` - 1. Of 48 bytes, each is equally likely but for 2^-128 (FIPS 186-5, A.2.1). Deterministic. */
function derivePrivateKey(secret: string): Buffer {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", "skein web push", 48));
  const scalar = (BigInt(`0x${bytes.toString("hex")}`) % (order - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
}

async function fleetKey() {
  const key = createECDH(curve);
  key.setPrivateKey(derivePrivateKey(await fleetSecret()));
  return { publicKey: key.getPublicKey(), privateKey: key.getPrivateKey() };
}

/** The public key that browsers name when they subscribe: an uncompressed point in base64url. */
export const applicationServerKey = async (): Promise<string> => (await fleetKey()).publicKey.toString("base64url");

/** Push services accept at most 24 hours. */
const lifetimeSeconds = 12 * 3600;

/** The Authorization header of a request to a push service. */
export async function vapidAuthorization(endpoint: string): Promise<string> {
  const { publicKey, privateKey } = await fleetKey();
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: publicKey.subarray(1, 33).toString("base64url"),
    y: publicKey.subarray(33).toString("base64url"),
    d: privateKey.toString("base64url"),
  };
  const token = new SignJWT({ aud: new URL(endpoint).origin, exp: nowSeconds() + lifetimeSeconds });
  // Where the operator is found; it must be an https or mailto URL.
  const url = serverUrl();
  if (url.startsWith("https:")) token.setSubject(url);
  const jwt = await token.setProtectedHeader({ typ: "JWT", alg: "ES256" }).sign(await importJWK(jwk, "ES256"));
  return `vapid t=${jwt}, k=${publicKey.toString("base64url")}`;
}
