import { expect, test } from "vitest";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const idsFor = async (person: Person, params: Record<string, unknown> = {}): Promise<number[]> =>
  (await person.call("GET", "/streams", params)).body.streams.map(({ stream_id }: { stream_id: number }) => stream_id);

test("members get public channels and their own, guests only their own, administrators all on request", async () => {
  const [viola, feste, olivia] = [
    await aPerson("Viola"),
    await aPerson("Feste", { role: "guest" }),
    await aPerson("Olivia", { role: "administrator" }),
  ];
  const publicChannel = await aChannel("open", []);
  const privateChannel = await aChannel("closed", [viola, feste], { inviteOnly: true });
  const shared = await aChannel("shared", [feste]);

  const [member, guest, admin, allForAdmin] = [
    await idsFor(viola),
    await idsFor(feste),
    await idsFor(olivia),
    await idsFor(olivia, { include_all: true }),
  ];

  expect(member).toEqual(expect.arrayContaining([publicChannel.id, privateChannel.id, shared.id]));
  expect(guest.sort()).toEqual([privateChannel.id, shared.id].sort());
  expect(admin).toContain(publicChannel.id);
  expect(admin).not.toContain(privateChannel.id);
  expect(allForAdmin).toContain(privateChannel.id);
  expect((await feste.call("GET", "/streams", { include_all: true })).body.msg).toBe(
    "User not authorized for this query",
  );
});

test("each include parameter adds or omits its kind of channel", async () => {
  const viola = await aPerson("Viola");
  const publicChannel = await aChannel("open", []);
  const ownChannel = await aChannel("own", [viola], { inviteOnly: true });
  const webPublicChannel = await aChannel("web", [], { isWebPublic: true });
  const readableChannel = await aChannel("readable", [], {
    inviteOnly: true,
    permissions: { can_subscribe_group: { direct_members: [viola.id], direct_subgroups: [] } },
  });
  const archived = await aChannel("archived", []);
  await (await aPerson("Olivia", { role: "administrator" })).do("DELETE", `/streams/${archived.id}`);
  const noDefaults = { include_public: false, include_subscribed: false };

  expect(await idsFor(viola, noDefaults)).toEqual([]);
  expect(await idsFor(viola, { include_public: false })).toEqual([ownChannel.id]);
  expect(await idsFor(viola, { include_subscribed: false })).not.toContain(ownChannel.id);
  expect(await idsFor(viola, { ...noDefaults, include_web_public: true })).toContain(webPublicChannel.id);
  expect(await idsFor(viola, { ...noDefaults, include_web_public: true })).not.toContain(publicChannel.id);
  expect(await idsFor(viola, { ...noDefaults, include_can_access_content: true })).toEqual(
    expect.arrayContaining([publicChannel.id, ownChannel.id, readableChannel.id]),
  );
  expect(await idsFor(viola)).not.toContain(archived.id);
  expect(await idsFor(viola, { exclude_archived: false })).toContain(archived.id);
  expect(await idsFor(viola, { include_all_active: true, exclude_archived: false })).not.toContain(archived.id);
});

test("a bot gets its owner's subscriptions", async () => {
  const [viola, bot] = [await aPerson("Viola"), await aPerson("Bot")];
  await transact([updateUser(bot.id, { set: { ownerId: viola.id, botType: 1 } })]);
  const publicChannel = await aChannel("open", [viola]);

  const params = { include_public: false, include_subscribed: false };

  expect(await idsFor(bot, params)).toEqual([]);
  expect(await idsFor(bot, { ...params, include_owner_subscribed: true })).toEqual([publicChannel.id]);
});

test("is_default is returned if and only if the request has include_default", async () => {
  const viola = await aPerson("Viola");
  const wood = await aChannel("wood", [viola]);

  const withoutDefaults = await viola.call("GET", "/streams");
  const withDefaults = await viola.call("GET", "/streams", { include_default: true });

  const record = (reply: typeof withoutDefaults) =>
    reply.body.streams.find(({ stream_id }: { stream_id: number }) => stream_id === wood.id);
  expect(record(withoutDefaults)).not.toHaveProperty("is_default");
  expect(record(withDefaults).is_default).toBe(false);
});

