import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { acceptStep, findSecondFactor } from "../../shared/store/second-factors/second-factors.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { linkMailedTo, open, submit } from "../support/accounts.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, localTest, type Person } from "../support/world.ts";

/** A second factor: codes of an authenticator app, and recovery codes. */

const password = "a-rose-by-any-other";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** What an authenticator app shows `steps` times 30 seconds from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

const begin = (person: Person, given = password) => person.call("POST", "/users/me/second_factor", { password: given });
const confirm = (person: Person, second_factor_token: string, code: string) =>
  person.call("POST", "/users/me/second_factor/confirm", { second_factor_token, code });
const byPassword = ({ email }: Person, given = password) =>
  call("POST", "/fetch_api_key", { username: email, password: given }, { client: firefox });
const byCode = ({ email }: Person, second_factor_token: string, code: string) =>
  call("POST", "/second_factor/fetch_api_key", { username: email, second_factor_token, code }, { client: firefox });
const tokenOf = async (person: Person): Promise<string> => (await byPassword(person)).body.second_factor_token;
const statusOf = async ({ email }: Person, apiKey: string) =>
  (await call("GET", "/users/me", {}, { credentials: { email, apiKey } })).status;

/** A person whose second factor is on, and whose app has made no code that was used: tests do not wait for the next one. */
async function withFactor(options: Parameters<typeof aPerson>[1] = {}) {
  const person = await aPerson("Portia", { password, ...options });
  const { secret, second_factor_token } = (await begin(person)).body;
  const { status, body } = await confirm(person, second_factor_token, codeOf(secret));
  expect(status).toBe(200);
  const factor = await findSecondFactor(person.id);
  await transact([acceptStep(factor!, 0, () => new Error("The factor was changed"))]);
  return { person, secret: secret as string, recoveryCodes: body.recovery_codes as string[] };
}

const refused = { status: 401, body: { code: "AUTHENTICATION_FAILED" } };

describe("a second factor", () => {
  test("is neither set up, used nor turned off while passwords are off", async () => {
    const { person, secret } = await withFactor();
    const token = await tokenOf(person);

    await withSettings({ password_auth_enabled: false }, async () => {
      for (const { body } of [
        await begin(person),
        await byCode(person, token, codeOf(secret, 1)),
        await person.call("DELETE", "/users/me/second_factor", { password, code: codeOf(secret, 1) }),
      ])
        expect(body.code).toBe("PASSWORD_AUTH_DISABLED");
    });
  });

  test("is on once the app's first code confirms it, and until then nothing changes", async () => {
    const portia = await aPerson("Portia", { password });

    const { secret, otpauth_url, second_factor_token } = (await begin(portia)).body;

    expect((await byPassword(portia)).status).toBe(200);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(decodeURIComponent(otpauth_url)).toContain(portia.email);
    expect(new URL(otpauth_url).searchParams.get("secret")).toBe(secret);
    expect(await confirm(portia, second_factor_token, "000000")).toMatchObject(refused);
    const { body } = await confirm(portia, second_factor_token, codeOf(secret));
    expect(body.recovery_codes).toHaveLength(10);
    expect(body.recovery_codes[0]).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
    expect(await portia.do("GET", "/users/me/second_factor")).toMatchObject({
      is_enabled: true,
      recovery_codes_left: 10,
    });
    expect(await portia.call("GET", "/users/me")).toMatchObject({ status: 200 });
    expect((await begin(portia)).body.msg).toBe("You have a second factor already.");
  });

  test("refuses the password alone, with a text that tells programs of app passwords, and asks for a code", async () => {
    const { person, secret } = await withFactor();

    const first = await byPassword(person);
    const second = await byCode(person, first.body.second_factor_token, codeOf(secret));

    expect(first).toMatchObject({ status: 401, body: { code: "SECOND_FACTOR_REQUIRED" } });
    expect(first.body.msg).toContain("app password");
    expect(first.body.api_key).toBeUndefined();
    expect([second.status, second.body.user_id]).toEqual([200, person.id]);
    expect(await statusOf(person, second.body.api_key)).toBe(200);
  });

  test("accepts an app password in place of the password, and the keys that there were", async () => {
    const { person } = await withFactor();
    const { app_password } = await person.do("POST", "/users/me/app_passwords", { name: "Terminal", password });

    const { status, body } = await byPassword(person, app_password);

    expect([status, body.api_key]).toEqual([200, app_password]);
    expect(await statusOf(person, person.apiKey)).toBe(200);
  });

  test("needs the password to be set up, and both to be turned off", async () => {
    const portia = await aPerson("Portia", { password });
    expect(await begin(portia, "a-thorn")).toMatchObject(refused);
    const { person, secret, recoveryCodes } = await withFactor();
    const turnOff = (given: string, code: string) =>
      person.call("DELETE", "/users/me/second_factor", { password: given, code });

    expect(await turnOff("a-thorn", codeOf(secret))).toMatchObject(refused);
    expect(await turnOff(password, "000000")).toMatchObject(refused);
    expect((await turnOff(password, recoveryCodes[0] ?? "")).status).toBe(200);

    expect((await byPassword(person)).status).toBe(200);
    expect((await turnOff(password, codeOf(secret))).body.msg).toBe("You have no second factor.");
    expect(await person.do("GET", "/users/me/second_factor")).toMatchObject({
      is_enabled: false,
      date_enabled: null,
      recovery_codes_left: 0,
    });
    expect(await findSecondFactor(person.id)).toBeUndefined();
  });

  test("stays when the password is reset by a link, which signs nobody in then", async () => {
    const { person, secret } = await withFactor();
    const admin = await aPerson("Balthasar", { role: "administrator" });
    await admin.do("POST", `/users/${person.id}/password_reset`);
    const path = await linkMailedTo(person.email, "password");
    expect((await open(path)).status).toBe(200);

    const page = (await submit(path, { password: "the-quality-of-mercy" })).bytes.toString();

    expect(page).toContain("Your new password is set");
    expect(page).not.toContain("data-key");
    const { body } = await byPassword(person, "the-quality-of-mercy");
    expect(body.code).toBe("SECOND_FACTOR_REQUIRED");
    expect((await byCode(person, body.second_factor_token, codeOf(secret))).status).toBe(200);
  });

  test("is stored so that a copy of the table makes no codes", async () => {
    const { person, secret, recoveryCodes } = await withFactor();

    const stored = JSON.stringify([await findSecondFactor(person.id), await findAccount(person.email)], (_, value) =>
      value instanceof Set ? [...value] : value,
    );

    expect(stored).not.toContain(secret);
    for (const code of recoveryCodes) expect(stored).not.toContain(code.replaceAll("-", ""));
  });
});

