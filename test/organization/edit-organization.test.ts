import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { permissionSettings, plainSettings } from "../../shared/base/schema/organization-settings.ts";
import { unsupportedRealmSettings } from "../../shared/services/organization/unsupported.ts";
import { realmPermissionRules } from "../../shared/services/permissions/permission-rules.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { aPerson } from "../support/world.ts";

test.each(["moderator", "member", "guest"] as const)("a %s cannot change the organization's settings", async (role) => {
  expect(await (await aPerson("Brutus", { role })).call("PATCH", "/realm", { description: "x" })).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
  });
});

test.each([
  ["message_retention_days", 30],
  ["invite_required", false],
  ["password_auth_enabled", true],
  ["create_multiuse_invite_group", { new: 3 }],
  ["can_manage_all_groups", { new: 3 }],
])("%s can only be changed by owners", async (name, value) => {
  const admin = await aPerson("Cassius", { role: "administrator" });

  expect(await admin.call("PATCH", "/realm", { [name]: value })).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" },
  });
});

describe("the organization's settings", () => {
  let organization: OrganizationSession;
  const [owner, viola] = ["owner@globe.test", "viola@globe.test"];
  beforeAll(async () => {
    organization = await openOrganization();
  }, 60_000);
  afterAll(() => organization?.restoreSettings());
  const change = (params: Record<string, unknown>) => organization.as(owner, "PATCH", "/realm", params);
  const state = async () =>
    organization.as(viola, "POST", "/register", { fetch_event_types: ["realm"], event_types: ["realm"] });

  /** Valid new values of the settings that are not booleans. */
  const newValues: Record<string, unknown> = {
    description: "A theatre",
    default_language: "de",
    default_code_block_language: "python",
    welcome_message_custom_text: "Hello",
    empty_topic_display_name: "the pit",
    topics_policy: "disable_empty_topic",
    message_edit_history_visibility_policy: "moves",
    message_content_delete_limit_seconds: 60,
    message_content_edit_limit_seconds: 120,
    move_messages_within_stream_limit_seconds: 180,
    move_messages_between_streams_limit_seconds: 240,
    upload_quota_mib: 5000,
    message_retention_days: 365,
    session_age_limit_seconds: 7200,
    session_idle_limit_seconds: 3600,
    second_factor_required_from: 4_000_000_000,
    waiting_period_threshold: 3,
    org_type: 10,
    video_chat_provider: 1,
    jitsi_server_url: "https://calls.globe.test",
    moderation_request_channel_id: 1,
    new_stream_announcements_stream_id: 1,
    signup_announcements_stream_id: 1,
  };
  /** Settings of older clients, which follow from other settings. */
  const derivedSettings = ["wildcard_mention_policy", "mandatory_topics"];

  test("are all returned, and those that are not permissions can be changed by their names without realm_", async () => {
    const before = await state();
    const names = Object.keys(plainSettings).filter(
      (name) => !derivedSettings.includes(name) && !unsupportedRealmSettings.has(name),
    );
    const params = Object.fromEntries(names.map((name) => [name, newValues[name] ?? !before[`realm_${name}`]]));

    expect(await change(params)).toEqual({ status: 200, result: "success", msg: "" });

    const after = await state();
    for (const name of names) expect([name, after[`realm_${name}`]]).toEqual([name, params[name]]);
    expect(after).toMatchObject({ realm_mandatory_topics: true, realm_allow_edit_history: true });
    const oldValues = Object.fromEntries(names.map((name) => [name, before[`realm_${name}`]]));
    // The API returns unlimited retention as -1, and sets it by "unlimited".
    await change({ ...oldValues, message_retention_days: "unlimited" });
    expect(await state()).toMatchObject(Object.fromEntries(names.map((name) => [`realm_${name}`, oldValues[name]])));
  });

  test("that are permissions can be set to a group, or to users and groups, as far as their rules allow", async () => {
    for (const [name, rule] of Object.entries(realmPermissionRules)) {
      if (unsupportedRealmSettings.has(name)) continue;
      const before = (await state())[`realm_${name}`];
      const value = name === "can_access_all_users_group" ? 6 : 4;
      expect(await change({ [name]: { new: value, old: before } })).toMatchObject({ result: "success" });
      expect((await state())[`realm_${name}`]).toBe(value);
      const membersAndGroups = { direct_members: [2], direct_subgroups: [3] };
      const reply = await change({ [name]: { new: membersAndGroups } });
      if (rule.require_system_group)
        expect(reply).toMatchObject({ status: 400, code: "SYSTEM_GROUP_REQUIRED", setting_name: name });
      else expect((await state())[`realm_${name}`]).toEqual(membersAndGroups);
      expect(await change({ [name]: { new: 8 } })).toMatchObject({
        status: 400,
        code: "BAD_REQUEST",
        msg: `'${name}' setting cannot be set to 'role:internet' group.`,
      });
      await change({ [name]: { new: before } });
    }
    expect(Object.keys(realmPermissionRules).sort()).toEqual(Object.keys(permissionSettings).sort());
  });

  test("are not changed if one expected value is wrong", async () => {
    const before = (await state()).realm_description;

    const reply = await change({ description: "never", can_create_bots_group: { new: 3, old: 4 } });

    expect(reply).toEqual({
      status: 400,
      result: "error",
      code: "EXPECTATION_MISMATCH",
      msg: "'old' value does not match the expected value.",
    });
    expect((await state()).realm_description).toBe(before);
  });

  test("show permissions without deactivated users until they are reactivated", async () => {
    await change({ can_create_bots_group: { new: { direct_members: [2, 3], direct_subgroups: [] } } });

    await organization.do(owner, "DELETE", "/users/3");
    expect((await state()).realm_can_create_bots_group).toEqual({ direct_members: [2], direct_subgroups: [] });
    await organization.do(owner, "POST", "/users/3/reactivate");
    expect((await state()).realm_can_create_bots_group).toEqual({ direct_members: [2, 3], direct_subgroups: [] });
    await organization.do(owner, "DELETE", "/users/3");
    await change({ can_create_bots_group: { new: { direct_members: [3], direct_subgroups: [] } } });
    expect((await state()).realm_can_create_bots_group).toBe(1);
    await organization.do(owner, "POST", "/users/3/reactivate");
    await change({ can_create_bots_group: { new: 6 } });
  });

  test("cause an event for everyone when they change, and only then", async () => {
    const queue = await state();
    const events = async (last_event_id: number) =>
      (await organization.as(viola, "GET", "/events", { queue_id: queue.queue_id, last_event_id, dont_block: true }))
        .events;

    await change({ name: "The Globe", can_create_groups: { new: 4 }, topics_policy: "disable_empty_topic" });
    await change({ name: "The Globe", can_create_groups: { new: 4 } });

    const received = await events(queue.last_event_id);
    expect(received.map(({ id: _, ...event }: any) => event)).toEqual([
      {
        type: "realm",
        op: "update_dict",
        property: "default",
        data: { name: "The Globe", can_create_groups: 4, topics_policy: "disable_empty_topic", mandatory_topics: true },
      },
    ]);
    expect((await state()).realm_name).toBe("The Globe");
    await change({ name: "Globe Theatre", can_create_groups: { new: 6 }, topics_policy: "allow_empty_topic" });
  });

  test("are all changed by concurrent requests that each change one", async () => {
    const replies = await Promise.all([
      change({ waiting_period_threshold: 2 }),
      change({ video_chat_provider: 1 }),
      change({ org_type: 7 }),
    ]);

    expect(replies.map(({ result }) => result)).toEqual(["success", "success", "success"]);
    expect(await state()).toMatchObject({
      realm_waiting_period_threshold: 2,
      realm_video_chat_provider: 1,
      realm_org_type: 7,
    });
  });

  test("make a login by password return 401 while password_auth_enabled is false", async () => {
    const login = () =>
      organization.as(undefined, "POST", "/fetch_api_key", { username: viola, password: "what-country-friends" });
    await change({ password_auth_enabled: false });

    expect(await login()).toMatchObject({ status: 401, code: "PASSWORD_AUTH_DISABLED" });
    await change({ password_auth_enabled: true });
    expect(await login()).toMatchObject({ status: 200, user_id: 2 });
  });

  test("let only administrators change names and addresses if such changes are disabled", async () => {
    await change({ name_changes_disabled: true, email_changes_disabled: true });

    expect(await organization.as(viola, "PATCH", "/settings", { full_name: "Cesario" })).toMatchObject({
      msg: "Name changes are disabled in this organization.",
    });
    expect(await organization.as(viola, "PATCH", "/settings", { email: "cesario@globe.test" })).toMatchObject({
      msg: "Email address changes are disabled in this organization.",
    });
    expect(await organization.as(owner, "PATCH", "/settings", { full_name: "The Owner" })).toMatchObject({
      result: "success",
    });
  });

  test.each([
    [
      { message_retention_days: "for ever" },
      { code: "REQUEST_VARIABLE_INVALID", var_name: "message_retention_days", bad_value: "for ever" },
    ],
    [{ message_content_edit_limit_seconds: 0 }, { code: "REQUEST_VARIABLE_INVALID", bad_value: 0 }],
    [{ topics_policy: "none" }, { code: "BAD_REQUEST", msg: "Invalid topics_policy" }],
    [{ name: " " }, { code: "BAD_REQUEST", msg: "name cannot be blank" }],
    [{ name: "x".repeat(41) }, { code: "BAD_REQUEST", msg: "name is too long (limit: 40 characters)" }],
    [
      { description: "x".repeat(1001) },
      { code: "BAD_REQUEST", msg: "description is too long (limit: 1000 characters)" },
    ],
    [{ default_language: "?" }, { code: "BAD_REQUEST", msg: "Invalid default_language" }],
    [{ new_stream_announcements_stream_id: 999_999_999 }, { code: "BAD_REQUEST", msg: "Invalid channel ID" }],
    [{ invite_required: "yes" }, { code: "BAD_REQUEST", msg: "invite_required is not a boolean" }],
    [{ can_create_groups: 3 }, { code: "BAD_REQUEST", msg: "can_create_groups is not a dict" }],
    [{ can_create_groups: { new: 999_999_999 } }, { code: "BAD_REQUEST", msg: "Invalid user group ID: 999999999" }],
    [
      { can_create_groups: { new: { direct_members: [999_999_999], direct_subgroups: [] } } },
      { msg: "Invalid user ID: 999999999" },
    ],
  ])("are refused when they are %j", async (params, error) => {
    expect(await change(params)).toMatchObject({ status: 400, result: "error", ...error });
  });
});
