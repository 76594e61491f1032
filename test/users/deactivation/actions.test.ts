import { beforeAll, expect, test } from "vitest";
import { multipart, png } from "../../support/files.ts";
import { listen } from "../../support/listener.ts";
import { fetchMessage, sendDirect, sendToChannel } from "../../support/messages.ts";
import { aBot } from "../../support/people.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** What is deleted together with a deactivation. */

let admin: Person;
let reader: Person;
beforeAll(async () => {
  [admin, reader] = [await aPerson("Antonio", { role: "administrator" }), await aPerson("Bassanio")];
});

const deactivate = ({ id }: Person, actions: Record<string, unknown>, by = admin) =>
  by.call("DELETE", `/users/${id}`, { actions });

/** What a person and their bot have sent to the reader, by kind, in the order in which it was sent. */
async function sentBy(person: Person, robot: Person) {
  const market = await aChannel("market", [reader, person, robot]);
  const vault = await aChannel("vault", [reader, person, robot], { inviteOnly: true });
  const direct = await sendDirect(person, [reader]);
  const inPublic = [
    await sendToChannel(person, market, "pledges"),
    await sendToChannel(person, market, "Pledges"),
    await sendToChannel(person, market, "caskets"),
  ];
  const inPrivate = await sendToChannel(person, vault, "bonds");
  const inGroup = await sendDirect(person, [reader, admin]);
  const ofOthers = await sendToChannel(reader, market, "pledges");
  const ofRobot = {
    public: await sendToChannel(robot, market, "pledges"),
    private: await sendToChannel(robot, vault, "bonds"),
    direct: await sendDirect(robot, [reader]),
  };
  return {
    delete_public_channel_messages: [...inPublic, ofRobot.public],
    delete_private_channel_messages: [inPrivate, ofRobot.private],
    delete_direct_messages: [direct, inGroup, ofRobot.direct],
    none: [ofOthers],
  };
}

const isGone = async (id: number) => (await fetchMessage(reader, id)) === undefined;

test.each(["delete_public_channel_messages", "delete_private_channel_messages", "delete_direct_messages"] as const)(
  "%s deletes these messages of the user and of their bots, with events, and no others",
  async (action) => {
    const shylock = await aPerson("Shylock");
    const { [action]: deleted, ...others } = await sentBy(shylock, await aBot(shylock));
    const kept = Object.values(others).flat();
    const listener = await listen(reader, { event_types: ["delete_message"] });

    expect((await deactivate(shylock, { [action]: true })).body).toEqual({ result: "success", msg: "" });

    const deletedIds = () =>
      listener.received.flatMap(({ message_ids, message_id }) => message_ids ?? [message_id]).sort((a, b) => a - b);
    await eventually(async () => {
      await listener.poll();
      return deletedIds().length >= deleted.length;
    });
    expect(deletedIds()).toEqual(deleted);
    for (const id of deleted) expect(await isGone(id)).toBe(true);
    for (const id of kept) expect(await isGone(id)).toBe(false);
  },
);

test("delete_profile gives the account and its bots one name and no picture, with events", async () => {
  const shylock = await aPerson("Shylock");
  const robot = await aBot(shylock);
  const picture = { credentials: shylock, ...multipart([{ filename: "face.png", content: png }]) };
  await shylock.do("POST", "/users/me/avatar", {}, picture);
  const listener = await listen(reader, { event_types: ["realm_user"] });

  await deactivate(shylock, { delete_profile: true, delete_direct_messages: false });

  for (const { id } of [shylock, robot]) {
    const { user } = await reader.do("GET", `/users/${id}`, { client_gravatar: false });
    expect(user).toMatchObject({ full_name: "Deleted user", is_active: false });
    expect(user.avatar_url).toContain("gravatar.com");
  }
  await listener.poll();
  const changes = listener.received.filter(({ person }) => person?.user_id === shylock.id).map(({ person }) => person);
  expect(Object.assign({}, ...changes)).toMatchObject({
    ...{ is_active: false, full_name: "Deleted user", avatar_source: "G" },
    avatar_url: expect.stringContaining("gravatar.com"),
  });
});

test("what does not name an action deletes nothing, and what is no action is refused", async () => {
  const shylock = await aPerson("Shylock");
  const id = await sendDirect(shylock, [reader]);

  expect((await deactivate(shylock, { delete_profile: "yes" })).body).toMatchObject({
    msg: 'actions["delete_profile"] is not a boolean',
  });
  expect((await deactivate(shylock, { delete_direct_messages: true }, reader)).body.msg).toBe(
    "Insufficient permission",
  );
  expect((await deactivate(shylock, { delete_direct_messages: false })).status).toBe(200);
  expect(await reader.do("GET", `/users/${shylock.id}`)).toMatchObject({ user: { full_name: "Shylock" } });
  expect(await isGone(id)).toBe(false);
});
