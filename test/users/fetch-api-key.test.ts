import { randomBytes, scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { withConsistentReads } from "../../shared/store/table/consistency.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../shared/store/users/accounts.ts";
import { aPerson, call } from "../support/world.ts";

const password = "a-rose-by-any-other";

test("a login with the password returns a key, which authenticates other requests", async () => {
  const juliet = await aPerson("Juliet", { password });

  const { body } = await call("POST", "/fetch_api_key", { username: juliet.email.toUpperCase(), password });

  const key = expect.stringMatching(/^[A-Za-z0-9]{32}$/);
  expect(body).toEqual({ result: "success", msg: "", api_key: key, email: juliet.email, user_id: juliet.id });
  const listed = await call(
    "GET",
    "/scheduled_messages",
    {},
    { credentials: { email: juliet.email, apiKey: body.api_key } },
  );
  expect(listed.status).toBe(200);
});

test("a password that a former version hashed signs in, and is hashed anew", async () => {
  const juliet = await aPerson("Juliet", { password });
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
  const passwordHash = `scrypt$${salt.toString("base64")}$${key.toString("base64")}`;
  await transact([updateAccount(juliet.email, { set: { passwordHash } })]);

  const signIn = async (tried: string) =>
    (await call("POST", "/fetch_api_key", { username: juliet.email, password: tried })).status;
  const storedHash = async () => (await withConsistentReads(() => findAccount(juliet.email)))?.passwordHash;
  expect(await signIn("a-thorn")).toBe(401);
  expect(await storedHash()).toBe(passwordHash);
  // A sign-in may read the account as it was before.
  await expect
    .poll(async () => {
      expect(await signIn(password)).toBe(200);
      return storedHash();
    })
    .toMatch(/^argon2id\$/);
  expect([await signIn(password), await signIn("a-thorn")]).toEqual([200, 401]);
});

test("a wrong password, an unknown user and a user without a password get the same error", async () => {
  const [juliet, nurse] = [await aPerson("Juliet", { password }), await aPerson("Nurse")];

  const replies = await Promise.all([
    call("POST", "/fetch_api_key", { username: juliet.email, password: "a-thorn" }),
    call("POST", "/fetch_api_key", { username: "tybalt@globe.test", password }),
    call("POST", "/fetch_api_key", { username: nurse.email, password }),
  ]);

  for (const { status, body } of replies) {
    expect(status).toBe(401);
    expect(body).toEqual({
      result: "error",
      code: "AUTHENTICATION_FAILED",
      msg: "Your username or password is incorrect",
    });
  }
});

test("a deactivated user gets the specific error only with the right password", async () => {
  const juliet = await aPerson("Juliet", { password });
  await transact([updateAccount(juliet.email, { set: { active: false } })]);

  const right = await call("POST", "/fetch_api_key", { username: juliet.email, password });
  const wrong = await call("POST", "/fetch_api_key", { username: juliet.email, password: "a-thorn" });

  expect(right).toMatchObject({ status: 401, body: { code: "USER_DEACTIVATED", msg: "Account is deactivated" } });
  expect(wrong).toMatchObject({ status: 401, body: { code: "AUTHENTICATION_FAILED" } });
});

test.each([
  ["username", { password: "x" }],
  ["password", { username: "juliet@globe.test" }],
])("refuses a login without %s", async (name, params) => {
  const reply = await call("POST", "/fetch_api_key", params);

  expect(reply).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: name, msg: `Missing '${name}' argument` },
  });
});

test("refuses a username that is not an address or too long", async () => {
  expect(await call("POST", "/fetch_api_key", { username: "juliet", password })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST" },
  });
  expect(await call("POST", "/fetch_api_key", { username: "j".repeat(300), password })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "username is too long (limit: 254 characters)" },
  });
});

test("an API key derived from a former secret works until its owner asks for it", async () => {
  const juliet = await aPerson("Juliet", { password });
  const signIn = async () => (await call("POST", "/fetch_api_key", { username: juliet.email, password })).body.api_key;
  const former = await signIn();
  // Simulates a replaced secret: the derived key does not match the stored hash.
  await transact([updateAccount(juliet.email, { set: { keySalt: "of another secret" } })]);
  const optionsWith = (apiKey: string) => ({ credentials: { email: juliet.email, apiKey } });
  const keyShown = async (apiKey: string) =>
    (await call("POST", "/users/me/api_key", { password }, optionsWith(apiKey))).body.api_key;
  expect((await juliet.call("GET", "/users/me")).status).toBe(200);

  const key = await keyShown(former);

  expect(key).not.toBe(juliet.apiKey);
  expect((await call("GET", "/users/me", {}, optionsWith(key))).status).toBe(200);
  expect((await juliet.call("GET", "/users/me")).status).toBe(401);
  expect(await keyShown(key)).toBe(key);
});

test("a JSON web token of another service gets no key, whatever it says", async () => {
  for (const params of [{ token: "a.b.c", include_profile: true }, {}])
    expect(await call("POST", "/jwt/fetch_api_key", params)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "JWT authentication is not enabled for this organization" },
    });
});
