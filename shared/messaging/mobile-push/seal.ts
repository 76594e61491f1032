import { blake2b } from "blakejs";
import nacl from "tweetnacl";

/** NaCl sealed boxes: anonymous public-key encryption. */

/** Bytes of an X25519 public key. */
export const publicKeyLength = nacl.box.publicKeyLength;

/** Encrypts a string for a public key (both base64), compatible with libsodium's crypto_box_seal. */
export function seal(text: string, publicKey: string): string {
  const recipient = new Uint8Array(Buffer.from(publicKey, "base64"));
  const ephemeral = nacl.box.keyPair();
  const nonce = blake2b(Buffer.concat([ephemeral.publicKey, recipient]), undefined, nacl.box.nonceLength);
  const box = nacl.box(new Uint8Array(Buffer.from(text, "utf8")), nonce, recipient, ephemeral.secretKey);
  return Buffer.concat([ephemeral.publicKey, box]).toString("base64");
}
