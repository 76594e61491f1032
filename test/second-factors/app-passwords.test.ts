import { describe, expect, test } from "vitest";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { listDevices } from "../../shared/store/users/devices.ts";
import { knownConnection, open, pathOf, submit } from "../support/accounts.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { aBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, localTest, type Person, personWithKey } from "../support/world.ts";

/** App passwords: keys with a name that people make for programs. */

const password = "a-rose-by-any-other";
const terminal = "ZulipTerminal/0.7.0 (Linux)";

const create = (person: Person, name: string) => person.call("POST", "/users/me/app_passwords", { name, password });
const withKey = ({ id, email, name }: Person, apiKey: string) => personWithKey(id, email, name, apiKey);
const statusOf = async (person: Person) => (await person.call("GET", "/users/me")).status;
const devicesOf = async (person: Person) => (await person.do("GET", "/users/me/devices")).devices;
const signInBy = ({ email }: Person, given: string, client = terminal) =>
  call("POST", "/fetch_api_key", { username: email, password: given }, { client });

/** A person, and a program of theirs with an app password. */
async function withProgram(name = "Terminal at work") {
  const viola = await aPerson("Viola", { password });
  const { body } = await create(viola, name);
  return { viola, id: body.id as string, program: withKey(viola, body.app_password) };
}

