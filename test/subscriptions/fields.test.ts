import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The fields of subscriptions with their defaults, and the values that requests may set. */

const path = "/users/me/subscriptions";
let portia: Person;
let owner: Person;
beforeAll(async () => {
  [portia, owner] = await Promise.all([aPerson("Portia"), aPerson("Duke", { role: "owner" })]);
});
const aName = () => `belmont ${randomUUID().slice(0, 18)}`;
const add = (params: object, by = portia) => by.call("POST", path, { ...params });
const recordOf = async (person: Person, channelName: string, params = {}) =>
  (await person.call("GET", path, params)).body.subscriptions.find(
    ({ name }: { name: string }) => name === channelName,
  );

describe("the list of subscriptions", () => {
  test("has for a new subscription the channel's fields, a colour, and null notification settings", async () => {
    const { id, name } = await aChannel("belmont", []);
    await add({ subscriptions: [{ name }] });

    const channel = (await portia.call("GET", `/streams/${id}`)).body.stream;
    const record = {
      ...channel,
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      desktop_notifications: null,
      audible_notifications: null,
      push_notifications: null,
      email_notifications: null,
      wildcard_mentions_notify: null,
    };
    expect(await recordOf(portia, name)).toEqual(record);
    for (const include_subscribers of ["true", "partial"])
      expect(await recordOf(portia, name, { include_subscribers })).toEqual({ ...record, subscribers: [portia.id] });
  });

  test("omits archived channels", async () => {
    const { id, name } = await aChannel("belmont", [portia]);

    await owner.do("DELETE", `/streams/${id}`);

    expect(await recordOf(portia, name)).toBeUndefined();
  });
});

describe("a request to subscribe", () => {
  test("may set the colour, and all settings of a new channel", async () => {
    const name = aName();
    const folder = await owner.call("POST", "/channel_folders/create", { name });

    const { body } = await add(
      {
        subscriptions: [{ name, color: "#abcdef", description: "An heiress" }],
        folder_id: folder.body.channel_folder_id,
        is_default_stream: true,
        message_retention_days: 12,
        topics_policy: "empty_topic_only",
        send_new_subscription_messages: false,
      },
      owner,
    );

    expect(body).toEqual({ result: "success", msg: "", subscribed: { [owner.id]: [name] }, already_subscribed: {} });
    expect(await recordOf(owner, name)).toMatchObject({
      color: "#abcdef",
      description: "An heiress",
      folder_id: folder.body.channel_folder_id,
      message_retention_days: 12,
      topics_policy: "empty_topic_only",
    });
    const { streams } = (await owner.call("GET", "/streams", { include_default: true })).body;
    const listed = streams.find((stream: { name: string }) => stream.name === name);
    expect(listed.is_default).toBe(true);
    await owner.do("DELETE", "/default_streams", { stream_id: listed.stream_id });
  });

  test("may repeat a channel, or name a person twice, without effect", async () => {
    const [nerissa, { name }] = [await aPerson("Nerissa"), await aChannel("belmont", [])];

    const { body } = await add({
      subscriptions: [{ name }, { name: name.toUpperCase() }],
      principals: [nerissa.email, nerissa.email.toUpperCase()],
    });

    expect(body).toMatchObject({ subscribed: { [nerissa.id]: [name] }, already_subscribed: {} });
  });

  test("subscribes whoever sends it if it names nobody", async () => {
    const [nerissa, { name }] = [await aPerson("Nerissa"), await aChannel("belmont", [])];

    const { body } = await nerissa.call("POST", "/users/me/subscriptions", {
      subscriptions: [{ name }],
      principals: [],
    });
    expect(body).toMatchObject({ subscribed: { [nerissa.id]: [name] } });
  });

  test.each([
    ["an invalid colour", { subscriptions: [{ name: "x", color: "red" }] }, "color is not a valid hex color code"],
    ["a description that is not a string", { subscriptions: [{ name: "x", description: 5 }] }, /description/],
    ["a channel without a name", { subscriptions: [{}] }, /name/],
    ["an unknown folder", { subscriptions: [{ name: "x" }], folder_id: 99_999 }, "Invalid channel folder ID"],
    ["retention for 0 days", { subscriptions: [{ name: "x" }], message_retention_days: 0 }, /^Bad value for/],
    [
      "a principal that is neither an ID nor an address",
      { subscriptions: [{ name: "x" }], principals: [true] },
      "principals is not a list of integers or a list of strings",
    ],
    [
      "principals of both kinds",
      { subscriptions: [{ name: "x" }], principals: [1, "portia@globe.test"] },
      "principals is not a list of integers or a list of strings",
    ],
  ])("is refused with %s", async (_, params, msg) => {
    const { status, body } = await add(params, owner);

    expect([status, body.result]).toEqual([400, "error"]);
    expect(body.msg).toMatch(msg);
  });

  test("accepts names and descriptions of the maximum number of characters, whatever their bytes", async () => {
    const [ending, letter] = [randomUUID(), "𝄞"];
    const name = letter.repeat(60 - ending.length) + ending;
    const description = letter.repeat(1024);

    expect((await add({ subscriptions: [{ name, description }] })).status).toBe(200);
    expect(await recordOf(portia, name)).toMatchObject({ name, description });
    expect((await add({ subscriptions: [{ name: `${letter}${name}` }] })).status).toBe(400);
  });
});

