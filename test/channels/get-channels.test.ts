import { expect, test } from "vitest";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const idsFor = async (person: Person, params: Record<string, unknown> = {}): Promise<number[]> =>
  (await person.call("GET", "/streams", params)).body.streams.map(({ stream_id }: { stream_id: number }) => stream_id);

test("members get public channels and their own, guests only their own, administrators all on request", async () => {
  const [viola, feste, olivia] = [
    await aPerson("Viola"),
    await aPerson("Feste", { role: "guest" }),
    await aPerson("Olivia", { role: "administrator" }),
  ];
  const open = await aChannel("open", []);
  const closed = await aChannel("closed", [viola, feste], { inviteOnly: true });
  const shared = await aChannel("shared", [feste]);

  const [member, guest, admin, all] = [
    await idsFor(viola),
    await idsFor(feste),
    await idsFor(olivia),
    await idsFor(olivia, { include_all: true }),
  ];

  expect(member).toEqual(expect.arrayContaining([open.id, closed.id, shared.id]));
  expect(guest.sort()).toEqual([closed.id, shared.id].sort());
  expect(admin).toContain(open.id);
  expect(admin).not.toContain(closed.id);
  expect(all).toContain(closed.id);
  expect((await feste.call("GET", "/streams", { include_all: true })).body.msg).toBe(
    "User not authorized for this query",
  );
});

test("each include parameter adds or omits its kind of channel", async () => {
  const viola = await aPerson("Viola");
  const open = await aChannel("open", []);
  const own = await aChannel("own", [viola], { inviteOnly: true });
  const web = await aChannel("web", [], { isWebPublic: true });
  const readable = await aChannel("readable", [], {
    inviteOnly: true,
    permissions: { can_subscribe_group: { direct_members: [viola.id], direct_subgroups: [] } },
  });
  const archived = await aChannel("archived", []);
  await (await aPerson("Olivia", { role: "administrator" })).do("DELETE", `/streams/${archived.id}`);
  const noDefaults = { include_public: false, include_subscribed: false };

  expect(await idsFor(viola, noDefaults)).toEqual([]);
  expect(await idsFor(viola, { include_public: false })).toEqual([own.id]);
  expect(await idsFor(viola, { include_subscribed: false })).not.toContain(own.id);
  expect(await idsFor(viola, { ...noDefaults, include_web_public: true })).toContain(web.id);
  expect(await idsFor(viola, { ...noDefaults, include_web_public: true })).not.toContain(open.id);
  expect(await idsFor(viola, { ...noDefaults, include_can_access_content: true })).toEqual(
    expect.arrayContaining([open.id, own.id, readable.id]),
  );
  expect(await idsFor(viola)).not.toContain(archived.id);
  expect(await idsFor(viola, { exclude_archived: false })).toContain(archived.id);
  expect(await idsFor(viola, { include_all_active: true, exclude_archived: false })).not.toContain(archived.id);
});

test("a bot gets its owner's subscriptions", async () => {
  const [viola, bot] = [await aPerson("Viola"), await aPerson("Bot")];
  await transact([updateUser(bot.id, { set: { ownerId: viola.id, botType: 1 } })]);
  const open = await aChannel("open", [viola]);

  const params = { include_public: false, include_subscribed: false };

  expect(await idsFor(bot, params)).toEqual([]);
  expect(await idsFor(bot, { ...params, include_owner_subscribed: true })).toEqual([open.id]);
});

test("is_default is only returned on request", async () => {
  const viola = await aPerson("Viola");
  const wood = await aChannel("wood", [viola]);

  const plain = await viola.call("GET", "/streams");
  const asked = await viola.call("GET", "/streams", { include_default: true });

  const record = (reply: typeof plain) =>
    reply.body.streams.find(({ stream_id }: { stream_id: number }) => stream_id === wood.id);
  expect(record(plain)).not.toHaveProperty("is_default");
  expect(record(asked).is_default).toBe(false);
});

test("a channel is found by ID and by name if the caller can see it", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste", { role: "guest" })];
  const open = await aChannel("Open", []);

  const found = await viola.call("GET", "/get_stream_id", { stream: open.name.toUpperCase() });

  expect(found.body).toEqual({ result: "success", msg: "", stream_id: open.id });
  expect((await viola.call("GET", `/streams/${open.id}`)).body.stream.name).toBe(open.name);
  expect((await feste.call("GET", "/get_stream_id", { stream: open.name })).body).toMatchObject({
    code: "BAD_REQUEST",
    msg: `Invalid channel name '${open.name}'`,
  });
  for (const path of [`/streams/${open.id}`, `/streams/${open.id}/members`, `/users/me/${open.id}/topics`])
    expect((await feste.call("GET", path)).body).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel ID" });
  expect((await viola.call("GET", "/streams/99999999")).body.msg).toBe("Invalid channel ID");
});

test("subscribers are listed, and a single subscription can be queried", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste")];
  const closed = await aChannel("closed", [viola], { inviteOnly: true });

  const members = await viola.call("GET", `/streams/${closed.id}/members`);

  expect(members.body).toEqual({ result: "success", msg: "", subscribers: [viola.id] });
  const ask = async (asker: Person, user: number, id = closed.id) =>
    (await asker.call("GET", `/users/${user}/subscriptions/${id}`)).body;
  expect(await ask(viola, viola.id)).toMatchObject({ is_subscribed: true });
  expect(await ask(viola, feste.id)).toMatchObject({ is_subscribed: false });
  expect(await ask(feste, viola.id)).toMatchObject({ msg: "Invalid channel ID" });
  expect(await ask(viola, 99_999_999)).toMatchObject({ msg: "No such user" });
});

test("topics are listed by their newest message, and in protected history only since the subscription", async () => {
  const [viola, feste] = [await aPerson("Viola"), await aPerson("Feste")];
  const closed = await aChannel("closed", [viola], { inviteOnly: true });
  const send = async (topic: string) =>
    (await viola.call("POST", "/messages", { type: "channel", to: closed.id, topic, content: "x" })).body.id as number;
  await send("old");
  const before = await send("");
  await viola.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: closed.name }],
    principals: [feste.id],
  });
  const seen = await send("new");
  const topicsOf = async (person: Person, params: Record<string, unknown> = {}) =>
    (await person.call("GET", `/users/me/${closed.id}/topics`, params)).body.topics;

  expect((await topicsOf(viola)).map(({ name }: { name: string }) => name)).toEqual(["new", "general chat", "old"]);
  expect((await topicsOf(viola, { allow_empty_topic_name: true }))[1]).toEqual({ name: "", max_id: before });
  expect(await topicsOf(feste)).toEqual([{ name: "new", max_id: seen }]);

  await feste.do("DELETE", "/users/me/subscriptions", { subscriptions: [closed.name] });
  await send("new");
  await viola.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: closed.name }],
    principals: [feste.id],
  });

  expect(await topicsOf(feste)).toEqual([{ name: "new", max_id: seen }]);
});
