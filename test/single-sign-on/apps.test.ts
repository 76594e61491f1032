import { createDecipheriv, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { open } from "../support/accounts.ts";
import { withSettings } from "../support/organization.ts";
import {
  aSubject,
  beginSignIn,
  cookieIn,
  finishSignIn,
  lyingCallback,
  signInAs,
  signInAtAcme,
} from "../support/outside/identity-providers.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** Signing in to the apps, by clients of ours that decrypt as the apps do. */

const anOtp = () => randomBytes(32).toString("hex");

/** What Zulip's mobile app does with the address that it is opened by. */
function openMobileApp(location: string, otp: string) {
  const url = new URL(location);
  const encrypted = Buffer.from(url.searchParams.get("otp_encrypted_api_key") ?? "", "hex");
  const pad = Buffer.from(otp, "hex");
  return {
    address: `${url.protocol}//${url.host}`,
    realm: url.searchParams.get("realm"),
    email: url.searchParams.get("email"),
    userId: Number(url.searchParams.get("user_id")),
    apiKey: Buffer.from(encrypted.map((byte, index) => byte ^ (pad[index] ?? 0))).toString(),
  };
}

/** What Zulip's desktop app does with what is copied. */
function pasteIntoDesktopApp(code: string, otp: string): string {
  const data = Buffer.from(code, "hex");
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(otp, "hex"), data.subarray(0, 12));
  decipher.setAuthTag(data.subarray(-16));
  return Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]).toString();
}

const signInToDesktop = async (person: Person, otp: string, sub = aSubject()) => {
  const begun = await beginSignIn("forge", `?desktop_flow_otp=${otp}`);
  const claims = { sub, email: person.email, email_verified: true };
  return finishSignIn(begun, lyingCallback(begun, claims));
};
const codeIn = (reply: { bytes: Buffer }) =>
  /name="code" readonly value="([0-9a-f]+)"/.exec(reply.bytes.toString())?.[1];

