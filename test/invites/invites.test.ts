import { beforeAll, describe, expect, test } from "vitest";
import { creationLimits } from "../../shared/base/creation-limits.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { members, nobody } from "../../shared/base/schema/system-groups.ts";
import { addRequests } from "../../shared/store/users/request-counts.ts";
import { linkMailedTo } from "../support/accounts.ts";
import { listen } from "../support/listener.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { aBot, anAddress } from "../support/people.ts";
import { aChannel, aPerson, costTest, type Person } from "../support/world.ts";

let [owner, admin, ann, ben, guest]: Person[] = [] as unknown as [Person, Person, Person, Person, Person];
beforeAll(async () => {
  [owner, admin, ann, ben, guest] = await Promise.all([
    aPerson("Orsino", { role: "owner" }),
    aPerson("Malvolio", { role: "administrator" }),
    aPerson("Ann"),
    aPerson("Ben"),
    aPerson("Gil", { role: "guest" }),
  ]);
});

const invite = (caller: Person | undefined, invitee_emails: string, params: Record<string, unknown> = {}) =>
  (caller as Person).call("POST", "/invites", { invitee_emails, stream_ids: [], ...params });
const createLink = (caller: Person | undefined, params: Record<string, unknown> = {}) =>
  (caller as Person).call("POST", "/invites/multiuse", params);
const listInvitations = async (caller: Person | undefined) =>
  (await (caller as Person).call("GET", "/invites")).body.invites as any[];
const refused = (msg: string | RegExp, code = "BAD_REQUEST") => ({
  status: 400,
  body: { code, msg: typeof msg === "string" ? msg : expect.stringMatching(msg) },
});
const success = { status: 200, body: { result: "success" } };

