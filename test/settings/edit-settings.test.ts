import { beforeAll, describe, expect, test } from "vitest";
import { userSettingNames } from "../../shared/base/schema/user-settings.ts";
import { unsupportedUserSettings } from "../../shared/services/organization/unsupported.ts";
import { linkMailedTo, submit } from "../support/accounts.ts";
import { listen } from "../support/listener.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { aBot, anAddress } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let olivia: Person;
let admin: Person;
beforeAll(async () => {
  [olivia, admin] = await Promise.all([aPerson("Olivia"), aPerson("Orsino", { role: "administrator" })]);
});
const settingsOf = async (person: Person) =>
  (await person.call("POST", "/register", { fetch_event_types: ["user_settings"] })).body.user_settings;
const change = (person: Person, params: Record<string, unknown>) => person.call("PATCH", "/settings", params);

/** Values of the settings that are not booleans, each different from the default. */
const nonDefaultValues: Record<string, unknown> = {
  web_mark_read_on_scroll_policy: 3,
  web_channel_default_view: 4,
  web_font_size_px: 20,
  web_line_height_percent: 120,
  color_scheme: 2,
  demote_inactive_streams: 3,
  user_list_style: 2,
  web_stream_unreads_count_display_policy: 1,
  email_notifications_batching_period_seconds: 60,
  desktop_icon_count_display: 2,
  realm_name_in_email_notifications_policy: 3,
  automatically_follow_topics_policy: 4,
  automatically_unmute_topics_in_muted_streams_policy: 1,
  email_address_visibility: 3,
  default_language: "de",
  web_home_view: "recent_topics",
  emojiset: "twitter",
  web_animate_image_previews: "never",
  timezone: "Europe/Zurich",
  notification_sound: "ding",
};
const supported = userSettingNames.filter((name) => !unsupportedUserSettings.has(name));

test("every supported setting can be changed, alone or with others, and is returned at registration", async () => {
  const feste = await aPerson("Feste");
  const before = await settingsOf(feste);
  const params = Object.fromEntries(
    supported.map((name) => [name, name in nonDefaultValues ? nonDefaultValues[name] : !before[name]]),
  );

  const { body } = await change(feste, params);

  expect(body).toEqual({ result: "success", msg: "" });
  expect(await settingsOf(feste)).toMatchObject(params);
  expect(Object.keys(before).sort()).toEqual(
    [...userSettingNames, "available_notification_sounds", "emojiset_choices"].sort(),
  );
});

test("strings may be raw or JSON, null is refused, and unknown settings are reported", async () => {
  const feste = await aPerson("Feste");

  const { body } = await change(feste, { emojiset: '"text"', motley: "1" });
  const withNull = await change(feste, { twenty_four_hour_time: "null" });

  expect(body).toEqual({ result: "success", msg: "", ignored_parameters_unsupported: ["motley"] });
  expect(await settingsOf(feste)).toMatchObject({ emojiset: "text", twenty_four_hour_time: false });
  expect(withNull).toMatchObject({ status: 400, body: { msg: "twenty_four_hour_time is not a boolean" } });
});

test("each change causes an event for the user's own clients, and an unchanged value none", async () => {
  const feste = await aPerson("Feste");
  const listener = await listen(feste, { event_types: ["user_settings"] });

  await change(feste, { default_language: "de", enter_sends: true, color_scheme: 1 });

  expect(await listener.next("user_settings")).toMatchObject({
    op: "update",
    property: "default_language",
    value: "de",
    language_name: "Deutsch",
  });
  const { id: _, ...second } = await listener.next("user_settings");
  expect(second).toEqual({ type: "user_settings", op: "update", property: "enter_sends", value: true });
  expect(await listener.poll()).toEqual([]);
});

test.each([
  ["de", "Deutsch"],
  ["pt_BR", "português (Brasil)"],
  ["zh_Hant_TW", "中文（繁體，台灣）"],
  ["en-gb", "British English"],
])("%s is a language, whose name in itself is %s", async (default_language, language_name) => {
  const feste = await aPerson("Feste");
  const listener = await listen(feste, { event_types: ["user_settings"] });

  await change(feste, { default_language });

  expect(await listener.poll()).toMatchObject([{ value: default_language, language_name }]);
});

test.each([
  ["color_scheme", 9],
  ["enter_sends", "maybe"],
  ["web_font_size_px", 4],
  ["emojiset", "runes"],
  ["timezone", "Illyria/Coast"],
  ["default_language", "?"],
  ["email_address_visibility", 0],
  ["email_notifications_batching_period_seconds", -1],
])("an invalid value of %s is refused", async (name, value) => {
  const { status, body } = await change(olivia, { [name]: value });

  expect(status).toBe(400);
  expect(body).toMatchObject({ code: "BAD_REQUEST", msg: expect.stringContaining(name) });
});

