import { beforeAll, describe, expect, test } from "vitest";
import { knownConnection, linkMailedTo, open, pathOf, signedInCredentials, submit } from "../support/accounts.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { anAddress } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, type Person, personWithKey } from "../support/world.ts";

const [password, newPassword] = ["they-have-been-grand-jurymen", "since-before-noah-was-a-sailor"];
const subject = "Choose a new password";

const forget = (email: string) => submit("/password-reset", { email });
const logIn = async (email: string, candidate: string) =>
  (await call("POST", "/fetch_api_key", { username: email, password: candidate })).status;
const isKeyValid = async ({ email, apiKey }: Pick<Person, "email" | "apiKey">) =>
  (await personWithKey(0, email, "", apiKey).call("GET", "/users/me")).status === 200;

describe("a user who forgot the password", () => {
  test("chooses a new one once by a mailed link, and keeps the API key", async () => {
    const toby = await aPerson("Toby", { password });
    await forget(toby.email.toUpperCase());
    const path = await linkMailedTo(toby.email, subject);

    expect((await open(path)).bytes.toString()).toContain(`value="${toby.email}"`);
    const weak = await submit(path, { password: "toby" });
    expect([weak.status, weak.bytes.toString()]).toEqual([400, expect.stringContaining("The password is too weak.")]);
    const credentials = signedInCredentials(await submit(path, { password: newPassword }));

    expect([credentials.email, await isKeyValid(credentials), await isKeyValid(toby)]).toEqual([
      toby.email,
      true,
      true,
    ]);
    expect([await logIn(toby.email, newPassword), await logIn(toby.email, password)]).toEqual([200, 401]);
    expect((await submit(path, { password })).status).toBe(404);
  });

  test("can revoke all API keys", async () => {
    const maria = await aPerson("Maria", { password });
    const { expectEnd } = await knownConnection(maria);
    await forget(maria.email);

    const credentials = signedInCredentials(
      await submit(await linkMailedTo(maria.email, subject), { password: newPassword, end_keys: "true" }),
    );

    expect([await isKeyValid(maria), await isKeyValid(credentials)]).toEqual([false, true]);
    await expectEnd();
  });

  test("invalidates earlier links by requesting a new one, and of its concurrent uses one succeeds", async () => {
    const andrew = await aPerson("Andrew", { password });
    await forget(andrew.email);
    const first = await linkMailedTo(andrew.email, subject);
    await forget(andrew.email);
    const second = await linkMailedTo(andrew.email, subject, 2);

    const replies = await Promise.all([first, second, second].map((path) => submit(path, { password: newPassword })));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  test("gets the same answer as anybody, and only existing users are mailed", async () => {
    const feste = await aPerson("Feste", { password });
    const [stranger, deactivated] = [anAddress("stranger"), await aPerson("Antonio", { password })];
    const admin = await aPerson("Malvolio", { role: "administrator" });
    await admin.do("DELETE", `/users/${deactivated.id}`);

    const replies = await Promise.all(
      [stranger, deactivated.email, feste.email].map(async (email) => {
        const { status, bytes } = await forget(email);
        return [status, bytes.toString().replaceAll(email, "somebody")];
      }),
    );

    expect(new Set(replies.map(String)).size).toBe(1);
    await linkMailedTo(feste.email, subject);
    expect(await mailsTo(stranger)).toEqual([]);
    expect((await mailsTo(deactivated.email)).filter((mail) => mail.subject.includes(subject))).toEqual([]);
  });

  test("is mailed at most five times a day", async () => {
    const olivia = await aPerson("Olivia", { password });

    for (let time = 0; time < 5; time++) await forget(olivia.email);
    await linkMailedTo(olivia.email, subject, 5);
    await forget(olivia.email);
    const otherUser = await aPerson("Fabian", { password });
    await forget(otherUser.email);
    await linkMailedTo(otherUser.email, subject);

    expect(await mailsTo(olivia.email)).toHaveLength(5);
  });
});

describe("administrators", () => {
  let [owner, admin]: Person[] = [] as unknown as [Person, Person];
  beforeAll(async () => {
    [owner, admin] = await Promise.all([
      aPerson("Orsino", { role: "owner" }),
      aPerson("Viola", { role: "administrator" }),
    ]);
  });

  test("can mail a reset link to others, and only owners to owners", async () => {
    const curio = await aPerson("Curio", { password });

    expect((await (admin as Person).call("POST", `/users/${curio.id}/password_reset`)).body).toEqual({
      result: "success",
      msg: "",
    });
    signedInCredentials(await submit(await linkMailedTo(curio.email, subject), { password: newPassword }));

    expect(await admin?.call("POST", `/users/${owner?.id}/password_reset`)).toMatchObject({
      body: { code: "UNAUTHORIZED_PRINCIPAL" },
    });
    expect(await curio.call("POST", `/users/${admin?.id}/password_reset`)).toMatchObject({ status: 400 });
    expect(await admin?.call("POST", "/users/9999999/password_reset")).toMatchObject({ body: { msg: "No such user" } });
  });
});

describe("the daily limit of mails to an address", () => {
  test("is separate for each kind of mail, so that others' requests do not stop a password reset", async () => {
    const admin = await aPerson("Malvolio", { role: "administrator" });
    const toby = await aPerson("Toby", { password });
    const { invite_link } = (await admin.call("POST", "/invites/multiuse")).body;

    await withSettings({ invite_required: false }, async () => {
      for (const path of ["/join", pathOf(invite_link)])
        for (let time = 0; time < 6; time++) expect((await submit(path, { email: toby.email })).status).toBe(200);
    });
    await linkMailedTo(toby.email, "You already have an account", 10);
    await forget(toby.email);

    signedInCredentials(await submit(await linkMailedTo(toby.email, subject), { password: newPassword }));
    expect((await mailsTo(toby.email)).filter((mail) => mail.subject.includes("already"))).toHaveLength(10);
  });

  test("of resets by the address's owner or anybody does not stop an administrator's, who is told when no mail is sent", async () => {
    const admin = await aPerson("Malvolio", { role: "administrator" });
    const toby = await aPerson("Toby", { password });
    for (let time = 0; time < 6; time++) await forget(toby.email);
    await linkMailedTo(toby.email, subject, 5);

    const replies = [];
    for (let time = 0; time < 6; time++) replies.push(await admin.call("POST", `/users/${toby.id}/password_reset`));

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 400]);
    expect(replies.at(-1)?.body.msg).toContain("No email was sent");
    signedInCredentials(await submit(await linkMailedTo(toby.email, subject, 10), { password: newPassword }));
    expect(await mailsTo(toby.email)).toHaveLength(10);
  });
});

