import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { aBot, anAddress } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** The user object in each reply that contains it, and errors of the endpoints for users. */

let rosalind: Person;
let admin: Person;
let touchstone: Person;
beforeAll(async () => {
  [rosalind, admin] = await Promise.all([aPerson("Rosalind"), aPerson("Duke", { role: "administrator" })]);
  touchstone = await aBot(rosalind, 3);
});

const gravatar = (email: string) =>
  `https://secure.gravatar.com/avatar/${createHash("md5").update(email).digest("hex")}?d=identicon&version=1`;
const userObject = ({ id, email, name }: Person, overrides: object = {}) => ({
  user_id: id,
  email,
  delivery_email: email,
  full_name: name,
  date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00$/),
  is_active: true,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  role: 400,
  timezone: "",
  avatar_url: null,
  avatar_version: 1,
  presence_enabled: true,
  ...overrides,
});
const success = { result: "success", msg: "" };

test.each([
  ["owner", { role: 100, is_owner: true, is_admin: true }],
  ["administrator", { role: 200, is_admin: true }],
  ["moderator", { role: 300 }],
  ["member", { role: 400 }],
  ["guest", { role: 600, is_guest: true }],
] as const)("the object of a %s is complete: by ID, by address, in the list and as own user", async (role, flags) => {
  const person = await aPerson("Orlando", { role });
  const user = userObject(person, flags);

  for (const idOrEmail of [person.id, person.email])
    expect((await rosalind.call("GET", `/users/${idOrEmail}`)).body).toEqual({ ...success, user });
  expect((await rosalind.call("GET", "/users", { user_ids: [person.id] })).body).toEqual({
    ...success,
    members: [user],
  });
  const own = (await person.call("GET", "/users/me")).body;
  expect(own).toEqual({
    ...success,
    ...user,
    avatar_url: gravatar(person.email),
    profile_data: {},
    max_message_id: expect.any(Number),
  });
  const parameters = { client_gravatar: false, include_custom_profile_fields: true };
  const fullUser = { ...user, avatar_url: gravatar(person.email), profile_data: {} };
  expect((await rosalind.call("GET", `/users/${person.id}`, parameters)).body.user).toEqual(fullUser);
  expect((await rosalind.call("GET", "/users", { ...parameters, user_ids: [person.id] })).body.members).toEqual([
    fullUser,
  ]);
});

test("the object of a bot has its type and owner, and no profile", async () => {
  const user = userObject(touchstone, { is_bot: true, bot_type: 3, bot_owner_id: rosalind.id });

  const parameters = { include_custom_profile_fields: true };
  expect((await admin.call("GET", `/users/${touchstone.id}`, parameters)).body).toEqual({ ...success, user });
  expect((await touchstone.call("GET", "/users/me")).body).toMatchObject({
    ...user,
    avatar_url: expect.stringContaining("gravatar.com"),
  });
});

const password = "the-quality-of-mercy";
const badRequest = "BAD_REQUEST";
const unauthorized = "UNAUTHORIZED_PRINCIPAL";
const newUser = () => ({ email: anAddress(), full_name: "Audrey", password });

test.each<[string, () => [Person, string, string, object, string, string | RegExp]]>([
  [
    "creating a user as a bot",
    () => [touchstone, "POST", "/users", newUser(), unauthorized, "Must be an organization administrator"],
  ],
  [
    "creating a user with an address in use",
    () => [
      admin,
      "POST",
      "/users",
      { ...newUser(), email: rosalind.email.toUpperCase() },
      badRequest,
      /already in use/,
    ],
  ],
  ["deactivating an unknown user", () => [admin, "DELETE", "/users/99999999", {}, badRequest, "No such user"]],
  ["deactivating a bot as a user", () => [admin, "DELETE", `/users/${touchstone.id}`, {}, badRequest, "No such user"]],
  [
    "deactivating a user as a member",
    () => [rosalind, "DELETE", `/users/${admin.id}`, {}, badRequest, "Insufficient permission"],
  ],
  ["reactivating an unknown user", () => [admin, "POST", "/users/99999999/reactivate", {}, badRequest, "No such user"]],
  [
    "reading the status of an unknown user",
    () => [rosalind, "GET", "/users/99999999/status", {}, badRequest, "No such user"],
  ],
  [
    "setting the status of a bot",
    () => [admin, "POST", `/users/${touchstone.id}/status`, { status_text: "x" }, badRequest, "No such user"],
  ],
  [
    "setting a status without parameters",
    () => [admin, "POST", `/users/${rosalind.id}/status`, {}, badRequest, "Client did not pass any new values."],
  ],
  [
    "reading a user by an unknown address",
    () => [rosalind, "GET", "/users/nobody-at-all@globe.test", {}, badRequest, "No such user"],
  ],
  [
    "making an owner as an administrator",
    () => [admin, "PATCH", `/users/${rosalind.id}`, { role: 100 }, unauthorized, "Must be an organization owner"],
  ],
  [
    "changing a name to an empty one",
    () => [admin, "PATCH", `/users/${rosalind.id}`, { full_name: " " }, badRequest, "Name too short!"],
  ],
  [
    "changing a user by an unknown address",
    () => [admin, "PATCH", "/users/nobody-at-all@globe.test", { full_name: "X Y" }, badRequest, "No such user"],
  ],
  [
    "regenerating the key of an unknown bot",
    () => [admin, "POST", "/bots/99999999/api_key/regenerate", {}, badRequest, "No such bot"],
  ],
])("%s is refused", async (_, refusal) => {
  const [by, method, path, params, code, msg] = refusal();

  const { status, body } = await by.call(method, path, { ...params });

  expect([status, body.result, body.code]).toEqual([400, "error", code]);
  expect(body.msg).toMatch(msg);
});

test("the comment of a deactivation may be omitted, empty, or of the maximum length", async () => {
  for (const params of [
    {},
    { deactivation_notification_comment: "" },
    { deactivation_notification_comment: "x".repeat(2000) },
  ]) {
    const { id } = await aPerson("Adam");
    expect((await admin.call("DELETE", `/users/${id}`, params)).body).toEqual(success);
    expect((await rosalind.call("GET", `/users/${id}`)).body.user.is_active).toBe(false);
  }
});

test("a request without valid credentials gets an error that explains them", async () => {
  const { email, apiKey } = rosalind;
  for (const credentials of [undefined, { email, apiKey: "x" }, { email: "nobody-at-all@globe.test", apiKey }]) {
    const reply = await call("GET", "/users/me", {}, credentials ? { credentials } : {});
    expect(reply).toMatchObject({
      status: 401,
      body: { result: "error", code: "UNAUTHORIZED", msg: expect.any(String) },
    });
    expect(reply.headers["www-authenticate"]).toBe('Basic realm="zulip"');
  }
});