describe("a code", () => {
  test("works once: not again, not that of an earlier step, and for one of two at the same time", async () => {
    const { person, secret } = await withFactor();
    const tokens = [await tokenOf(person), await tokenOf(person)];
    const code = codeOf(secret);

    const together = await Promise.all(tokens.map((token) => byCode(person, token, code)));

    expect(together.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(await byCode(person, tokens[0] ?? "", code)).toMatchObject(refused);
    expect(await byCode(person, tokens[0] ?? "", codeOf(secret, -1))).toMatchObject(refused);
    expect((await byCode(person, tokens[0] ?? "", codeOf(secret, 1))).status).toBe(200);
  });

  test("may come from a clock that is a step wrong, and not more", async () => {
    const { person, secret } = await withFactor();
    const token = await tokenOf(person);

    for (const steps of [-3, 3, 20]) expect(await byCode(person, token, codeOf(secret, steps))).toMatchObject(refused);
    expect((await byCode(person, token, codeOf(secret, 1).replace(/(...)/, "$1 "))).status).toBe(200);
  });

  test("for recovery works once, also for one of two at the same time, and is mailed and recorded", async () => {
    const owner = await aPerson("Duke", { role: "owner" });
    const { person, recoveryCodes } = await withFactor();
    const [token, code = "", other = ""] = [await tokenOf(person), ...recoveryCodes];

    const together = await Promise.all([1, 2].map(() => byCode(person, token, code)));
    const typed = await byCode(person, token, other.toLowerCase().replaceAll("-", " "));

    expect(together.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(await byCode(person, token, code)).toMatchObject(refused);
    expect(typed.status).toBe(200);
    expect(await person.do("GET", "/users/me/second_factor")).toMatchObject({ recovery_codes_left: 8 });
    const { records } = await owner.do("GET", "/realm/audit_log", { user_id: person.id });
    const types = records.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type === "recovery_code_used")).toHaveLength(2);
    expect(types).toContain("second_factor_enabled");
    expect(types).toContain("sign_in_failed");
    expect(JSON.stringify(records)).not.toContain(code);
    await eventually(async () =>
      (await mailsTo(person.email)).some(({ text }) => text.includes("recovery code at a sign-in; 8 are left")),
    );
  });

  test("renews the recovery codes, of which the former ones are refused", async () => {
    const { person, secret, recoveryCodes } = await withFactor();
    const renew = (code: string) => person.call("POST", "/users/me/second_factor/recovery_codes", { code });

    expect(await renew(recoveryCodes[0] ?? "")).toMatchObject(refused);
    const code = codeOf(secret);
    const { body } = await renew(code);

    expect(await renew(code)).toMatchObject(refused);
    const token = await tokenOf(person);
    expect(await byCode(person, token, recoveryCodes[1] ?? "")).toMatchObject(refused);
    expect((await byCode(person, token, body.recovery_codes[1])).status).toBe(200);
  });
});

