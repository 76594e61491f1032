import { beforeAll, describe, expect, test } from "vitest";
import { escapeHtml } from "../../shared/base/html.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { linkMailedTo, open, pathOf, signedInCredentials, submit } from "../support/accounts.ts";
import { listen } from "../support/listener.ts";
import { mailsTo } from "../support/mails.ts";
import { noticesTo } from "../support/messages.ts";
import { withSettings } from "../support/organization.ts";
import { anAddress } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, call, type Person, personWithKey } from "../support/world.ts";

const password = "if-music-be-the-food-of-love";
let [owner, ann]: Person[] = [] as unknown as [Person, Person];
beforeAll(async () => {
  [owner, ann] = await Promise.all([aPerson("Orsino", { role: "owner" }), aPerson("Ann")]);
});

const invite = async (inviter: Person | undefined, email: string, params: Record<string, unknown> = {}) => {
  const reply = await (inviter as Person).call("POST", "/invites", {
    invitee_emails: email,
    stream_ids: [],
    ...params,
  });
  expect(reply.body).toMatchObject({ result: "success" });
  return linkMailedTo(email, `${inviter?.name} has invited you`);
};
const createLink = async (params: Record<string, unknown> = {}) =>
  pathOf((await (owner as Person).call("POST", "/invites/multiuse", params)).body.invite_link);
const joinAt = (path: string, full_name: string) => submit(path, { full_name, password });
/** A user who has just joined. */
const personFrom = async (reply: Awaited<ReturnType<typeof submit>>, name: string): Promise<Person> => {
  const { email, apiKey } = signedInCredentials(reply);
  const me = personWithKey(0, email, name, apiKey);
  const { user_id } = (await me.call("GET", "/users/me")).body;
  return personWithKey(user_id, email, name, apiKey);
};
const channelsOf = async (person: Person) =>
  (await person.call("GET", "/users/me/subscriptions")).body.subscriptions.map((each: any) => each.stream_id);

describe("a user who accepts a mailed invitation", () => {
  test("gets the account, channels, groups and welcome message of the invitation, and the inviter is notified", async () => {
    const [court, green] = [await aChannel("court", [owner as Person]), await aChannel("green", [owner as Person])];
    await owner?.do("POST", "/default_streams", { stream_id: green.id });
    const { group_id } = (
      await (owner as Person).call("POST", "/user_groups/create", {
        name: anAddress("g"),
        description: "",
        members: [],
      })
    ).body;
    const address = anAddress("viola");
    const path = await invite(owner, address, {
      stream_ids: [court.id],
      group_ids: [group_id],
      invite_as: roles.moderator,
      include_realm_default_subscriptions: true,
      welcome_message_custom_text: "What country, friends, is this?",
    });
    const page = (await open(path)).bytes.toString();
    expect(page).toContain(`value="${address}"`);
    expect(page).toMatch(/<label for="password">.*autocomplete="new-password"/);
    const listener = await listen(owner as Person);

    const viola = await personFrom(await joinAt(path, "Viola"), "Viola");

    await listener.next("invites_changed");
    expect((await viola.call("GET", "/users/me")).body).toMatchObject({
      role: roles.moderator,
      full_name: "Viola",
      email: address,
    });
    expect(await channelsOf(viola)).toEqual(expect.arrayContaining([court.id, green.id]));
    expect((await viola.call("GET", `/user_groups/${group_id}/members`)).body.members).toEqual([viola.id]);
    expect((await noticesTo(viola, 1)).join()).toContain("What country, friends, is this?");
    expect((await noticesTo(owner as Person, 1)).join()).toContain(
      `@_**Viola|${viola.id}** accepted your invitation to join`,
    );
    const invites = (await (owner as Person).call("GET", "/invites")).body.invites;
    expect(invites.map(({ email }: any) => email)).not.toContain(address);
    await owner?.do("DELETE", "/default_streams", { stream_id: green.id });
  });

  test("sees the form again with an error for an invalid name or a weak password", async () => {
    const path = await invite(ann, anAddress("feste"));

    const weak = await submit(path, { full_name: 'Feste "the" <b>', password: "feste" });
    expect(weak.status).toBe(400);
    expect(weak.bytes.toString()).toContain('role="alert">Invalid characters in name!');
    expect(weak.bytes.toString()).toContain('value="Feste &quot;the&quot; &lt;b&gt;"');
    expect((await submit(path, { full_name: "Feste", password: "feste" })).bytes.toString()).toContain(
      "The password is too weak.",
    );
    signedInCredentials(await joinAt(path, "Feste"));
  });

  test("can do so only once, also concurrently", async () => {
    const address = anAddress("sebastian");
    const path = await invite(ann, address);

    const replies = await Promise.all([joinAt(path, "Sebastian"), joinAt(path, "Antonio"), joinAt(path, "Cesario")]);

    const [accepted, ...refused] = replies.sort((a, b) => a.status - b.status);
    signedInCredentials(accepted as (typeof replies)[0]);
    for (const { status } of refused) expect([400, 404]).toContain(status);
    expect((await joinAt(path, "Fabian")).status).toBe(404);
    expect((await open(path)).status).toBe(404);
  });

  test("cannot use a revoked link", async () => {
    const address = anAddress("maria");
    const path = await invite(ann, address);
    const { invites } = (await (ann as Person).call("GET", "/invites")).body;
    await ann?.do("DELETE", `/invites/${invites.find((each: any) => each.email === address).id}`);

    expect((await joinAt(path, "Maria")).status).toBe(404);
  });

  test("ends the other invitations to the address", async () => {
    const address = anAddress("curio");
    const path = await invite(ann, address);
    await invite(owner, address);

    signedInCredentials(await joinAt(path, "Curio"));

    const { invites } = (await (owner as Person).call("GET", "/invites")).body;
    expect(invites.map(({ email }: any) => email)).not.toContain(address);
  });
});

