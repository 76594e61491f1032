import { beforeAll, describe, expect, test } from "vitest";
import { multipart, png } from "../support/files.ts";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let jaques: Person;
let admin: Person;
beforeAll(async () => {
  [jaques, admin] = await Promise.all([aPerson("Jaques"), aPerson("Duke Senior", { role: "administrator" })]);
});
const statusOf = async ({ id }: Person) => (await admin.call("GET", `/users/${id}/status`)).body.status;
const set = (person: Person, parts: Record<string, unknown>) => person.call("POST", "/users/me/status", parts);

describe("a user's status", () => {
  test("is empty at first, then has the parts that were set, until they are cleared", async () => {
    const touchstone = await aPerson("Touchstone");

    expect(await statusOf(touchstone)).toEqual({});
    expect((await set(touchstone, { status_text: " in the forest ", emoji_name: "smile" })).body).toEqual({
      result: "success",
      msg: "",
    });
    expect(await statusOf(touchstone)).toEqual({
      status_text: "in the forest",
      emoji_name: "smile",
      emoji_code: "1f604",
      reaction_type: "unicode_emoji",
    });
    await set(touchstone, { emoji_name: "" });
    expect(await statusOf(touchstone)).toEqual({ status_text: "in the forest" });
    await set(touchstone, { status_text: "" });
    expect(await statusOf(touchstone)).toEqual({});
  });

  test("is cleared by parts of an emoji that are all empty, as clients send them", async () => {
    const touchstone = await aPerson("Touchstone");
    await set(touchstone, { emoji_name: "smile" });

    const reply = await set(touchstone, { emoji_name: "", emoji_code: "", reaction_type: "" });

    expect(reply.body).toEqual({ result: "success", msg: "" });
    expect(await statusOf(touchstone)).toEqual({});
  });

  test("may have an emoji of each kind, with its code and type or by name alone", async () => {
    const touchstone = await aPerson("Touchstone");

    await set(touchstone, { emoji_name: "heart", emoji_code: "2764", reaction_type: "unicode_emoji" });
    expect(await statusOf(touchstone)).toMatchObject({ emoji_name: "heart", emoji_code: "2764" });
    await set(touchstone, { emoji_name: "zulip" });
    expect(await statusOf(touchstone)).toMatchObject({ emoji_code: "zulip", reaction_type: "service_extra_emoji" });
    await set(touchstone, { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" });
    expect(await statusOf(touchstone)).toMatchObject({ reaction_type: "service_extra_emoji" });
  });

  test("is sent to everyone, with only the changed parts", async () => {
    const touchstone = await aPerson("Touchstone");
    const listener = await listen(jaques, { event_types: ["user_status"] });
    const next = async () => {
      for (;;) {
        const { id: _, ...event } = await listener.next("user_status");
        if (event.user_id === touchstone.id) return event;
      }
    };

    await set(touchstone, { status_text: "busy" });
    expect(await next()).toEqual({ type: "user_status", user_id: touchstone.id, status_text: "busy" });
    await set(touchstone, { emoji_name: "" });
    expect(await next()).toEqual({
      type: "user_status",
      user_id: touchstone.id,
      emoji_name: "",
      emoji_code: "",
      reaction_type: "unicode_emoji",
    });
    const state = (await jaques.call("POST", "/register", { fetch_event_types: ["user_status"] })).body.user_status;
    expect(state[touchstone.id]).toEqual({ status_text: "busy" });
  });

  test("includes `away` while the presence setting is off", async () => {
    const touchstone = await aPerson("Touchstone");
    const sharesPresence = async () => (await jaques.call("GET", `/users/${touchstone.id}`)).body.user.presence_enabled;
    const settings = async () =>
      (await touchstone.call("POST", "/register", { fetch_event_types: ["user_settings"] })).body.user_settings;

    await set(touchstone, { away: true });
    expect(await statusOf(touchstone)).toEqual({ away: true });
    expect(await settings()).toMatchObject({ presence_enabled: false });
    expect(await sharesPresence()).toBe(false);
    await touchstone.do("PATCH", "/settings", { presence_enabled: true });
    expect(await sharesPresence()).toBe(true);
    expect(await statusOf(touchstone)).toEqual({});
  });
});

test.each([
  ["no parameters", {}, "Client did not pass any new values."],
  ["a text that is too long", { status_text: "x".repeat(61) }, "status_text is too long (limit: 60 characters)"],
  ["an unknown emoji", { emoji_name: "motley" }, "Emoji 'motley' does not exist"],
  ["a code without a name", { emoji_code: "1f604" }, /Client must pass emoji_name/],
  ["a type without a name", { status_text: "x", reaction_type: "unicode_emoji" }, /Client must pass emoji_name/],
  [
    "another emoji's code",
    { emoji_name: "smile", emoji_code: "2764", reaction_type: "unicode_emoji" },
    "Invalid emoji name.",
  ],
  ["an invalid code", { emoji_name: "smile", emoji_code: "zz", reaction_type: "unicode_emoji" }, "Invalid emoji code."],
  [
    "a nonexistent custom emoji",
    { emoji_name: "x", emoji_code: "9999999", reaction_type: "realm_emoji" },
    "Invalid custom emoji.",
  ],
  ["an empty type", { emoji_name: "smile", reaction_type: "" }, "Invalid reaction_type"],
  ["an unknown type", { emoji_name: "smile", reaction_type: "motley" }, "Invalid reaction_type"],
  ["an away value that is not a boolean", { away: "perhaps" }, "away is not a boolean"],
])("setting a status with %s is refused", async (_, parts, msg) => {
  const { status, body } = await set(jaques, parts);

  expect(status).toBe(400);
  expect(body.code).toBe("BAD_REQUEST");
  expect(body.msg).toMatch(msg);
});

test("a status accepts a custom emoji by its name, with or without its ID, until the emoji is deactivated", async () => {
  const touchstone = await aPerson("Touchstone");
  const name = `motley_${touchstone.id}`;
  const { email, apiKey } = touchstone;
  const picture = multipart([{ filename: "motley.png", content: png }]);
  const added = await touchstone.call(
    "POST",
    `/realm/emoji/${name}`,
    {},
    { credentials: { email, apiKey }, ...picture },
  );
  expect(added.status).toBe(200);
  const { emoji } = (await touchstone.call("GET", "/realm/emoji")).body;
  const { id } = Object.values<{ id: string; name: string }>(emoji).find((entry) => entry.name === name) ?? { id: "" };
  const status = { emoji_name: name, emoji_code: id, reaction_type: "realm_emoji" };

  for (const parts of [{ emoji_name: name }, status]) {
    expect((await set(touchstone, { emoji_name: "" })).status).toBe(200);
    expect((await set(touchstone, parts)).body).toEqual({ result: "success", msg: "" });
    expect(await statusOf(touchstone)).toEqual(status);
  }
  expect((await admin.call("DELETE", `/realm/emoji/${name}`)).status).toBe(200);
  expect(await set(jaques, status)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
});

test("administrators can set others' statuses except away, and nobody else can", async () => {
  const touchstone = await aPerson("Touchstone");

  const { body } = await admin.call("POST", `/users/${touchstone.id}/status`, { status_text: "on leave", away: true });

  expect(body).toEqual({ result: "success", msg: "", ignored_parameters_unsupported: ["away"] });
  expect(await statusOf(touchstone)).toEqual({ status_text: "on leave" });
  expect(await jaques.call("POST", `/users/${touchstone.id}/status`, { status_text: "x" })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "Insufficient permission" },
  });
  expect(await admin.call("POST", "/users/99999999/status", { status_text: "x" })).toMatchObject({
    body: { msg: "No such user" },
  });
});

test("reading the status of bots, unknown and deactivated users is refused", async () => {
  const [robot, deactivated] = [await aBot(admin), await aPerson("Adam")];
  await admin.do("DELETE", `/users/${deactivated.id}`);

  for (const [id, msg] of [
    [robot.id, "No such user"],
    [99_999_999, "No such user"],
    [deactivated.id, "User is deactivated"],
  ])
    expect(await jaques.call("GET", `/users/${id}/status`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg },
    });
  expect(await set(robot, { status_text: "beep" })).toMatchObject({ status: 400 });
  expect(await call("GET", `/users/${jaques.id}/status`)).toMatchObject({ status: 401 });
});