describe("an attacker", () => {
  test("gets nowhere with a forged, foreign or former token, and does not learn who has an account", async () => {
    const { person, secret } = await withFactor();
    const other = await withFactor();
    const token = await tokenOf(person);
    const late = token.replace(/^(\d+)\.\d+/, "$1.99999999999");
    const forged = [`${token.slice(0, -3)}AAA`, late, "", "x", await tokenOf(other.person)];

    const replies = [];
    for (const wrong of forged) replies.push(await byCode(person, wrong, codeOf(secret)));
    const nobody = await call("POST", "/second_factor/fetch_api_key", {
      username: "nobody@globe.test",
      second_factor_token: token,
      code: codeOf(secret),
    });

    for (const { status, body } of [...replies, nobody]) expect([status, body]).toEqual([nobody.status, nobody.body]);
    expect(nobody).toMatchObject(refused);
    await person.do("PATCH", "/settings", { old_password: password, new_password: "the-quality-of-mercy" });
    expect(await byCode(person, token, codeOf(secret))).toMatchObject(refused);
  });

  test("cannot make somebody else confirm a secret that the attacker knows, nor sign in by a token for set-up", async () => {
    const [portia, shylock] = [await aPerson("Portia", { password }), await aPerson("Shylock", { password })];
    const { secret, second_factor_token } = (await begin(shylock)).body;

    expect(await confirm(portia, second_factor_token, codeOf(secret))).toMatchObject(refused);
    expect((await byCode(shylock, second_factor_token, codeOf(secret))).status).toBe(400);
    expect((await findAccount(portia.email))?.secondFactor).toBeUndefined();
  });

  test("learns nothing of the factor from a wrong password", async () => {
    const { person } = await withFactor();
    const without = await aPerson("Nerissa", { password });

    const [withOne, withNone] = [await byPassword(person, "a-thorn"), await byPassword(without, "a-thorn")];

    expect(withOne.body).toEqual(withNone.body);
    expect(withOne).toMatchObject(refused);
  });

  localTest("many refused requests from one address")(
    "guesses five codes in half an hour, however often the password is right in between",
    async () => {
      const { person, secret } = await withFactor();
      const statuses: number[] = [];

      for (let count = 0; count < 7; count++)
        statuses.push((await byCode(person, await tokenOf(person), "00000 0")).status);

      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
      expect((await byCode(person, await tokenOf(person), codeOf(secret))).status).toBe(429);
    },
  );

  test("with a key alone turns no factor on or off, and its owner is mailed about both", async () => {
    const { person, secret } = await withFactor();
    await eventually(async () => (await mailsTo(person.email)).some(({ text }) => text.includes("was turned on")));

    await person.do("DELETE", "/users/me/second_factor", { password, code: codeOf(secret) });

    const mails = await eventually(async () => {
      const found = (await mailsTo(person.email)).filter(({ subject }) => subject.startsWith("Your second factor"));
      return found.length >= 2 && found;
    });
    expect(mails.at(-1)?.text).toContain("was turned off");
    expect(JSON.stringify(mails)).not.toContain(secret);
  });
});

test("administrators reset the factor of who has lost it, except an owner's and their own; the person is mailed", async () => {
  const [{ person: owner }, { person: admin }, { person }] = [
    await withFactor({ role: "owner" }),
    await withFactor({ role: "administrator" }),
    await withFactor(),
  ];
  const reset = (by: Person, { id }: Person) => by.call("DELETE", `/users/${id}/second_factor`);

  expect((await reset(person, admin)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  expect((await reset(admin, owner)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  expect((await reset(admin, admin)).status).toBe(400);
  expect((await reset(admin, person)).status).toBe(200);

  expect((await byPassword(person)).status).toBe(200);
  expect((await reset(admin, person)).body.msg).toBe("This user has no second factor.");
  const { records } = await owner.do("GET", "/realm/audit_log", { user_id: person.id, types: ["second_factor_reset"] });
  expect(records).toMatchObject([{ acting_user_id: admin.id }]);
  await eventually(async () =>
    (await mailsTo(person.email)).some(({ text }) => text.includes("was removed by an administrator")),
  );
});
