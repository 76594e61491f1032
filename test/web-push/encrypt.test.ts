import { createECDH } from "node:crypto";
import { decrypt } from "http_ece";
import { expect, test } from "vitest";
import { encryptFor } from "../../shared/messaging/web-push/encrypt.ts";
import { openVapid } from "../support/outside/push-service.ts";

/** The published examples of the RFCs. */

const bytes = (text: string) => Buffer.from(text, "base64url");

// https://www.rfc-editor.org/rfc/rfc8291#appendix-A
const browser = {
  privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};
const text = "When I grow up, I want to be a watermelon";

function keyOf(privateKey: string) {
  const key = createECDH("prime256v1");
  key.setPrivateKey(bytes(privateKey));
  return key;
}

test("a notification is encrypted as in the example of RFC 8291", () => {
  const sender = keyOf("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");

  const encrypted = encryptFor(browser, text, { sender, salt: bytes("DGv6ra1nlYgDCS1FRnbzlw") });

  expect(encrypted.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("two notifications of one text differ, and only the browser's key opens them", () => {
  const [first, second] = [encryptFor(browser, text), encryptFor(browser, text)];
  const open = (privateKey: ReturnType<typeof createECDH>) =>
    decrypt(first, { version: "aes128gcm", privateKey, authSecret: browser.auth }).toString("utf8");
  const stranger = createECDH("prime256v1");
  stranger.generateKeys();

  expect(first.equals(second)).toBe(false);
  expect(open(keyOf(browser.privateKey))).toBe(text);
  expect(() => open(stranger)).toThrow();
});

test("the tests' push service accepts the example of RFC 8292, and refuses a changed one", async () => {
  // https://www.rfc-editor.org/rfc/rfc8292#section-2.4
  const [header, claims, signature] = [
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9",
    "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0",
    "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA",
  ];
  const key = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";
  const at = new Date(1_453_500_000_000);

  const opened = await openVapid(`vapid t=${header}.${claims}.${signature}, k=${key}`, at);

  expect(opened.claims).toEqual({
    aud: "https://push.example.net",
    exp: 1_453_523_768,
    sub: "mailto:push@example.com",
  });
  const otherClaims = Buffer.from('{"aud":"https://evil.example"}').toString("base64url");
  await expect(openVapid(`vapid t=${header}.${otherClaims}.${signature}, k=${key}`, at)).rejects.toThrow();
});
