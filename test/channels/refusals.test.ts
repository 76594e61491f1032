import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { aboutChannel, listen } from "../support/listener.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The errors of the endpoints for channels, default channels and folders, and the events of single properties. */

let admin: Person;
let puck: Person;
let guest: Person;
beforeAll(async () => {
  [admin, puck, guest] = await Promise.all([
    aPerson("Oberon", { role: "administrator" }),
    aPerson("Puck"),
    aPerson("Snug", { role: "guest" }),
  ]);
});
const aName = () => `wood ${randomUUID().slice(0, 18)}`;
type Refusal = [caller: Person, method: string, path: string, params: object, code: string, msg: string];
async function expectRefusals(refusals: Refusal[]) {
  for (const [caller, method, path, params, code, msg] of refusals)
    expect([method, path, params, await caller.call(method, path, { ...params })]).toMatchObject([
      method,
      path,
      params,
      { status: code === "CHANNEL_ALREADY_EXISTS" ? 409 : 400, body: { result: "error", code, msg } },
    ]);
}
const bad = "BAD_REQUEST";

test("a nonexistent or hidden channel can be neither changed, read nor archived", async () => {
  const closet = await aChannel("closet", [], { inviteOnly: true });
  const wood = await aChannel("wood", [puck]);
  for (const id of [closet.id, 99_999_999])
    await expectRefusals([
      [puck, "GET", `/streams/${id}`, {}, bad, "Invalid channel ID"],
      [puck, "GET", `/streams/${id}/members`, {}, bad, "Invalid channel ID"],
      [puck, "GET", `/users/me/${id}/topics`, {}, bad, "Invalid channel ID"],
      [puck, "GET", `/users/${puck.id}/subscriptions/${id}`, {}, bad, "Invalid channel ID"],
      [puck, "PATCH", `/streams/${id}`, { description: "x" }, bad, "Invalid channel ID"],
      [puck, "DELETE", `/streams/${id}`, {}, bad, "Invalid channel ID"],
      [puck, "POST", `/streams/${id}/delete_topic`, { topic_name: "t" }, bad, "Invalid channel ID"],
    ]);
  await expectRefusals([
    [puck, "DELETE", `/streams/${wood.id}`, {}, bad, "You do not have permission to administer this channel."],
    [guest, "PATCH", `/streams/${wood.id}`, { description: "x" }, bad, "Invalid channel ID"],
    [admin, "DELETE", "/streams/99999999", {}, bad, "Invalid channel ID"],
    [puck, "GET", "/get_stream_id", { stream: closet.name }, bad, `Invalid channel name '${closet.name}'`],
    [guest, "GET", "/streams", { include_all_active: true }, bad, "User not authorized for this query"],
  ]);
});

