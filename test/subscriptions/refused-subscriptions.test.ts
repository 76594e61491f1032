import { expect, test } from "vitest";
import { members } from "../../shared/base/schema/system-groups.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const path = "/users/me/subscriptions";
const add = (person: Person, names: string[], params: Record<string, unknown> = {}) =>
  person.call("POST", path, { subscriptions: names.map((name) => ({ name })), ...params });

test("one forbidden channel fails the whole request, or is listed as unauthorized if authorization_errors_fatal is false", async () => {
  const [hamlet, guest] = [await aPerson("Hamlet"), await aPerson("Osric", { role: "guest" })];
  const open = await aChannel("open", []);
  const closed = await aChannel("closed", [], { inviteOnly: true });

  const fatal = await add(hamlet, [open.name, closed.name]);
  const listed = await add(hamlet, [open.name, closed.name], { authorization_errors_fatal: false });

  expect(fatal).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Unable to access channel (${closed.name}).` },
  });
  expect(listed.body).toMatchObject({ subscribed: { [hamlet.id]: [open.name] }, unauthorized: [closed.name] });
  expect((await add(guest, [open.name])).body.msg).toBe("Not allowed for guest users");
});

test("unknown and deactivated principals, and invalid names, are refused", async () => {
  const [hamlet, yorick] = [await aPerson("Hamlet"), await aPerson("Yorick")];
  await transact([
    updateAccount(yorick.email, { set: { active: false } }),
    updateUser(yorick.id, { set: { active: false } }),
  ]);
  const name = unique("grave");
  const messageOf = async (reply: ReturnType<Person["call"]>) => {
    const { status, body } = await reply;
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    return body.msg;
  };

  expect(await messageOf(add(hamlet, [name], { principals: [999_999_999] }))).toBe("No such user");
  expect(await messageOf(add(hamlet, [name], { principals: ["nobody@nowhere.test"] }))).toBe("No such user");
  expect(await messageOf(add(hamlet, [name], { principals: [yorick.id] }))).toBe("User is deactivated");
  expect(await messageOf(add(hamlet, ["  "]))).toBe("Channel name can't be empty.");
  expect(await messageOf(add(hamlet, ["x".repeat(61)]))).toBe("Channel name too long (limit: 60 characters).");
  expect(await messageOf(add(hamlet, ["a\u0007b"]))).toBe("Invalid character in channel name, at position 2!");
  expect(await messageOf(hamlet.call("POST", path, { subscriptions: [{ description: "x" }] }))).toContain("name");
  expect(await messageOf(hamlet.call("POST", path, { subscriptions: [{ name, description: "x".repeat(1025) }] }))).toBe(
    "description is too long (limit: 1024 characters)",
  );
  expect((await hamlet.call("GET", "/get_stream_id", { stream: name })).status).toBe(400);
});

test("settings that need a role or a permission are refused without it", async () => {
  const hamlet = await aPerson("Hamlet");
  const attempt = async (params: Record<string, unknown>) => (await add(hamlet, [unique("x")], params)).body;

  expect(await attempt({ is_default_stream: true })).toMatchObject({ msg: "Insufficient permission" });
  expect(await attempt({ is_default_stream: true, invite_only: true })).toMatchObject({
    msg: "A default channel cannot be private.",
  });
  expect(await attempt({ message_retention_days: 5 })).toMatchObject({ code: "UNAUTHORIZED_PRINCIPAL" });
  expect(await attempt({ message_retention_days: "soon" })).toEqual({
    result: "error",
    msg: "Bad value for 'message_retention_days': soon",
    code: "REQUEST_VARIABLE_INVALID",
    var_name: "message_retention_days",
    bad_value: "soon",
  });
  expect(await attempt({ is_web_public: true })).toMatchObject({ msg: "Web-public channels are not enabled." });
  expect(await attempt({ can_delete_any_message_group: members })).toMatchObject({ msg: "Insufficient permission" });
  expect(await attempt({ can_subscribe_group: 7 })).toMatchObject({
    msg: "'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
  });
  expect(await attempt({ folder_id: 999_999 })).toMatchObject({ msg: "Invalid channel folder ID" });
  expect(await attempt({ topics_policy: "some" })).toMatchObject({ msg: "Invalid topics_policy" });
  expect(await attempt({ message_retention_days: "realm_default", topics_policy: '"inherit"' })).toMatchObject({
    result: "success",
  });
});
