import { blake2b } from "blakejs";
import nacl from "tweetnacl";

/** NaCl's sealed boxes: whoever holds the private key can read, nobody can tell who wrote. */

/** Bytes of an X25519 public key. */
export const publicKeyLength = nacl.box.publicKeyLength;

/** Seals a text for the holder of a public key (base64); the box in base64. As libsodium's crypto_box_seal. */
export function seal(text: string, publicKey: string): string {
  const recipient = new Uint8Array(Buffer.from(publicKey, "base64"));
  const ephemeral = nacl.box.keyPair();
  const nonce = blake2b(Buffer.concat([ephemeral.publicKey, recipient]), undefined, nacl.box.nonceLength);
  const box = nacl.box(new Uint8Array(Buffer.from(text, "utf8")), nonce, recipient, ephemeral.secretKey);
  return Buffer.concat([ephemeral.publicKey, box]).toString("base64");
}