describe("a link", () => {
  test("lets any number of people join, each after confirming an address by mail", async () => {
    const harbour = await aChannel("harbour", [owner as Person]);
    const path = await createLink({ stream_ids: [harbour.id], invite_as: roles.guest });
    expect((await open(path)).bytes.toString()).not.toContain("password");

    for (const name of ["Valentine", "Captain"]) {
      const address = anAddress(name.toLowerCase());
      expect((await submit(path, { email: address })).bytes.toString()).toContain(`We have sent a link to ${address}.`);
      const person = await personFrom(await joinAt(await linkMailedTo(address, "Join "), name), name);
      expect((await person.call("GET", "/users/me")).body).toMatchObject({ role: roles.guest });
      expect(await channelsOf(person)).toEqual([harbour.id]);
    }
  });

  test("gives the same answer for an existing account, whose owner gets a mail about it", async () => {
    const path = await createLink();
    const pageFor = async (email: string) =>
      (await submit(path, { email })).bytes.toString().replaceAll(email, "somebody");

    expect(await pageFor((ann as Person).email)).toBe(await pageFor(anAddress("nobody")));

    const mail = await eventually(async () =>
      (await mailsTo((ann as Person).email)).find(({ subject }) =>
        subject.startsWith("You already have an account on"),
      ),
    );
    expect(mail.text).toContain("/password-reset");
  });

  test("that is revoked stops sign-ups that are not finished", async () => {
    const path = await createLink();
    const address = anAddress("sailor");
    await submit(path, { email: address });
    const mailedLink = await linkMailedTo(address, "Join ");
    const { invites } = (await (owner as Person).call("GET", "/invites")).body;
    const { id } = invites.find(({ link_url }: any) => link_url?.endsWith(path));
    await owner?.do("DELETE", `/invites/multiuse/${id}`);

    expect((await joinAt(mailedLink, "Sailor")).status).toBe(404);
    expect((await open(path)).status).toBe(404);
  });

  test("refuses an address that the organization does not allow", async () => {
    const path = await createLink();

    await withSettings({ emails_restricted_to_domains: true }, async () => {
      const reply = await submit(path, { email: anAddress("lord") });
      expect([reply.status, reply.bytes.toString()]).toEqual([400, expect.stringContaining("not allowed in this")]);
    });
    await withSettings({ disallow_disposable_email_addresses: true }, async () => {
      const reply = await submit(path, { email: "lord@mailinator.com" });
      expect([reply.status, reply.bytes.toString()]).toEqual([400, expect.stringContaining("Disposable email")]);
    });
  });
});

