import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("RFC 6238's vector of second %i", (seconds, code) => {
  const totp = new TOTP({ secret: Secret.fromUTF8("12345678901234567890"), digits: 8 });

  expect(totp.generate({ timestamp: seconds * 1000 })).toBe(code);
  expect(totp.validate({ token: code, timestamp: seconds * 1000, window: 1 })).toBe(0);
});
