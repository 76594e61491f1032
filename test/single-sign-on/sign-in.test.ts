import { beforeAll, describe, expect, test } from "vitest";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../shared/store/users/accounts.ts";
import { linkMailedTo, open, signedInCredentials } from "../support/accounts.ts";
import { mailsTo } from "../support/mails.ts";
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
import { anAddress } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, type Person, personWithKey } from "../support/world.ts";

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Olivia", { role: "owner" });
});

const textOf = ({ bytes }: { bytes: Buffer }) => bytes.toString();
const ownUser = async (reply: Parameters<typeof signedInCredentials>[0]) => {
  const { email, apiKey } = signedInCredentials(reply);
  return (await personWithKey(0, email, "?", apiKey).call("GET", "/users/me")).body;
};
const signInByAcme = async (person: Parameters<typeof signInAtAcme>[1], query = "") => {
  const begun = await beginSignIn("acme", query);
  return finishSignIn(begun, await signInAtAcme(begun, person));
};

describe("a person who signs in at a real provider", () => {
  test("gets the account with their verified address, is told by mail, and keeps it when the address changes", async () => {
    const [viola, sub] = [await aPerson("Viola"), aSubject()];

    const first = await signInByAcme({ sub, email: viola.email.toUpperCase(), name: "Viola at work" });
    const second = await signInByAcme({ sub, email: anAddress("married"), name: "Viola", verified: false });

    for (const reply of [first, second]) expect(signedInCredentials(reply).email).toBe(viola.email);
    expect(cookieIn(first)).toBe("skein_sign_in=");
    const [mail, ...others] = await eventually(async () => {
      const mails = (await mailsTo(viola.email)).filter(({ subject }) => subject.includes("sign in"));
      return mails.length > 0 && mails;
    });
    expect([mail?.subject, others]).toEqual(["You can now sign in to Globe Theatre with Acme", []]);
  });

  test("still gets it after they have changed their address here", async () => {
    const [maria, sub, email] = [await aPerson("Maria"), aSubject(), anAddress("maria")];
    await signInByAcme({ sub, email: maria.email, name: "Maria" });
    await owner.do("PATCH", `/users/${maria.id}`, { new_email: email });

    expect(signedInCredentials(await signInByAcme({ sub, email: maria.email, name: "" })).email).toBe(email);
  });

  test("joins with the provider's name for them, if the organization admits people without an invitation", async () => {
    const [sub, email] = [aSubject(), anAddress("sebastian")];

    const refused = await signInByAcme({ sub, email, name: "Sebastian" });
    const joined = await withSettings({ invite_required: false }, () =>
      signInByAcme({ sub, email, name: '  Sebastian "the twin" <b>|12 ' }),
    );
    const again = await signInByAcme({ sub, email, name: "Sebastian" });

    expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining("You need an invitation")]);
    expect(await ownUser(joined)).toMatchObject({ email, full_name: "Sebastian the twin <b12", role: 400 });
    expect(signedInCredentials(again)).toEqual(signedInCredentials(joined));
  });

  test("joins by the invitation to their address, with its role", async () => {
    const [sub, email] = [aSubject(), anAddress("antonio")];
    await owner.do("POST", "/invites", { invitee_emails: email, stream_ids: [], invite_as: 300 });

    const joined = await eventually(async () => {
      const reply = await signInByAcme({ sub, email, name: "Antonio" });
      return reply.status === 200 && reply;
    });

    expect(await ownUser(joined)).toMatchObject({ email, role: 300 });
    const { invites } = (await owner.call("GET", "/invites")).body;
    expect(invites.map((each: any) => each.email)).not.toContain(email);
  });

  test("joins by an invitation link, whose page offers the providers, also where passwords are off", async () => {
    const [sub, email] = [aSubject(), anAddress("feste")];
    const { invite_link } = (await owner.call("POST", "/invites/multiuse", { invite_as: 600 })).body;
    const path = new URL(invite_link).pathname;
    const page = async () => textOf(await open(path));

    const withPasswords = await page();
    const [without, joined] = await withSettings(
      { password_auth_enabled: false },
      async () =>
        [
          await page(),
          await signInByAcme({ sub, email, name: "Feste" }, `?invitation=${path.split("/").at(-1)}`),
        ] as const,
    );

    expect(withPasswords).toContain("<form");
    for (const html of [withPasswords, without])
      expect(html).toContain(`href="/sign-in/acme?invitation=${path.split("/").at(-1)}"`);
    expect(without).not.toContain("<form");
    expect(await ownUser(joined)).toMatchObject({ email, role: 600 });
  });
});