test("a channel is found by ID and by name if the caller can see it", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste", { role: "guest" })];
  const publicChannel = await aChannel("Open", []);

  const found = await viola.call("GET", "/get_stream_id", { stream: publicChannel.name.toUpperCase() });

  expect(found.body).toEqual({ result: "success", msg: "", stream_id: publicChannel.id });
  expect((await viola.call("GET", `/streams/${publicChannel.id}`)).body.stream.name).toBe(publicChannel.name);
  expect((await feste.call("GET", "/get_stream_id", { stream: publicChannel.name })).body).toMatchObject({
    code: "BAD_REQUEST",
    msg: `Invalid channel name '${publicChannel.name}'`,
  });
  for (const path of [
    `/streams/${publicChannel.id}`,
    `/streams/${publicChannel.id}/members`,
    `/users/me/${publicChannel.id}/topics`,
  ])
    expect((await feste.call("GET", path)).body).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel ID" });
  expect((await viola.call("GET", "/streams/99999999")).body.msg).toBe("Invalid channel ID");
});

test("subscribers are listed, and a single subscription can be queried", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste")];
  const privateChannel = await aChannel("closed", [viola], { inviteOnly: true });

  const members = await viola.call("GET", `/streams/${privateChannel.id}/members`);

  expect(members.body).toEqual({ result: "success", msg: "", subscribers: [viola.id] });
  const subscriptionReply = async (viewer: Person, user: number, id = privateChannel.id) =>
    (await viewer.call("GET", `/users/${user}/subscriptions/${id}`)).body;
  expect(await subscriptionReply(viola, viola.id)).toMatchObject({ is_subscribed: true });
  expect(await subscriptionReply(viola, feste.id)).toMatchObject({ is_subscribed: false });
  expect(await subscriptionReply(feste, viola.id)).toMatchObject({ msg: "Invalid channel ID" });
  expect(await subscriptionReply(viola, 99_999_999)).toMatchObject({ msg: "No such user" });
});

test("a user's channels are listed, those that the caller may see, and a bot's as a person's", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste")];
  const robot = await aBot(viola);
  const open = await aChannel("open", [viola, robot]);
  const left = await aChannel("left", [viola]);
  const closed = await aChannel("closed", [viola], { inviteOnly: true });
  await viola.do("DELETE", "/users/me/subscriptions", { subscriptions: [left.name] });
  const channelsOf = async (viewer: Person, user: Person) =>
    (await viewer.do("GET", `/users/${user.id}/channels`)).subscribed_channel_ids;

  expect(await channelsOf(viola, viola)).toEqual([open.id, closed.id]);
  expect(await channelsOf(feste, viola)).toEqual([open.id]);
  expect(await channelsOf(feste, robot)).toEqual([open.id]);
  expect(await channelsOf(viola, feste)).toEqual([]);
  expect((await feste.call("GET", "/users/99999999/channels")).body).toMatchObject({ msg: "No such user" });
});

test("topics are listed by their newest message, and in protected history only since the subscription", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste")];
  const privateChannel = await aChannel("closed", [viola], { inviteOnly: true });
  const send = async (topic: string) =>
    (await viola.call("POST", "/messages", { type: "channel", to: privateChannel.id, topic, content: "x" })).body
      .id as number;
  await send("old");
  const olderId = await send("");
  await viola.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: privateChannel.name }],
    principals: [feste.id],
  });
  const newestVisibleId = await send("new");
  const topicsOf = async (person: Person, params: Record<string, unknown> = {}) =>
    (await person.call("GET", `/users/me/${privateChannel.id}/topics`, params)).body.topics;

  expect((await topicsOf(viola)).map(({ name }: { name: string }) => name)).toEqual(["new", "general chat", "old"]);
  expect((await topicsOf(viola, { allow_empty_topic_name: true }))[1]).toEqual({ name: "", max_id: olderId });
  expect(await topicsOf(feste)).toEqual([{ name: "new", max_id: newestVisibleId }]);

  await feste.do("DELETE", "/users/me/subscriptions", { subscriptions: [privateChannel.name] });
  await send("new");
  await viola.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: privateChannel.name }],
    principals: [feste.id],
  });

  expect(await topicsOf(feste)).toEqual([{ name: "new", max_id: newestVisibleId }]);
});