describe("properties", () => {
  const booleanProperties = [
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
  ];

  test("refuse a value of another type, without effect", async () => {
    const { id: stream_id, name } = await aChannel("belmont", [portia]);
    const before = await recordOf(portia, name);
    const invalid = booleanProperties.flatMap((property) =>
      ["true", 1, "#ffffff"].map((value) => ({ property, value })),
    );
    invalid.push(...[true, 7].map((value) => ({ property: "color", value: value as never })));

    for (const { property, value } of invalid) {
      const subscription_data = [{ stream_id, property, value }];
      const { status, body } = await portia.call("POST", `${path}/properties`, { subscription_data });
      expect([property, value, status, body.code]).toEqual([property, value, 400, "BAD_REQUEST"]);
      expect(body.msg).toMatch(/is not a|value/);
    }
    for (const color of ["", "fff", "#ff", "#ggg", "#1234567"]) {
      const subscription_data = [{ stream_id, property: "color", value: color }];
      expect((await portia.call("POST", `${path}/properties`, { subscription_data })).status).toBe(400);
    }
    expect(await recordOf(portia, name)).toEqual(before);
  });

  test("can be set to either value, and the last of two values wins", async () => {
    const { id: stream_id, name } = await aChannel("belmont", [portia]);
    for (const value of [true, false]) {
      // Without the first two, which are opposites of each other.
      const set = booleanProperties.slice(2).map((property) => ({ stream_id, property, value }));
      expect((await portia.call("POST", `${path}/properties`, { subscription_data: set })).status).toBe(200);
      expect(await recordOf(portia, name)).toMatchObject(Object.fromEntries(set.map((one) => [one.property, value])));
    }
    const twice = [true, false].map((value) => ({ stream_id, property: "pin_to_top", value }));
    await portia.do("POST", `${path}/properties`, { subscription_data: [...twice].reverse() });
    expect(await recordOf(portia, name)).toMatchObject({ pin_to_top: true });
  });
});

test("invalid queries about subscriptions are refused", async () => {
  const { id } = await aChannel("belmont", []);
  const refusals: [method: string, path: string, params: object, code: string, msg: string][] = [
    ["GET", path, { include_subscribers: "some" }, "BAD_REQUEST", "Invalid include_subscribers"],
    ["GET", `/users/${portia.id}/subscriptions/99999999`, {}, "BAD_REQUEST", "Invalid channel ID"],
    ["GET", `/users/99999999/subscriptions/${id}`, {}, "BAD_REQUEST", "No such user"],
    [
      "DELETE",
      path,
      { subscriptions: ["no such isle"] },
      "STREAM_DOES_NOT_EXIST",
      "Channel(s) (no such isle) do not exist",
    ],
    ["DELETE", path, { subscriptions: [], principals: [99_999_999] }, "BAD_REQUEST", "No such user"],
    ["PATCH", path, { delete: ["no such isle"] }, "STREAM_DOES_NOT_EXIST", "Channel(s) (no such isle) do not exist"],
    ["PATCH", path, { add: [{ name: "" }] }, "BAD_REQUEST", "Channel name can't be empty."],
  ];

  for (const [method, where, params, code, msg] of refusals)
    expect([where, await portia.call(method, where, { ...params })]).toMatchObject([
      where,
      { status: 400, body: { code, msg } },
    ]);
});
