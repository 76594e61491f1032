import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { authenticationFailed } from "../../shared/base/errors.ts";
import { throttle } from "../../shared/core/users/throttle.ts";
import { linkMailedTo, submit } from "../support/accounts.ts";
import type { CallOptions } from "../support/http.ts";
import { anAddress } from "../support/people.ts";
import { aPerson, call, localTest } from "../support/world.ts";

const password = "a-rose-by-any-other";
const login = (username: string, guess: string, options: CallOptions = {}) =>
  call("POST", "/fetch_api_key", { username, password: guess }, options);

test("after five wrong passwords for an account, further attempts from the same IP address are refused for a while", async () => {
  const juliet = await aPerson("Juliet", { password });

  const guesses = [];
  for (let guess = 1; guess <= 5; guess++) guesses.push(await login(juliet.email, `guess ${guess}`));
  const sixth = await login(juliet.email.toUpperCase(), password);

  expect(guesses.map(({ status, body }) => [status, body.code])).toEqual(
    Array.from({ length: 5 }, () => [401, "AUTHENTICATION_FAILED"]),
  );
  expect(guesses.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["4", "3", "2", "1", "0"]);
  expect(sixth.status).toBe(429);
  expect(sixth.body).toEqual({
    result: "error",
    code: "RATE_LIMIT_HIT",
    msg: "API usage exceeded rate limit",
    "retry-after": expect.any(Number),
  });
  expect(sixth.body["retry-after"]).toBeGreaterThan(0);
  expect(sixth.body["retry-after"]).toBeLessThanOrEqual(1800);
  expect(Number(sixth.headers["retry-after"])).toBe(Math.ceil(sixth.body["retry-after"]));
});

test("concurrent attempts are all counted", async () => {
  const juliet = await aPerson("Juliet", { password });

  const replies = await Promise.all(Array.from({ length: 9 }, (_, guess) => login(juliet.email, `guess ${guess}`)));

  expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(4);
});

test("a success resets the counter, and other accounts are not affected", async () => {
  const [juliet, nurse] = [await aPerson("Juliet", { password }), await aPerson("Nurse", { password })];

  for (let round = 1; round <= 2; round++) {
    for (let guess = 1; guess <= 4; guess++) await login(juliet.email, `guess ${guess}`);
    expect((await login(juliet.email, password)).status).toBe(200);
  }
  expect((await login(nurse.email, password)).status).toBe(200);
});

test("an unknown account is rate-limited like an existing one", async () => {
  const email = anAddress();

  for (let guess = 1; guess <= 5; guess++) expect((await login(email, "x")).status).toBe(401);
  expect((await login(email, "x")).status).toBe(429);
});

test("one IP address can make at most a hundred failed attempts a minute, over all accounts", async () => {
  const address = `198.51.100.7-${randomBytes(4).toString("hex")}`;
  const failLogin = () => throttle(anAddress(), address, () => Promise.reject(authenticationFailed()));
  const logIn = () => throttle(anAddress(), address, () => Promise.resolve("in"));
  const startMinute = Math.floor(Date.now() / 60_000);

  await expect(logIn()).resolves.toBe("in");
  const refused = await Promise.all(
    Array.from({ length: 100 }, () => failLogin().catch(({ code }: { code: string }) => code)),
  );
  const next = await logIn().catch(({ code }: { code: string }) => code);

  expect(new Set(refused)).toEqual(new Set(["AUTHENTICATION_FAILED"]));
  // A new minute may just have begun.
  if (Math.floor(Date.now() / 60_000) === startMinute) expect(next).toBe("RATE_LIMIT_HIT");
});

test("guesses of the old password in a password change are limited too", async () => {
  const juliet = await aPerson("Juliet", { password });
  const change = (old_password: string) =>
    juliet.call("PATCH", "/settings", { old_password, new_password: "what's-in-a-name-then" });

  for (let guess = 1; guess <= 5; guess++)
    expect((await change(`guess ${guess}`)).body).toMatchObject({ code: "BAD_REQUEST", msg: "Wrong password!" });
  expect(await change(password)).toMatchObject({ status: 429, body: { code: "RATE_LIMIT_HIT" } });
});