test("invite_required: whether anyone may join without an invitation, by default nobody", async () => {
  const isOpen = async () => (await call("GET", "/server_settings")).body.realm_open_to_join;
  expect(await isOpen()).toBe(false);
  expect((await open("/join")).status).toBe(400);
  expect((await submit("/join", { email: anAddress("andrew") })).status).toBe(400);

  await withSettings({ invite_required: false }, async () => {
    const address = anAddress("andrew");
    expect(await isOpen()).toBe(true);
    expect((await open("/join")).status).toBe(200);
    expect((await submit("/join", { email: "andrew" })).status).toBe(400);
    expect((await submit("/join", { email: address })).status).toBe(200);
    signedInCredentials(await joinAt(await linkMailedTo(address, "Join "), "Andrew"));
    // A user who joined without an invitation cannot send invitations yet.
    expect(await ann?.call("POST", "/invites", { invitee_emails: anAddress(), stream_ids: [] })).toMatchObject({
      status: 400,
      body: { code: "INVITATION_FAILED", msg: expect.stringContaining("too new") },
    });
  });
});

describe("the pages", () => {
  test("load only the build's files, are not cached, and refuse forms from other sites", async () => {
    const path = await invite(ann, anAddress("fabian"));
    const { headers, bytes } = await open(path);

    const policy = String(headers["content-security-policy"]).split("; ");
    for (const part of ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect([headers["cache-control"], headers["referrer-policy"]]).toEqual(["private, no-store", "same-origin"]);
    expect(bytes.toString()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=/);
    for (const [, file = ""] of bytes.toString().matchAll(/(?:src|href)="(\/client\/[^"]+)"/g))
      expect([file, (await open(file)).status]).toEqual([file, 200]);
    for (const foreignHeaders of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.test" },
      { origin: "null" },
    ])
      expect((await submit(path, { full_name: "Fabian", password }, { headers: foreignHeaders as never })).status).toBe(
        400,
      );
    signedInCredentials(await joinAt(path, "Fabian"));
  });

  test("show the organization's name as text, whatever it contains", async () => {
    const path = await invite(ann, anAddress("curio"));
    const placeholders = ["{{content}}", "{{title}}", "{{title}}{{content}}", "{{script}} {{constructor}}"];
    const patterns = ["$& $1 $` $'", "</title><script>alert(1)</script>", "<b>\"'&amp;"];

    const { name: formerName } = await loadRealm();
    try {
      for (const name of [...placeholders, ...patterns]) {
        await owner?.do("PATCH", "/realm", { name });
        const page = await eventually(async () => {
          const text = (await open(path)).bytes.toString();
          return text.includes(`<h1>${escapeHtml(`Join ${name}`, true)}</h1>`) && text;
        });
        expect(page).toContain(`<title>${escapeHtml(`Join ${name}`, true)}</title>`);
        expect([name, page.match(/<form/g)?.length, page.match(/<script/g)?.length]).toEqual([name, 1, 1]);
      }
    } finally {
      await owner?.do("PATCH", "/realm", { name: formerName });
    }
  });

  test("are the same for all invalid links", async () => {
    for (const path of ["/join/x", `/join/${"x".repeat(43)}`, "/password-reset/x", "/confirm-email/x"]) {
      const { status, bytes } = await open(path);
      expect([path, status, bytes.toString()]).toEqual([
        path,
        404,
        expect.stringContaining("This link is no longer valid"),
      ]);
      expect((await submit(path, { full_name: "X", password })).status).toBe(404);
    }
  });

  test("refuse sign-ups and new passwords where password login is disabled", async () => {
    const path = await invite(ann, anAddress("priest"));

    await withSettings({ password_auth_enabled: false }, async () => {
      // The page of the invitation offers the identity providers.
      expect((await open(path)).bytes.toString()).not.toContain("<form");
      expect((await open("/password-reset/x")).status).toBe(401);
      for (const each of [path, "/password-reset/x"]) expect((await joinAt(each, "Priest")).status).toBe(401);
    });
  });
});
