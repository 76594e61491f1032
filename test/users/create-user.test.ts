import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { roles } from "../../shared/base/schema/roles.ts";
import { listen } from "../support/listener.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { anAddress } from "../support/people.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

const password = "the-quality-of-mercy";
let portia: Person;
beforeAll(async () => {
  portia = await aPerson("Portia", { role: "administrator" });
});
const create = (overrides: Record<string, unknown> = {}, by = portia) =>
  by.call("POST", "/users", { email: anAddress(), password, full_name: "Launcelot", ...overrides });

test("an administrator creates a member, who can log in", async () => {
  const email = anAddress("launcelot");

  const { body } = await create({ email });

  expect(body).toEqual({ result: "success", msg: "", user_id: expect.any(Number) });
  const login = await call("POST", "/fetch_api_key", { username: email, password });
  expect(login.body).toMatchObject({ email, user_id: body.user_id });
  const { user } = (await portia.call("GET", `/users/${body.user_id}`, { client_gravatar: false })).body;
  expect(user).toMatchObject({ email, full_name: "Launcelot", role: roles.member, is_active: true, is_bot: false });
});

test("everyone receives events for a new user and the system groups of the role", async () => {
  const listener = await listen(portia, { event_types: ["realm_user", "user_group"] });

  const { body } = await create();

  for (;;) {
    const event = await listener.next("realm_user");
    if (event.person.user_id !== body.user_id) continue;
    expect(event).toMatchObject({ op: "add", person: { full_name: "Launcelot", role: roles.member, is_active: true } });
    break;
  }
  for (;;) {
    const event = await listener.next("user_group");
    if (event.user_ids[0] !== body.user_id) continue;
    expect(event).toEqual({
      type: "user_group",
      op: "add_members",
      group_id: 6,
      user_ids: [body.user_id],
      id: event.id,
    });
    break;
  }
});

test("new users are subscribed to the default channels, and to no others", async () => {
  const [lobby, vault] = [await aChannel("lobby", [portia], { isDefault: true }), await aChannel("vault", [portia])];
  const email = anAddress();

  const { user_id } = (await create({ email })).body;

  const key = (await call("POST", "/fetch_api_key", { username: email, password })).body.api_key;
  const { subscriptions } = (await call("GET", "/users/me/subscriptions", {}, { credentials: { email, apiKey: key } }))
    .body;
  const ids = subscriptions.map(({ stream_id }: any) => stream_id);
  expect(ids).toContain(lobby.id);
  expect(ids).not.toContain(vault.id);
  const members = (await portia.call("GET", `/streams/${lobby.id}/members`)).body.subscribers;
  expect(members).toContain(user_id);
});

test("of two concurrent creations with one address, one succeeds", async () => {
  const email = anAddress();

  const replies = await Promise.all([create({ email }), create({ email: email.toUpperCase() })]);

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(replies.find(({ status }) => status === 400)?.body).toEqual({
    result: "error",
    code: "BAD_REQUEST",
    msg: expect.stringMatching(/^Email '.*' already in use$/),
  });
});

test.each([
  [
    "an address in use",
    () => ({ email: portia.email.toUpperCase() }),
    expect.stringMatching(/^Email '.*' already in use$/),
  ],
  ["an invalid address", () => ({ email: "launcelot" }), "Enter a valid email address."],
  ["a weak password", () => ({ password: "password" }), "The password is too weak."],
  ["a short password", () => ({ password: "x1!Zq" }), "The password is too weak."],
  ["the name as password", () => ({ password: "launcelot" }), "The password is too weak."],
  ["a password that is too long", () => ({ password: "horse battery ".repeat(10) }), "The password is too weak."],
  ["a long name", () => ({ full_name: "a".repeat(101) }), "Name too long!"],
  ["an empty name", () => ({ full_name: " " }), "Name too short!"],
  ["a name with a mention's syntax", () => ({ full_name: "**Bold**" }), "Invalid characters in name!"],
  ["a name with an ID", () => ({ full_name: "Bold|12" }), "Invalid format!"],
])("creating a user refuses %s", async (_, overrides, msg) => {
  expect(await create(overrides())).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
});

test.each(["email", "password", "full_name"])("creating a user without %s is refused", async (name) => {
  expect(await create({ [name]: undefined })).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: name, msg: `Missing '${name}' argument` },
  });
});

test.each(["moderator", "member", "guest"] as const)("a %s cannot create users", async (role) => {
  expect(await create({}, await aPerson("Shylock", { role }))).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
  });
});

describe("the organization's settings", () => {
  let organization: OrganizationSession;
  const owner = "owner@globe.test";
  beforeAll(async () => {
    organization = await openOrganization();
  }, 60_000);
  afterAll(() => organization?.restoreSettings());
  const createAsOwner = (full_name = "Jessica") =>
    organization.as(owner, "POST", "/users", { email: anAddress(), password, full_name });

  test("an administrator without the permission to create users creates none", async () => {
    const change = await organization.as(owner, "PATCH", "/realm", {
      can_create_users_group: { new: { direct_members: [2], direct_subgroups: [] }, old: 3 },
    });

    expect(change).toMatchObject({ result: "success" });
    expect(await createAsOwner()).toMatchObject({ status: 400, msg: "User not authorized to create users" });
    await organization.do(owner, "PATCH", "/realm", { can_create_users_group: { new: 3 } });
    expect(await createAsOwner()).toMatchObject({ status: 200 });
  });

  test("names are unique where the organization wants that", async () => {
    await organization.do(owner, "PATCH", "/realm", { require_unique_names: true });

    expect(await createAsOwner("Viola")).toMatchObject({ msg: "Unique names required in this organization." });
    await organization.do(owner, "PATCH", "/realm", { require_unique_names: false });
    expect(await createAsOwner("Viola")).toMatchObject({ result: "success" });
  });

  test("nobody can be added if addresses are restricted and no domain is listed", async () => {
    await organization.do(owner, "PATCH", "/realm", { emails_restricted_to_domains: true });

    expect(await createAsOwner()).toMatchObject({
      code: "BAD_REQUEST",
      msg: expect.stringMatching(/^Email '.*' not allowed/),
    });
    await organization.do(owner, "PATCH", "/realm", { emails_restricted_to_domains: false });
  });
});
