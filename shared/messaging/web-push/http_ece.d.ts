declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  interface Parameters {
    version: "aes128gcm";
    /** The sender's key when encrypting, the receiver's when decrypting. */
    privateKey: ECDH;
    /** Only for encrypting: the receiver's public key, in base64url. */
    dh?: string;
    /** In base64url. */
    authSecret: string;
    /** Only for encrypting; absent: random. */
    salt?: Buffer;
  }
  export function encrypt(content: Buffer, parameters: Parameters): Buffer;
  export function decrypt(content: Buffer, parameters: Parameters): Buffer;
}