test("the mobile app is opened with the key, which only its one-time pad decrypts", async () => {
  const [viola, otp] = [await aPerson("Viola"), anOtp()];
  const begun = await beginSignIn("acme", `?mobile_flow_otp=${otp}`);

  const reply = await finishSignIn(
    begun,
    await signInAtAcme(begun, { sub: aSubject(), email: viola.email, name: "Viola" }),
  );

  const { realm_url } = (await call("GET", "/server_settings")).body;
  expect([reply.status, cookieIn(reply)]).toEqual([302, "skein_sign_in="]);
  const opened = openMobileApp(String(reply.headers.location), otp);
  expect(opened).toEqual({
    address: "zulip://login",
    realm: expect.stringMatching(/^https?:\/\//),
    email: viola.email,
    userId: viola.id,
    apiKey: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
  });
  const credentials = { email: viola.email, apiKey: opened.apiKey };
  const [device] = (await call("GET", "/users/me/devices", {}, { credentials })).body.devices;
  expect(device).toMatchObject({ client: "Zulip for phones", is_current: true });
  expect(realm_url).toMatch(/^https?:\/\//);
  expect(`${reply.bytes}${reply.headers.location}`).not.toContain(opened.apiKey);
});

describe("the desktop app", () => {
  test("gets a token from the code that is pasted, and for it the key, once", async () => {
    const [viola, otp] = [await aPerson("Viola"), anOtp()];
    const code = codeIn(await signInToDesktop(viola, otp)) ?? "";

    const token = pasteIntoDesktopApp(code, otp);
    const replies = await Promise.all([
      call("POST", "/token/fetch_api_key", { token }),
      call("POST", "/token/fetch_api_key", { token }),
    ]);
    const later = await call("POST", "/token/fetch_api_key", { token });

    const [first, second] = replies.sort((a, b) => a.status - b.status);
    expect(first?.body).toMatchObject({ api_key: expect.any(String), email: viola.email, user_id: viola.id });
    for (const reply of [second, later])
      expect(reply?.body).toMatchObject({ code: "BAD_REQUEST", msg: expect.stringContaining("used already") });
    expect(() => pasteIntoDesktopApp(code, anOtp())).toThrow();
  });

  test("gets nothing for somebody who was deactivated before the code was pasted", async () => {
    const [owner, gone, otp] = [await aPerson("Olivia", { role: "owner" }), await aPerson("Gone"), anOtp()];
    const token = pasteIntoDesktopApp(codeIn(await signInToDesktop(gone, otp)) ?? "", otp);
    await owner.do("DELETE", `/users/${gone.id}`);

    expect((await call("POST", "/token/fetch_api_key", { token })).body.code).toBe("USER_DEACTIVATED");
  });

  test("cannot use the token of another link", async () => {
    for (const token of ["", "x", "a".repeat(43)])
      expect((await call("POST", "/token/fetch_api_key", { token })).status).toBe(400);
  });
});

test("where sessions end, those of the apps do", async () => {
  const [viola, otp, sub] = [await aPerson("Viola"), anOtp(), aSubject()];
  const claims = { sub, email: viola.email, email_verified: true };
  const isSignedIn = async (apiKey: string) =>
    (await call("GET", "/users/me", {}, { credentials: { email: viola.email, apiKey } })).status === 200;

  const keys = await withSettings({ session_age_limit_seconds: 3600 }, async () => {
    const begun = await beginSignIn("forge", `?mobile_flow_otp=${otp}`);
    const reply = await finishSignIn(begun, lyingCallback(begun, claims));
    const code = codeIn(await signInToDesktop(viola, otp, sub)) ?? "";
    const token = pasteIntoDesktopApp(code, otp);
    const { body } = await call("POST", "/token/fetch_api_key", { token });
    return [openMobileApp(String(reply.headers.location), otp).apiKey, body.api_key];
  });

  expect(new Set([...keys, viola.apiKey]).size).toBe(3);
  expect(await Promise.all(keys.map(isSignedIn))).toEqual([true, true]);
  await viola.do("POST", "/users/me/api_key/regenerate");
  expect(await Promise.all(keys.map(isSignedIn))).toEqual([false, false]);
});

test("one-time pads of another form are refused, and so are two at once", async () => {
  const otp = anOtp();
  const queries = [
    `mobile_flow_otp=${otp.slice(1)}`,
    `mobile_flow_otp=${otp}00`,
    `desktop_flow_otp=${"z".repeat(64)}`,
    "mobile_flow_otp=",
    `mobile_flow_otp=${otp}&desktop_flow_otp=${otp}`,
  ];

  for (const query of queries) expect([query, (await open(`/sign-in/acme?${query}`)).status]).toEqual([query, 400]);
});

describe("GitHub", () => {
  const at = async (user: object, emails: object[]) => {
    const begun = await beginSignIn("hub");
    const callback = lyingCallback(begun, {}, { userInfo: { user, emails } });
    callback.delete("iss");
    return finishSignIn(begun, callback);
  };
  const email = (address: string, facts: { primary?: boolean; verified?: boolean } = {}) => ({
    ...{ email: address, primary: false, verified: true, visibility: null },
    ...facts,
  });
  let lastId = Date.now();
  const anId = () => lastId++;

  test("signs people in by the first of their verified addresses, and later by their number", async () => {
    const [viola, id] = [await aPerson("Viola"), anId()];

    const first = await at({ id, login: "viola", name: null }, [
      email("1+viola@users.noreply.github.com", { primary: true }),
      email("unverified@example.com", { verified: false }),
      email(viola.email),
    ]);
    const second = await at({ id, login: "renamed", name: "V" }, [email("new@example.com", { primary: true })]);

    for (const reply of [first, second]) expect(reply.bytes.toString()).toContain(`data-email="${viola.email}"`);
  });

  test("links no address that is not verified, and nothing of a broken reply", async () => {
    const victim = await aPerson("Victim");
    const user = { id: anId(), login: "attacker" };

    const unverified = await at(user, [email(victim.email, { primary: true, verified: false })]);
    const replies = [
      await at({ login: "nobody" }, [email(victim.email, { primary: true })]),
      await at(user, [{ email: victim.email, verified: "true", primary: true }]),
    ];

    expect(unverified.bytes.toString()).toContain("does not say that it has verified");
    for (const reply of replies) expect(reply.bytes.toString()).toContain("cannot be trusted or understood");
  });

  test("is listed among the ways to sign in", async () => {
    const { body } = await call("GET", "/server_settings");

    expect(body.authentication_methods).toMatchObject({ github: true, "openid connect": true });
    expect(body.external_authentication_methods).toContainEqual(
      expect.objectContaining({ name: "github:hub", login_url: "/sign-in/hub" }),
    );
  });
});

test("an identity at GitHub does not open the account of another at a provider with the same number", async () => {
  const [person, sub] = [await aPerson("Person"), aSubject()];
  await signInAs("forge", { sub, email: person.email, email_verified: true });

  const begun = await beginSignIn("hub");
  const callback = lyingCallback(
    begun,
    {},
    { userInfo: { user: { id: 7, login: "x" }, emails: [{ email: person.email, primary: true, verified: true }] } },
  );
  callback.delete("iss");

  expect((await finishSignIn(begun, callback)).bytes.toString()).toContain("belongs to another identity");
});