describe("a changed address", () => {
  test("takes effect once the mailed link is followed, and the former address is notified", async () => {
    const cesario = await aPerson("Cesario", { password });
    const email = anAddress("viola");

    expect((await cesario.call("PATCH", "/settings", { email })).status).toBe(200);
    const path = await linkMailedTo(email, "Confirm your new email address");
    expect((await open(path)).bytes.toString()).toContain(`value="${email}"`);
    expect(await isKeyValid(cesario)).toBe(true);
    expect((await submit(path, {})).status).toBe(200);

    expect([await isKeyValid(cesario), await isKeyValid({ ...cesario, email })]).toEqual([false, true]);
    expect((await submit(path, {})).status).toBe(404);
    await eventually(async () =>
      (await mailsTo(cesario.email)).some(({ text }) => text.includes(`from ${cesario.email} to ${email}.`)),
    );
  });

  test("that another user took meanwhile is refused", async () => {
    const antonio = await aPerson("Antonio", { password });
    const rival = await aPerson("Rival", { password });
    const email = anAddress("captain");
    for (const person of [antonio, rival]) await person.do("PATCH", "/settings", { email });
    const mails = await eventually(async () => {
      const found = await mailsTo(email);
      return found.length === 2 && found;
    });
    const paths = mails.map(({ text }) => new URL(/https?:\S+/.exec(text)?.[0] ?? "").pathname);

    const statuses = [];
    for (const path of paths) statuses.push((await submit(path, {})).status);

    expect(statuses).toEqual([200, 400]);
  });

  test("is limited to ten requests a day", async () => {
    const curio = await aPerson("Curio", { password });
    const replies = [];

    for (let time = 0; time < 11; time++) replies.push(await curio.call("PATCH", "/settings", { email: anAddress() }));

    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429]);
  });
});
