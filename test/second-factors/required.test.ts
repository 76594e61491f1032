import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { linkMailedTo, submit } from "../support/accounts.ts";
import { withSettings } from "../support/organization.ts";
import { aSubject, signInAs } from "../support/outside/identity-providers.ts";
import { aBot } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** Owners require a second factor of everybody who signs in by password, from a day on. */

const password = "a-rose-by-any-other";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const now = () => Math.floor(Date.now() / 1000);
const required = <T>(act: () => Promise<T>, from = now() - 60) =>
  withSettings({ second_factor_required_from: from }, act);

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
const byPassword = ({ email }: Person) =>
  call("POST", "/fetch_api_key", { username: email, password }, { client: firefox });
const byCode = ({ email }: Person, second_factor_token: string, code: string) =>
  call("POST", "/second_factor/fetch_api_key", { username: email, second_factor_token, code }, { client: firefox });

test("from then on, whoever has none sets one up at the sign-in, before anything else", async () => {
  const portia = await aPerson("Portia", { password });
  await required(async () => {
    const { status, body } = await byPassword(portia);

    expect([status, body.code, body.api_key]).toEqual([401, "SECOND_FACTOR_NOT_SET_UP", undefined]);
    expect(body.msg).toContain("app password");
    expect(await byCode(portia, body.second_factor_token, "000000")).toMatchObject({ status: 401 });
    expect((await findAccount(portia.email))?.secondFactor).toBeUndefined();
    const signedIn = await byCode(portia, body.second_factor_token, codeOf(body.secret));
    expect([signedIn.status, signedIn.body.recovery_codes.length]).toEqual([200, 10]);
    const credentials = { email: portia.email, apiKey: signedIn.body.api_key };
    expect((await call("GET", "/users/me", {}, { credentials })).status).toBe(200);
    // Neither the token nor the code works again.
    expect((await byCode(portia, body.second_factor_token, codeOf(body.secret))).status).toBe(401);

    const next = await byPassword(portia);
    expect(next.body.code).toBe("SECOND_FACTOR_REQUIRED");
    const [code] = signedIn.body.recovery_codes;
    const again = await byCode(portia, next.body.second_factor_token, code);
    expect([again.status, again.body.recovery_codes]).toEqual([200, undefined]);
  });
});

test("before that time nothing changes, and devices, API keys, app passwords and bots go on", async () => {
  const portia = await aPerson("Portia", { password });
  await required(async () => expect((await byPassword(portia)).status).toBe(200), now() + 3600);
  const robot = await aBot(portia);
  const { app_password } = await portia.do("POST", "/users/me/app_passwords", { name: "Terminal", password });

  await required(async () => {
    const byAppPassword = await call("POST", "/fetch_api_key", { username: portia.email, password: app_password });

    expect([byAppPassword.status, byAppPassword.body.api_key]).toEqual([200, app_password]);
    for (const person of [portia, robot]) expect((await person.call("GET", "/users/me")).status).toBe(200);
  });
});

test("a sign-in by a provider goes on, whose own second factor counts", async () => {
  const viola = await aPerson("Viola");

  const { status } = await required(() =>
    signInAs("forge", { sub: aSubject(), email: viola.email, email_verified: true }),
  );

  expect(status).toBe(200);
});

test("a password reset signs in nobody who must set one up", async () => {
  const portia = await aPerson("Portia", { password });
  const admin = await aPerson("Balthasar", { role: "administrator" });
  await admin.do("POST", `/users/${portia.id}/password_reset`);
  const path = await linkMailedTo(portia.email, "password");

  const { bytes } = await required(() => submit(path, { password: "the-quality-of-mercy" }));

  expect(bytes.toString()).toContain("Your new password is set");
  expect(bytes.toString()).not.toContain("data-key");
});

test("only owners change it, to a time or nothing, and clients learn of it", async () => {
  const [owner, admin] = [
    await aPerson("Duke", { role: "owner" }),
    await aPerson("Gratiano", { role: "administrator" }),
  ];
  const set = (who: Person, value: unknown) => who.call("PATCH", "/realm", { second_factor_required_from: value });
  const state = async () => await admin.do("POST", "/register", { fetch_event_types: ["realm"], event_types: [] });

  expect((await set(admin, now())).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  for (const value of [0, -1, "soon", 10 ** 12]) expect((await set(owner, value)).status).toBe(400);
  const later = now() + 7 * 86_400;
  expect((await set(owner, later)).status).toBe(200);
  expect((await state()).realm_second_factor_required_from).toBe(later);
  expect((await set(owner, null)).status).toBe(200);
  expect((await state()).realm_second_factor_required_from).toBeNull();
  const { records } = await owner.do("GET", "/realm/audit_log", { acting_user_id: owner.id });
  expect(records[0]).toMatchObject({
    type: "organization_changed",
    before: { second_factor_required_from: later },
    after: { second_factor_required_from: null },
  });
});
