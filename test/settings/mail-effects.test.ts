import { expect, test } from "vitest";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { anAddress } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call } from "../support/world.ts";

/** The settings that control account mails. */

const password = "the-quality-of-mercy";
/**
 * The subjects of the mails that an address has received. A test calls it after a mail that was requested later has arrived,
 * because the earlier ones have been sent by then too.
 */
const subjectsTo = async (address: string) => (await mailsTo(address)).map(({ subject }) => subject);
/** Waits for a mail with a subject. */
const mailWith = (address: string, subject: string) =>
  eventually(async () => (await mailsTo(address)).find((mail) => mail.subject === subject));

test("send_welcome_emails: a new user gets a welcome email if it is true, and none if it is false", async () => {
  const owner = await aPerson("Portia", { role: "owner" });
  const name = (await owner.call("POST", "/register", { event_types: ["realm"] })).body.realm_name;
  const create = async () => {
    const email = anAddress("launcelot");
    const params = { email, password, full_name: "Launcelot" };
    expect((await owner.call("POST", "/users", params)).body).toMatchObject({ result: "success" });
    return email;
  };
  let addressWithoutWelcome = "";
  await withSettings({ send_welcome_emails: false }, async () => {
    addressWithoutWelcome = await create();
  });

  const email = await create();
  const mail = await mailWith(email, `Welcome to ${name}`);
  expect(mail.text).toContain("Hi Launcelot,");
  expect(mail.text).toContain(email);
  expect(await subjectsTo(email)).toEqual([`Welcome to ${name}`]);
  expect(await subjectsTo(addressWithoutWelcome)).toEqual([]);
});

test("enable_login_emails: a user gets an email for each login on a new device, except in the account's first minute", async () => {
  const shylock = await aPerson("Shylock", { password });
  const antonio = await aPerson("Antonio", { password });
  const { realm_name: name } = (await shylock.call("POST", "/register", { event_types: ["realm"] })).body;
  await shylock.do("PATCH", "/settings", { enable_login_emails: true });
  const login = async ({ email }: { email: string }, given = password, client = "zulip-term/0.7") =>
    (await call("POST", "/fetch_api_key", { username: email, password: given }, { client })).status;
  const now = Math.floor(Date.now() / 1000);
  await transact([updateAccount(shylock.email, { set: { joinedAt: now } })]);
  expect(await login(shylock)).toBe(200);
  for (const { email } of [shylock, antonio]) await transact([updateAccount(email, { set: { joinedAt: now - 3600 } })]);

  expect(await login(antonio)).toBe(200);
  expect(await login(shylock, "a-pound-of-flesh")).toBe(401);
  expect(await login(shylock, password, "curl/8.14.1")).toBe(200);

  const mail = await mailWith(shylock.email, `New login to ${name}`);
  expect(mail.text).toContain("change your password");
  expect(await subjectsTo(shylock.email)).toEqual([`New login to ${name}`]);
  expect(await subjectsTo(antonio.email)).toEqual([]);
});
