import nacl from "tweetnacl";
import { expect, test } from "vitest";
import { seal } from "../../shared/mobile-push/seal.ts";
import { unsealed } from "../support/outside/bouncer-stand-in.ts";

test("a box opens with its recipient's private key, and no two are the same", () => {
  const keys = nacl.box.keyPair();
  const publicKey = Buffer.from(keys.publicKey).toString("base64");

  const [one, two] = [seal("Grüße ✓", publicKey), seal("Grüße ✓", publicKey)];

  expect(unsealed(one, keys)).toBe("Grüße ✓");
  expect(unsealed(two, keys)).toBe("Grüße ✓");
  expect(one).not.toBe(two);
  expect(unsealed(one, nacl.box.keyPair())).toBeUndefined();
});

test("the tests' own decryption opens a box of libsodium", () => {
  const keys = nacl.box.keyPair.fromSecretKey(new Uint8Array(32).map((_, index) => index + 1));
  const sealed = "3vfiuHnMbL3x/vcqgWRrY9iZW/eUMKnQ9AlSwgWPvVIfoo+kYbQBttPIjUb4DUkHzVezmWUNgi8BxNN1t5v9";

  expect(unsealed(sealed, keys)).toBe('{"type":"test"}');
});