describe("inviting by mail", () => {
  const invitationFailed = (msg: string, sent_invitations: boolean, errors: unknown[]) => ({
    status: 400,
    body: {
      ...{ code: "INVITATION_FAILED", msg, sent_invitations, errors },
      ...{ daily_limit_reached: false, license_limit_reached: false },
    },
  });

  test("mails each address its own link, with an event for those who see the list", async () => {
    const [viola, cesario] = [anAddress("viola"), anAddress("cesario")];
    const listeners = await Promise.all([ann, admin].map((person) => listen(person as Person)));
    const outsider = await listen(ben as Person);

    expect(await invite(ann, `${viola},\nCesario <${cesario}>`)).toMatchObject(success);

    const links = await Promise.all([viola, cesario].map((address) => linkMailedTo(address, "Ann has invited you")));
    expect(new Set(links).size).toBe(2);
    for (const each of links) expect(each).toMatch(/^\/join\/[\w-]{43}$/);
    for (const listener of listeners) await listener.next("invites_changed");
    const annsInvitations = (await listInvitations(ann)).filter(({ email }) => [viola, cesario].includes(email));
    expect(annsInvitations).toMatchObject(
      [viola, cesario].map((email) => ({
        email,
        invited_by_user_id: ann?.id,
        invited_as: roles.member,
        is_multiuse: false,
        notify_referrer_on_join: true,
      })),
    );
    expect(annsInvitations[0].expiry_date - annsInvitations[0].invited).toBe(10 * 86_400);
    expect((await listInvitations(admin)).map(({ email }) => email)).toEqual(expect.arrayContaining([viola, cesario]));
    expect((await listInvitations(ben)).map(({ email }) => email)).not.toContain(viola);
    await outsider.poll();
    expect(outsider.received.filter(({ type }: any) => type === "invites_changed")).toEqual([]);
  });

  test("an invalid or disallowed address refuses the whole request, and existing users are skipped", async () => {
    const feste = anAddress("feste");

    expect(await invite(ann, `${feste},nobody`)).toMatchObject(
      invitationFailed("Some emails did not validate, so we didn't send any invitations.", false, [
        ["nobody", "Enter a valid email address.", false],
      ]),
    );
    expect(await invite(ann, String(ben?.email))).toMatchObject(
      invitationFailed("We weren't able to invite anyone.", false, [[ben?.email, "Already has an account.", false]]),
    );
    const deactivated = await aPerson("Antonio");
    await admin?.do("DELETE", `/users/${deactivated.id}`);
    expect(await invite(ann, `${feste},${deactivated.email}`)).toMatchObject(
      invitationFailed(
        "Some of those addresses have an account already, so we didn't send them an invitation. We did send invitations to everyone else!",
        true,
        [[deactivated.email, "Account has been deactivated.", true]],
      ),
    );
    expect((await listInvitations(ann)).filter(({ email }) => email === feste)).toHaveLength(1);
    await withSettings({ emails_restricted_to_domains: true }, async () => {
      expect(await invite(ann, anAddress("fabian"))).toMatchObject({ body: { code: "INVITATION_FAILED" } });
    });
  });

  test("a disposable address refuses the whole request if the organization disallows them", async () => {
    const [feste, disposable] = [anAddress("feste"), "feste@mailinator.com"];

    await withSettings({ disallow_disposable_email_addresses: true }, async () => {
      expect(await invite(ann, `${feste},${disposable}`)).toMatchObject(
        invitationFailed("Some emails did not validate, so we didn't send any invitations.", false, [
          [disposable, "Disposable email addresses are not allowed in this organization", false],
        ]),
      );
    });
    expect((await listInvitations(ann)).map(({ email }) => email)).not.toContain(feste);
  });

  test("is refused without an address, for channels and groups without permission, and for a higher role", async () => {
    const secret = await aChannel("secret", [ben as Person], { inviteOnly: true });
    const annsGroup = await ann?.call("POST", "/user_groups/create", {
      name: anAddress("g"),
      description: "",
      members: [],
    });
    const bensGroup = await ben?.call("POST", "/user_groups/create", {
      name: anAddress("g"),
      description: "",
      members: [],
    });
    const address = anAddress("curio");

    expect(await invite(ann, " , ")).toMatchObject(refused("You must specify at least one email address."));
    expect(await invite(ann, address, { stream_ids: [secret.id] })).toMatchObject(
      refused(`Invalid channel ID ${secret.id}. No invites were sent.`),
    );
    expect(await invite(ann, address, { group_ids: [bensGroup?.body.group_id] })).toMatchObject(
      refused("Insufficient permission"),
    );
    expect(await invite(ann, address, { group_ids: [9_999_999] })).toMatchObject(refused("Invalid user group"));
    for (const invite_as of [roles.administrator, roles.moderator])
      expect(await invite(ann, address, { invite_as })).toMatchObject(
        refused("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
      );
    expect(await invite(admin, address, { invite_as: roles.owner })).toMatchObject(
      refused("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL"),
    );
    expect(await invite(ann, address, { welcome_message_custom_text: "Ho" })).toMatchObject(
      refused("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
    );
    expect(await invite(ann, address, { invite_as: 500 })).toMatchObject(refused("Invalid invite_as"));
    expect(await invite(guest, address)).toMatchObject(refused("Not allowed for guest users"));
    expect(await (await aBot(ann as Person)).call("GET", "/invites")).toMatchObject({ status: 400 });
    expect(await invite(ann, address, { group_ids: [annsGroup?.body.group_id], invite_as: roles.guest })).toMatchObject(
      success,
    );
  });

  test("inviting to channels needs the permission to add subscribers, except for default channels", async () => {
    const [hall, green] = [await aChannel("hall", [ann as Person]), await aChannel("green", [ann as Person])];
    await admin?.do("POST", "/default_streams", { stream_id: green.id });

    await withSettings({ can_add_subscribers_group: nobody }, async () => {
      expect(await invite(ann, anAddress("valentine"), { stream_ids: [hall.id] })).toMatchObject(
        refused("You do not have permission to subscribe other users to channels."),
      );
      expect(await invite(ann, anAddress("valentine"), { stream_ids: [green.id] })).toMatchObject(success);
    });
    await admin?.do("DELETE", "/default_streams", { stream_id: green.id });
  });

  test("is limited to a hundred invitations a day", async () => {
    const addresses = Array.from({ length: 101 }, (_, index) => `sailor-${index}@sea.test`).join(",");

    expect(await invite(admin, addresses)).toMatchObject({
      status: 400,
      body: { code: "INVITATION_FAILED", daily_limit_reached: true, sent_invitations: false },
    });
  });

  test("is limited to five invitations to one address a day, also by resending", async () => {
    const [duke, other] = [anAddress("duke"), anAddress("other")];
    for (const inviter of [ann, admin, owner]) expect(await invite(inviter, duke)).toMatchObject(success);
    const { id } = (await listInvitations(ann)).find(({ email }) => email === duke);
    for (let time = 0; time < 2; time++)
      expect(await ann?.call("POST", `/invites/${id}/resend`)).toMatchObject(success);
    const notInvited = [[duke, "Has been sent 5 invitations today.", false]];

    expect(await ann?.call("POST", `/invites/${id}/resend`)).toMatchObject(
      invitationFailed("We weren't able to invite anyone.", false, notInvited),
    );
    expect(await invite(admin, `${duke},${other}`)).toMatchObject(
      invitationFailed(
        "We didn't send an invitation to some of those addresses. We did send invitations to everyone else!",
        true,
        notInvited,
      ),
    );
    await linkMailedTo(other, "has invited you");
    await linkMailedTo(duke, "has invited you", 5);
    expect(await mailsTo(duke)).toHaveLength(5);
  });

  test("can_invite_users_group: who may invite by mail", async () => {
    await withSettings({ can_invite_users_group: nobody }, async () => {
      expect(await invite(ann, anAddress("maria"))).toMatchObject(refused("Insufficient permission"));
    });
  });
});

describe("links", () => {
  test("create_multiuse_invite_group: who may create them, by default administrators", async () => {
    expect(await createLink(ann)).toMatchObject(refused("Insufficient permission"));
    await withSettings({ create_multiuse_invite_group: members }, async () => {
      expect(await createLink(ann)).toMatchObject(success);
      expect(await createLink(ann, { invite_as: roles.administrator })).toMatchObject({
        body: { code: "UNAUTHORIZED_PRINCIPAL" },
      });
    });
  });

  test("are in the list for those who may manage them", async () => {
    const { invite_link } = (await createLink(owner, { invite_expires_in_minutes: null })).body;

    const [invitation] = (await listInvitations(admin)).filter(({ link_url }) => link_url === invite_link);
    expect(invitation).toMatchObject({ is_multiuse: true, expiry_date: null, invited_by_user_id: owner?.id });
    expect(invitation).not.toHaveProperty("email");
    expect((await listInvitations(ann)).map(({ link_url }) => link_url)).not.toContain(invite_link);
  });
});

describe("revoking and resending", () => {
  const idOf = async (email: string) =>
    (await listInvitations(admin)).find((each) => each.email === email)?.id as number;

  test("users may revoke their own invitations, administrators any, but those for owners only owners", async () => {
    const [toby, andrew] = [anAddress("toby"), anAddress("andrew")];
    await invite(ann, toby);
    await invite(owner, andrew, { invite_as: roles.owner });
    const [tobys, andrews] = [await idOf(toby), await idOf(andrew)];

    expect(await ben?.call("DELETE", `/invites/${tobys}`)).toMatchObject(
      refused("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
    );
    expect(await admin?.call("DELETE", `/invites/${andrews}`)).toMatchObject(
      refused("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL"),
    );
    expect(await admin?.call("DELETE", `/invites/multiuse/${tobys}`)).toMatchObject(refused("No such invitation"));
    const listener = await listen(ann as Person);
    expect(await admin?.call("DELETE", `/invites/${tobys}`)).toMatchObject(success);
    await listener.next("invites_changed");
    expect(await ann?.call("DELETE", `/invites/${tobys}`)).toMatchObject(refused("No such invitation"));
  });

  test("a revoked link leaves the list, and other members cannot revoke it", async () => {
    const { invite_link } = (await createLink(admin)).body;
    const { id } = (await listInvitations(admin)).find(({ link_url }) => link_url === invite_link);

    expect(await ann?.call("DELETE", `/invites/multiuse/${id}`)).toMatchObject({
      body: { code: "UNAUTHORIZED_PRINCIPAL" },
    });
    expect(await owner?.call("DELETE", `/invites/${id}`)).toMatchObject(refused("No such invitation"));
    expect(await owner?.call("DELETE", `/invites/multiuse/${id}`)).toMatchObject(success);
    expect((await listInvitations(admin)).map(({ link_url }) => link_url)).not.toContain(invite_link);
  });

  test("a deactivated user's invitations are revoked", async () => {
    const [leaver, invitedAddress] = [await aPerson("Sebastian"), anAddress("olivia")];
    await invite(leaver, invitedAddress);
    expect(await idOf(invitedAddress)).toBeDefined();

    await admin?.do("DELETE", `/users/${leaver.id}`);

    expect(await idOf(invitedAddress)).toBeUndefined();
  });

  test("resending mails the same link, and others' invitations need an administrator", async () => {
    const address = anAddress("priest");
    await invite(ann, address);
    const id = await idOf(address);
    const firstLink = await linkMailedTo(address, "Ann has invited you");

    expect(await ben?.call("POST", `/invites/${id}/resend`)).toMatchObject({
      body: { code: "UNAUTHORIZED_PRINCIPAL" },
    });
    expect(await admin?.call("POST", `/invites/${id}/resend`)).toMatchObject(success);

    expect(await linkMailedTo(address, "Ann has invited you", 2)).toBe(firstLink);
  });

  test("resending is refused when the day's invitations are used up", async () => {
    const address = anAddress("priest");
    await invite(ann, address);
    const id = await idOf(address);
    const [day, now] = [{ name: "invitations", seconds: 86_400 }, Date.now() / 1000];
    await addRequests(day, now, creationLimits.invitation.perDay);

    const reply = await ann?.call("POST", `/invites/${id}/resend`);

    await addRequests(day, now, -creationLimits.invitation.perDay);
    expect(reply).toMatchObject({ status: 400, body: { code: "INVITATION_FAILED", daily_limit_reached: true } });
  });
});

costTest("creating a link costs at most 12 write units, inviting a user 20, revoking an invitation 11", async () => {
  const address = anAddress("captain");
  const costs = [await createLink(owner), await invite(owner, address)];
  const { id } = (await listInvitations(owner)).find((each) => each.email === address);
  costs.push((await owner?.call("DELETE", `/invites/${id}`)) as (typeof costs)[0]);

  for (const [index, maxWriteUnits] of [12, 20, 11].entries())
    expect(costs[index]?.cost.writeUnits).toBeLessThanOrEqual(maxWriteUnits);
});