describe("changes of settings that others can see", () => {
  test("the time zone and the name are sent to everyone", async () => {
    const feste = await aPerson("Feste");
    const listener = await listen(olivia, { event_types: ["realm_user"] });

    await change(feste, { timezone: "Europe/Zurich", full_name: "Clown" });

    expect((await olivia.call("GET", `/users/${feste.id}`)).body.user).toMatchObject({
      timezone: "Europe/Zurich",
      full_name: "Clown",
    });
    const received: any[] = [];
    while (received.length < 2) {
      const { person } = await listener.next("realm_user");
      if (person.user_id === feste.id) received.push(person);
    }
    expect(received).toEqual([
      { user_id: feste.id, timezone: "Europe/Zurich", email: feste.email },
      { user_id: feste.id, full_name: "Clown" },
    ]);
  });

  test("users who may no longer see an address get an event, and others only one for the delivery address", async () => {
    const feste = await aPerson("Feste");
    const listeners = await Promise.all(
      [olivia, admin].map((person) => listen(person, { event_types: ["realm_user"] })),
    );

    await change(feste, { email_address_visibility: 3 });

    const eventsUntilRenamed = async (listener: (typeof listeners)[number] | undefined) => {
      let person = (await listener!.next("realm_user")).person;
      const received: any[] = [];
      for (;;) {
        if (person.user_id === feste.id) received.push(person);
        if (person.new_email && person.user_id === feste.id) return received;
        person = (await listener!.next("realm_user")).person;
      }
    };
    const renamed = { user_id: feste.id, new_email: `user${feste.id}@skein.invalid` };
    expect(await eventsUntilRenamed(listeners[0])).toEqual([{ user_id: feste.id, delivery_email: null }, renamed]);
    expect(await eventsUntilRenamed(listeners[1])).toEqual([renamed]);
    await olivia.do("POST", "/messages", { type: "direct", to: [feste.id], content: "Take the fool away" });
    const { messages } = (await feste.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0 })).body;
    expect(messages[0].display_recipient.map(({ email }: any) => email)).toContain(`user${feste.id}@skein.invalid`);
  });
});

describe("the user's own account", () => {
  const [old_password, new_password] = ["i-am-not-what-i-am", "some-are-born-great-others"];

  test("a new password replaces the old one", async () => {
    const feste = await aPerson("Feste", { password: old_password });
    const login = async (password: string) =>
      (await call("POST", "/fetch_api_key", { username: feste.email, password })).status;

    expect((await change(feste, { old_password, new_password })).status).toBe(200);
    expect([await login(new_password), await login(old_password)]).toEqual([200, 401]);
  });

  test.each([
    ["without the old password", { new_password }, "Wrong password!"],
    ["with a wrong old password", { old_password: "x", new_password }, "Wrong password!"],
    ["that is weak", { old_password, new_password: "feste" }, "New password is too weak!"],
  ])("a new password %s is refused", async (_, params, msg) => {
    const feste = await aPerson("Feste", { password: old_password });

    expect(await change(feste, params)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
  });

  test("a new password is refused where password login is disabled", async () => {
    const feste = await aPerson("Feste", { password: old_password });

    await withSettings({ password_auth_enabled: false }, async () => {
      expect(await change(feste, { old_password, new_password })).toMatchObject({
        status: 401,
        body: { code: "PASSWORD_AUTH_DISABLED" },
      });
    });
  });

  test("after the new address is confirmed, only it authenticates, and the old address is notified", async () => {
    const feste = await aPerson("Feste");
    const email = anAddress("clown");

    expect((await change(feste, { email })).status).toBe(200);
    await submit(await linkMailedTo(email, "Confirm your new email address"), {});
    const own = await call("GET", "/users/me", {}, { credentials: { email, apiKey: feste.apiKey } });
    expect(own.body).toMatchObject({ user_id: feste.id, delivery_email: email, avatar_version: 2 });
    const [mail] = await eventually(async () => {
      const mails = await mailsTo(feste.email);
      return mails.length > 0 && mails;
    });
    expect(mail?.subject).toMatch(/^The email address of your account on .* has changed$/);
    expect(mail?.text).toContain(`was changed from ${feste.email} to ${email}.`);
    expect((await feste.call("GET", "/users/me")).status).toBe(401);
  });

  test.each([
    ["another user's address", () => ({ email: admin.email }), expect.stringMatching(/already in use/)],
    ["an invalid address", () => ({ email: "clown" }), "Enter a valid email address."],
    ["an empty name", () => ({ full_name: "" }), "Name too short!"],
  ])("%s is refused", async (_, params, msg) => {
    expect(await change(olivia, params())).toMatchObject({ status: 400, body: { msg } });
  });

  test("bots, and requests without credentials, are refused", async () => {
    expect(await change(await aBot(olivia), { enter_sends: true })).toMatchObject({ status: 400 });
    expect(await call("PATCH", "/settings", { enter_sends: true })).toMatchObject({ status: 401 });
  });
});