test("failed attempts from one network do not lock out the account's owner at an IP address of another network", async () => {
  const account = anAddress("juliet");
  const logInFrom = (address: string) => throttle(account, address, async () => "in").catch((error) => error.code);

  for (let tries = 1; tries <= 5; tries++)
    expect(await guessFrom(account, "2001:db8::1")).toBe("AUTHENTICATION_FAILED");

  expect(await logInFrom("2001:db8::1")).toBe("RATE_LIMIT_HIT");
  // An address in the same /64 network, whose 2^64 addresses one attacker may have.
  expect(await logInFrom("2001:db8::ffff:2")).toBe("RATE_LIMIT_HIT");
  expect(await logInFrom("2001:db8:0:1::1")).toBe("in");
  expect(await logInFrom("203.0.113.7")).toBe("in");
});

const guessFrom = (account: string, address: string): Promise<string> =>
  throttle(account, address, () => Promise.reject(authenticationFailed())).catch(({ code }: { code: string }) => code);

/** Failed attempts from as many networks as the limit per network makes necessary; returns the number of refused ones. */
async function guessFromEverywhere(account: string, guesses: number): Promise<number> {
  const codes = await Promise.all(
    Array.from({ length: guesses }, (_, guess) =>
      guessFrom(account, `2001:db8:77:${Math.floor(guess / 5).toString(16)}::1`),
    ),
  );
  return codes.filter((code) => code === "RATE_LIMIT_HIT").length;
}

localTest("addresses of clients")(
  "guesses from many networks are limited together, and neither where the owner signed in before nor after a reset",
  async () => {
    const nurse = await aPerson("Nurse", { password });
    const [home, elsewhere, phone] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"].map((localAddress) => ({ localAddress }));
    const status = async (guess: string, options: CallOptions | undefined) =>
      (await login(nurse.email, guess, options)).status;
    expect(await status(password, home)).toBe(200);
    expect(await status("wrong", phone)).toBe(401);
    for (let guess = 2; guess <= 5; guess++) await guessFrom(nurse.email, "127.0.0.4");
    expect(await status(password, phone)).toBe(429);

    // Five from the phone and 95 others are allowed.
    expect(await guessFromEverywhere(nurse.email.toUpperCase(), 105)).toBe(10);

    expect(await status("wrong", elsewhere)).toBe(429);
    expect(await status(password, elsewhere)).toBe(429);
    expect(await status(password, home)).toBe(200);
    for (let guess = 1; guess <= 5; guess++) await guessFrom(nurse.email, "127.0.0.2");
    expect(await status(password, home)).toBe(429);

    await submit("/password-reset", { email: nurse.email });
    const link = await linkMailedTo(nurse.email, "Choose a new password");
    const newPassword = "what's-in-a-name-then";
    expect((await submit(link, { password: newPassword })).status).toBe(200);

    for (const place of [home, phone, elsewhere]) expect(await status(newPassword, place)).toBe(200);
    // Failures are counted again.
    expect(await guessFromEverywhere(nurse.email, 105)).toBe(5);
    expect(await status(newPassword, { localAddress: "127.0.0.5" })).toBe(429);
    expect(await status(newPassword, elsewhere)).toBe(200);
  },
);

test("the twenty networks of the latest sign-ins are remembered", async () => {
  const account = anAddress("juliet");
  const from = (network: number) => `198.51.100.${network}`;
  const logIn = (network: number) =>
    throttle(account, from(network), async () => "in").catch(({ code }: { code: string }) => code);
  for (let network = 1; network <= 22; network++) expect(await logIn(network)).toBe("in");

  await guessFromEverywhere(account, 100);

  const replies = [];
  for (let network = 1; network <= 22; network++) replies.push(await logIn(network));
  expect(replies).toEqual(Array.from({ length: 22 }, (_, nth) => (nth < 2 ? "RATE_LIMIT_HIT" : "in")));
});
