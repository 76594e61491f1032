import nacl from "tweetnacl";
import { expect, test } from "vitest";
import { seal } from "../../shared/messaging/mobile-push/seal.ts";
import { unseal } from "../support/outside/bouncer-stand-in.ts";

test("a sealed box opens only with its recipient's private key, and two boxes of one text differ", () => {
  const keys = nacl.box.keyPair();
  const publicKey = Buffer.from(keys.publicKey).toString("base64");

  const [box, otherBox] = [seal("Grüße ✓", publicKey), seal("Grüße ✓", publicKey)];

  expect(unseal(box, keys)).toBe("Grüße ✓");
  expect(unseal(otherBox, keys)).toBe("Grüße ✓");
  expect(box).not.toBe(otherBox);
  expect(unseal(box, nacl.box.keyPair())).toBeUndefined();
});

test("the tests' own decryption opens a box that libsodium sealed", () => {
  const keys = nacl.box.keyPair.fromSecretKey(new Uint8Array(32).map((_, index) => index + 1));
  const sealed = "3vfiuHnMbL3x/vcqgWRrY9iZW/eUMKnQ9AlSwgWPvVIfoo+kYbQBttPIjUb4DUkHzVezmWUNgi8BxNN1t5v9";

  expect(unseal(sealed, keys)).toBe('{"type":"test"}');
});