describe("an app password", () => {
  test("works where the API key does, is listed by its name, and is stored nowhere", async () => {
    const { viola, id, program } = await withProgram();

    const listed = await devicesOf(viola);

    expect(program.apiKey).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(listed).toEqual([
      {
        id,
        client: "Terminal at work",
        system: "",
        is_app_password: true,
        date_created: expect.any(Number),
        last_used: expect.any(Number),
        ends_at: null,
        is_current: false,
        is_in_same_network: true,
      },
    ]);
    expect((await program.call("POST", "/register", {})).status).toBe(200);
    const stored = JSON.stringify([await listDevices(viola.id), await findAccount(viola.email)], (_, value) =>
      value instanceof Set ? [...value] : value,
    );
    expect(stored).toContain(id);
    expect(stored).not.toContain(program.apiKey);
  });

  test("is taken as the password by programs that ask for one, which get it as their key", async () => {
    const { viola, program } = await withProgram();
    const other = await aPerson("Orsino", { password });

    const { status, body } = await signInBy(viola, program.apiKey);

    expect([status, body.api_key, body.user_id]).toEqual([200, program.apiKey, viola.id]);
    expect(await devicesOf(viola)).toHaveLength(1);
    expect((await signInBy(other, program.apiKey)).body.code).toBe("AUTHENTICATION_FAILED");
    await withSettings({ password_auth_enabled: false }, async () =>
      expect((await signInBy(viola, program.apiKey)).body.code).toBe("PASSWORD_AUTH_DISABLED"),
    );
  });

  test("ends at once when it is revoked, with its connections, and is then no password any more", async () => {
    const { viola, id, program } = await withProgram();
    const { expectEnd } = await knownConnection(program);

    expect((await viola.call("DELETE", `/users/me/devices/${id}`)).status).toBe(200);

    expect([await statusOf(program), await statusOf(viola)]).toEqual([401, 200]);
    expect((await signInBy(viola, program.apiKey)).body.code).toBe("AUTHENTICATION_FAILED");
    await expectEnd();
  });

  test("ends with a new API key, and when an administrator signs its owner out", async () => {
    const admin = await aPerson("Olivia", { role: "administrator" });
    const [first, second] = [await withProgram(), await withProgram()];

    await first.viola.do("POST", "/users/me/api_key/regenerate");
    await admin.do("DELETE", `/users/${second.viola.id}/devices`);

    expect([await statusOf(first.program), await statusOf(second.program)]).toEqual([401, 401]);
  });

  test("outlives the age of sessions, and any number of sign-ins", async () => {
    const { viola, program } = await withSettings({ session_age_limit_seconds: 3600 }, () => withProgram());
    for (let count = 0; count < 21; count++) {
      const { status } = await signInBy(viola, password, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0");
      expect(status).toBe(200);
    }

    const devices = await devicesOf(viola);

    expect(await statusOf(program)).toBe(200);
    expect(devices).toHaveLength(20);
    expect(devices.find((device: { is_app_password: boolean }) => device.is_app_password).ends_at).toBeNull();
  });

  test("is not what a program of the same name gets that signs in", async () => {
    const { viola, program } = await withProgram("ZulipTerminal");

    const { body } = await signInBy(viola, password);

    expect(body.api_key).not.toBe(program.apiKey);
    expect(await devicesOf(viola)).toHaveLength(2);
  });

  test("makes no other one, nor does a key that has ended; and a bot has none", async () => {
    const { viola, program } = await withProgram();
    const robot = await aBot(viola);

    expect(await create(program, "Another")).toMatchObject({
      status: 400,
      body: { msg: "An app password cannot create another one." },
    });
    expect((await create(robot, "Another")).status).toBe(400);
    await viola.do("POST", "/users/me/api_key/regenerate");
    expect((await create(viola, "Another")).status).toBe(401);
  });

  test("takes nothing over: neither keys, nor other devices, nor the second factor, nor a browser's session", async () => {
    const { viola, id, program } = await withProgram();
    const other = (await create(viola, "Another")).body.id;
    const attempts = [
      ["POST", "/users/me/api_key/regenerate", {}],
      ["POST", "/users/me/api_key", { password }],
      ["POST", "/agent_keys", { name: "Assistant" }],
      ["POST", "/users/me/file_session", {}],
      ["POST", "/users/me/second_factor", { password }],
      ["POST", "/users/me/second_factor/confirm", { second_factor_token: "x", code: "000000" }],
      ["POST", "/users/me/second_factor/recovery_codes", { code: "000000" }],
      ["DELETE", "/users/me/second_factor", { password, code: "000000" }],
      ["DELETE", `/users/me/devices/${other}`, {}],
      ["PATCH", "/settings", { email: "sebastian@globe.test" }],
      ["PATCH", "/settings", { old_password: password, new_password: "if-music-be-the-food-of-love" }],
    ] as const;

    for (const [method, path, params] of attempts) {
      const { status, body } = await program.call(method, path, params);
      expect([path, status, body.msg]).toEqual([path, 400, expect.stringMatching(/app password|your password/i)]);
    }

    expect([await statusOf(viola), (await devicesOf(viola)).length]).toEqual([200, 2]);
    expect((await program.call("DELETE", `/users/me/devices/${id}`)).status).toBe(200);
  });

  test("is made for the password, where there is one", async () => {
    const viola = await aPerson("Viola", { password });
    const createWith = (given: Record<string, string>) =>
      viola.call("POST", "/users/me/app_passwords", { name: "Terminal", ...given });

    expect((await createWith({})).body.msg).toBe("Enter your password to create an app password.");
    expect((await createWith({ password: "a-thorn" })).body.code).toBe("AUTHENTICATION_FAILED");
    expect(await devicesOf(viola)).toEqual([]);
    await withSettings({ second_factor_required_from: 1_000_000_000 }, async () =>
      expect((await createWith({ password })).body.msg).toContain("requires a second factor"),
    );
    await withSettings({ password_auth_enabled: false }, async () => expect((await createWith({})).status).toBe(200));
    expect((await createWith({ password })).status).toBe(200);
  });

  localTest("many refused requests from one address")("in place of the password forgives no wrong ones", async () => {
    const { viola, program } = await withProgram();
    const statuses: number[] = [];

    for (let count = 0; count < 6; count++) {
      statuses.push((await signInBy(viola, "a-thorn")).status);
      await signInBy(viola, program.apiKey);
    }

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("has a name of up to 60 characters, and there are at most ten", async () => {
    const viola = await aPerson("Viola");

    for (const name of ["", "  ", "x".repeat(61), "a\0b"]) expect((await create(viola, name)).status).toBe(400);
    const made = await Promise.all(Array.from({ length: 10 }, (_, number) => create(viola, `Program ${number}`)));

    expect(new Set(made.map(({ body }) => body.app_password)).size).toBe(10);
    expect(await create(viola, "One more")).toMatchObject({
      status: 400,
      body: { msg: "You can have at most 10 app passwords." },
    });
  });

  test("is in the audit log with its name, by whom and by what it was made", async () => {
    const owner = await aPerson("Olivia", { role: "owner" });
    const { viola, id } = await withProgram();
    await viola.do("DELETE", `/users/me/devices/${id}`);

    const { records } = await owner.do("GET", "/realm/audit_log", { user_id: viola.id });

    expect(records.slice(0, 2)).toMatchObject([
      { type: "signed_out", acting_user_id: viola.id, before: { device_id: id } },
      { type: "app_password_created", acting_user_id: viola.id, name: "Terminal at work", after: { device_id: id } },
    ]);
  });

  test("is mailed to its owner, with a link whose page revokes it", async () => {
    const viola = await aPerson("Viola");
    const program = withKey(viola, (await create(viola, "Terminal at work")).body.app_password);
    const [mail] = await eventually(async () => {
      const mails = (await mailsTo(viola.email)).filter(({ subject }) => subject.startsWith("New app password"));
      return mails.length > 0 && mails;
    });
    const path = pathOf(/https?:\S+\/sign-out-device\/\S+/.exec(mail?.text ?? "")?.[0] ?? "");

    const opened = (await open(path)).bytes.toString();
    const before = await statusOf(program);
    await submit(path, {});

    expect(mail?.text).toContain("Terminal at work");
    expect(mail?.text).not.toContain(program.apiKey);
    expect(opened).toContain("Revoke this app password?");
    expect([before, await statusOf(program), await statusOf(viola)]).toEqual([200, 401, 200]);
  });
});