test("invalid names, descriptions and settings are refused on creation and on update", async () => {
  const [wood, lake] = [await aChannel("wood", [admin]), await aChannel("lake", [])];
  const refusals: [params: { name?: string; [param: string]: unknown }, code: string, msg: string][] = [
    [{ name: " " }, bad, "Channel name can't be empty."],
    [{ name: "x".repeat(61) }, bad, "Channel name too long (limit: 60 characters)."],
    [{ name: "a\u0007" }, bad, "Invalid character in channel name, at position 2!"],
    [
      { name: lake.name.toUpperCase() },
      "CHANNEL_ALREADY_EXISTS",
      `Channel '${lake.name.toUpperCase()}' already exists`,
    ],
    [{ description: "x".repeat(1025) }, bad, "description is too long (limit: 1024 characters)"],
    [{ message_retention_days: "unlimited" }, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"],
    [{ message_retention_days: 0 }, "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': 0"],
    [{ folder_id: 99_999 }, bad, "Invalid channel folder ID"],
    [{ topics_policy: "none" }, bad, "Invalid topics_policy"],
  ];
  for (const [params, code, msg] of refusals) {
    const { name, ...rest } = params;
    await expectRefusals([
      [admin, "POST", "/channels/create", { name: name ?? aName(), subscribers: [], ...rest }, code, msg],
      [admin, "PATCH", `/streams/${wood.id}`, { ...(name && { new_name: name }), ...rest }, code, msg],
    ]);
  }
});

test("privacy, history access, folder and description are changed one by one, each with an event", async () => {
  const wood = await aChannel("wood", [admin, puck], { inviteOnly: true });
  const folder = (await admin.call("POST", "/channel_folders/create", { name: aName() })).body.channel_folder_id;
  const listener = await listen(puck, { event_types: ["stream"] }, aboutChannel(wood));
  const event = { type: "stream", op: "update", stream_id: wood.id, name: wood.name, id: expect.any(Number) };
  const privacyFields = { property: "invite_only", is_web_public: false };
  const changes: [params: object, changedFields: object][] = [
    [{ history_public_to_subscribers: true }, { ...privacyFields, value: true, history_public_to_subscribers: true }],
    [{ is_private: false }, { ...privacyFields, value: false, history_public_to_subscribers: true }],
    [{ folder_id: folder }, { property: "folder_id", value: folder }],
    [{ folder_id: "null" }, { property: "folder_id", value: null }],
    [{ description: "" }, {}],
    [{ description: "deep" }, { property: "description", value: "deep", rendered_description: "<p>deep</p>" }],
  ];

  for (const [params, changedFields] of changes) {
    expect((await admin.call("PATCH", `/streams/${wood.id}`, { ...params })).body).toEqual({
      result: "success",
      msg: "",
    });
    if (Object.keys(changedFields).length > 0)
      expect(await listener.next("stream")).toEqual({ ...event, ...changedFields });
  }
  expect(await listener.poll()).toEqual([]);
});

test("only administrators can remove default channels, and archived or unknown channels are refused", async () => {
  const [wood, archived] = [await aChannel("wood", []), await aChannel("archived", [])];
  expect((await admin.call("DELETE", `/streams/${archived.id}`)).status).toBe(200);

  await expectRefusals([
    [
      puck,
      "DELETE",
      "/default_streams",
      { stream_id: wood.id },
      "UNAUTHORIZED_PRINCIPAL",
      "Must be an organization administrator",
    ],
    [admin, "POST", "/default_streams", { stream_id: archived.id }, bad, "Invalid channel ID"],
    [admin, "DELETE", "/default_streams", { stream_id: 99_999_999 }, bad, "Invalid channel ID"],
    [
      admin,
      "DELETE",
      "/default_streams",
      { stream_id: wood.id },
      bad,
      `Couldn't find channel with ID ${wood.id} among the default ones.`,
    ],
  ]);
});

test("only administrators can change folders, and names must be unique and not too long", async () => {
  const [existingName, name] = [aName(), aName()];
  await admin.do("POST", "/channel_folders/create", { name: existingName });
  const { channel_folder_id: id } = (await admin.call("POST", "/channel_folders/create", { name })).body;
  const path = `/channel_folders/${id}`;

  await expectRefusals([
    [admin, "PATCH", path, { name: " " }, bad, "Channel folder name can't be empty."],
    [admin, "PATCH", path, { name: "x".repeat(61) }, bad, "Channel folder name too long (limit: 60 characters)."],
    [admin, "PATCH", path, { name: existingName.toUpperCase() }, bad, "Channel folder name already in use"],
    [admin, "PATCH", path, { description: "x".repeat(1025) }, bad, "description is too long (limit: 1024 characters)"],
    [admin, "PATCH", "/channel_folders/99999", { is_archived: true }, bad, "Invalid channel folder ID"],
  ]);
  const { channel_folders } = (await guest.call("GET", "/channel_folders")).body;
  expect(channel_folders.find((folder: { id: number }) => folder.id === id)).toEqual({
    id,
    name,
    description: "",
    rendered_description: "",
    order: expect.any(Number),
    date_created: expect.any(Number),
    creator_id: admin.id,
    is_archived: false,
  });
});
