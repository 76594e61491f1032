import { expect, test } from "vitest";
import { mutedUsersState } from "../../shared/features/muted-users/muted-users.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { createMutedUser, listMuterIds } from "../../shared/store/users/muted-users.ts";
import { listen } from "../support/listener.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

test("muting and unmuting a user changes the list, with events that contain the whole list", async () => {
  const [iago, othello, cassio] = [await aPerson("Iago"), await aPerson("Othello"), await aPerson("Cassio")];
  const end = await logEnd();

  expect((await othello.call("POST", `/users/me/muted_users/${iago.id}`)).body).toEqual({ result: "success", msg: "" });
  await othello.do("POST", `/users/me/muted_users/${cassio.id}`);
  const mutedBefore = (await mutedUsersState(othello as never)).muted_users;
  expect(await listMuterIds(iago.id)).toEqual([othello.id]);
  expect((await othello.call("DELETE", `/users/me/muted_users/${iago.id}`)).status).toBe(200);

  const timestamp = expect.any(Number);
  expect(mutedBefore).toEqual([iago, cassio].map(({ id }) => ({ id, timestamp })));
  expect((await mutedUsersState(othello as never)).muted_users).toEqual([{ id: cassio.id, timestamp }]);
  expect(await listMuterIds(iago.id)).toEqual([]);
  const events = (await eventsAfter(end, "muted_users", () => true)).filter(
    ({ audience }) => audience.kind === "users" && audience.userIds[0] === othello.id,
  );
  expect(events.map(({ event }) => (event.muted_users as { id: number }[]).map(({ id }) => id))).toEqual([
    [iago.id],
    [iago.id, cassio.id],
    [cassio.id],
  ]);
});

test("muting oneself, an unknown user or a muted user returns 400, and so does unmuting a user who is not muted", async () => {
  const [iago, othello] = [await aPerson("Iago"), await aPerson("Othello")];
  const path = `/users/me/muted_users/${iago.id}`;

  expect(await othello.call("POST", `/users/me/muted_users/${othello.id}`)).toMatchObject(refused("Cannot mute self"));
  expect(await othello.call("POST", "/users/me/muted_users/99999999")).toMatchObject(refused("No such user"));
  expect(await othello.call("DELETE", path)).toMatchObject(refused("User is not muted"));
  await othello.do("POST", path);
  expect(await othello.call("POST", path)).toMatchObject(refused("User already muted"));
});

test("what a muted user has written and writes is read, with an event, and stays so when they are unmuted", async () => {
  const [iago, othello] = [await aPerson("Iago"), await aPerson("Othello")];
  const channel = await aChannel("cyprus", [iago, othello]);
  const mention = `@**${othello.name}|${othello.id}** look to your wife`;
  const before = [await sendToChannel(iago, channel, "handkerchief", mention), await sendDirect(iago, [othello])];
  const own = await sendToChannel(othello, channel, "handkerchief");
  const listener = await listen(othello, { event_types: ["message", "update_message_flags"] });
  const counted = async () => {
    const { unread_msgs } = await othello.do("POST", "/register", { event_types: ["message", "update_message_flags"] });
    const narrow = [{ operator: "is", operand: "unread" }];
    const { messages } = await othello.do("GET", "/messages", {
      anchor: "newest",
      num_before: 9,
      num_after: 0,
      narrow,
    });
    return { count: unread_msgs.count, mentions: unread_msgs.mentions, found: messages.map(({ id }: any) => id) };
  };
  expect(await counted()).toEqual({ count: 3, mentions: [before[0]], found: [...before, own] });

  await othello.do("POST", `/users/me/muted_users/${iago.id}`);

  expect(await counted()).toEqual({ count: 1, mentions: [], found: [own] });
  expect(await listener.next("update_message_flags")).toMatchObject({ op: "add", flag: "read", messages: before });
  const during = [await sendToChannel(iago, channel, "handkerchief", mention), await sendDirect(iago, [othello])];
  for (const id of during) {
    const { message, flags } = await listener.next("message");
    expect([message.id, flags.includes("read")]).toEqual([id, true]);
  }
  expect(await counted()).toEqual({ count: 1, mentions: [], found: [own] });
  await othello.do("DELETE", `/users/me/muted_users/${iago.id}`);
  expect(await counted()).toEqual({ count: 1, mentions: [], found: [own] });
  const after = await sendToChannel(iago, channel, "handkerchief");
  expect(await counted()).toMatchObject({ count: 2, found: [own, after] });
});

test("who was muted before their messages were marked is, too, when the same person mutes somebody again", async () => {
  const [iago, othello, cassio] = [await aPerson("Iago"), await aPerson("Othello"), await aPerson("Cassio")];
  await transact([createMutedUser({ userId: othello.id, mutedId: iago.id, mutedAt: 1_700_000_000 })]);
  await sendDirect(iago, [othello]);
  const unread = async () =>
    (await othello.do("POST", "/register", { event_types: ["message", "update_message_flags"] })).unread_msgs.count;
  expect(await unread()).toBe(1);

  await othello.do("POST", `/users/me/muted_users/${cassio.id}`);

  await eventually(async () => (await unread()) === 0);
  await sendDirect(iago, [othello]);
  expect(await unread()).toBe(0);
});