describe("who may sign in", () => {
  test("whoever has a second factor is not linked to an identity by the address, and stays linked otherwise", async () => {
    const [portia, nerissa, sub] = [await aPerson("Portia"), await aPerson("Nerissa"), aSubject()];
    const signIn = (subject: string, { email }: Person) =>
      signInAs("forge", { sub: subject, email, email_verified: true });
    await signIn(sub, nerissa);
    for (const { email } of [portia, nerissa])
      await transact([updateAccount(email, { set: { secondFactor: "a-factor" } })]);

    const [refused, bound] = [await signIn(aSubject(), portia), await signIn(sub, nerissa)];

    expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining("has a second factor")]);
    expect((await findAccount(portia.email))?.identity).toBeUndefined();
    expect(signedInCredentials(bound).email).toBe(nerissa.email);
    await transact([updateAccount(portia.email, { remove: ["secondFactor"] })]);
    expect(signedInCredentials(await signIn(aSubject(), portia)).email).toBe(portia.email);
  });

  test("deactivated people may not, and neither may bots", async () => {
    const [gone, sub] = [await aPerson("Gone"), aSubject()];
    await signInAs("forge", { sub, email: gone.email, email_verified: true });
    await owner.do("DELETE", `/users/${gone.id}`);
    const { user_id } = (await owner.call("POST", "/bots", { full_name: "Robot", short_name: `r${Date.now()}` })).body;
    const bot = (await owner.call("GET", `/users/${user_id}`)).body.user.email;

    const refused = await signInAs("forge", { sub, email: gone.email, email_verified: true });
    const asBot = await signInAs("forge", { sub: aSubject(), email: bot, email_verified: true });

    expect([refused.status, textOf(refused)]).toEqual([401, expect.stringContaining("USER_DEACTIVATED")]);
    expect(textOf(asBot)).toContain("the address of a bot");
  });

  test("an invitation to another address is refused", async () => {
    const email = anAddress("curio");
    await owner.do("POST", "/invites", { invitee_emails: email, stream_ids: [] });
    const token = (await linkMailedTo(email, "has invited you")).split("/").at(-1);
    const begun = await beginSignIn("forge", `?invitation=${token}`);

    const reply = await finishSignIn(
      begun,
      lyingCallback(begun, { sub: aSubject(), email: anAddress("valentine"), email_verified: true }),
    );

    expect(textOf(reply)).toContain(`The invitation is for ${email}`);
  });

  test("restricted domains and disposable addresses decide as for a password", async () => {
    const join = (email: string) => signInAs("forge", { sub: aSubject(), email, email_verified: true, name: "X" });

    const replies = await withSettings({ invite_required: false }, async () => [
      await join(`${anAddress("x").split("@")[0]}@mailinator.com`),
      await withSettings({ emails_restricted_to_domains: true }, () => join(anAddress("fabian"))),
    ]);

    expect(textOf(replies[0]!)).toContain("Disposable email addresses are not allowed");
    expect(textOf(replies[1]!)).toContain("not allowed in this organization");
  });

  test("a provider's own settings limit its domains, who joins, and in which role", async () => {
    const [known, stranger] = [await aPerson("Known"), anAddress("stranger")];
    const at = (email: string) => email.replace(/@.*/, "@partner.test");

    const foreign = await signInAs("partner", { sub: aSubject(), email: known.email, email_verified: true });
    const unknown = await signInAs("partner", { sub: aSubject(), email: at(stranger), email_verified: true });
    const guest = await withSettings({ invite_required: false }, () =>
      signInAs("twin", { sub: aSubject(), email: stranger, xms_edov: "1", given_name: "Str", family_name: "Anger" }),
    );

    expect(textOf(foreign)).toContain(`You cannot sign in as ${known.email} with Partner`);
    expect(textOf(unknown)).toContain("There is no account with the address");
    expect(await ownUser(guest)).toMatchObject({ role: 600, full_name: "Str Anger" });
  });
});

test("clients learn which providers there are, and cannot switch them on and off", async () => {
  const { body } = await call("GET", "/server_settings");
  const state = (await owner.call("POST", "/register", { fetch_event_types: ["realm"] })).body;
  const patch = (methods: Record<string, boolean>) =>
    owner.call("PATCH", "/realm", { authentication_methods: methods });

  expect(body.authentication_methods).toMatchObject({ "openid connect": true, saml: false });
  expect(body.external_authentication_methods[0]).toEqual({
    name: "oidc:acme",
    display_name: "Acme",
    display_icon: null,
    login_url: "/sign-in/acme",
    signup_url: "/sign-in/acme",
  });
  expect(state.realm_authentication_methods["OpenID Connect"]).toEqual({ enabled: true, available: true });
  expect((await patch({ "OpenID Connect": true })).status).toBe(200);
  expect((await patch({ "OpenID Connect": false })).body.msg).toContain("Only the server's operator");
  expect((await patch({ SAML: true })).body.msg).toContain("SAML");
});
