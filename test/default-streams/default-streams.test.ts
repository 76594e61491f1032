import { expect, test } from "vitest";
import { administrators, nobody } from "../../shared/base/schema/system-groups.ts";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

test("default channels can be added, listed and removed, with events", async () => {
  const [admin, puck] = [await aPerson("Oberon", { role: "administrator" }), await aPerson("Puck")];
  const wood = await aChannel("wood", []);
  const closet = await aChannel("closet", [admin], { inviteOnly: true });
  const isDefault = async () => {
    const { body } = await puck.call("GET", "/streams", { include_default: true });
    return body.streams.find(({ stream_id }: { stream_id: number }) => stream_id === wood.id).is_default;
  };
  const log = await recordLog();

  expect((await puck.call("POST", "/default_streams", { stream_id: wood.id })).body.code).toBe(
    "UNAUTHORIZED_PRINCIPAL",
  );
  expect((await admin.call("POST", "/default_streams", { stream_id: closet.id })).body.msg).toBe(
    "Private channels cannot be made default.",
  );
  expect((await admin.call("POST", "/default_streams", { stream_id: 99_999_999 })).body.msg).toBe("Invalid channel ID");
  expect((await admin.call("POST", "/default_streams", { stream_id: wood.id })).body).toEqual({
    result: "success",
    msg: "",
  });
  expect(await isDefault()).toBe(true);
  const [event] = await log.eventsFor(puck, ["default_streams"]);
  expect(event).toEqual({ type: "default_streams", default_streams: expect.arrayContaining([wood.id]) });
  expect((await admin.call("DELETE", "/default_streams", { stream_id: wood.id })).status).toBe(200);
  expect(await isDefault()).toBe(false);
  expect((await admin.call("DELETE", "/default_streams", { stream_id: wood.id })).status).toBe(400);
  await admin.do("PATCH", `/streams/${wood.id}`, { is_default_stream: true });
  expect(await isDefault()).toBe(true);
  await admin.do("DELETE", `/streams/${wood.id}`);
  const { body } = await admin.call("GET", "/streams", { include_default: true, exclude_archived: false });
  const record = body.streams.find(({ stream_id }: { stream_id: number }) => stream_id === wood.id);
  expect(record).toMatchObject({ is_default: false, is_archived: true, can_remove_subscribers_group: administrators });
  expect(record.can_add_subscribers_group).toBe(nobody);
});

test.each([
  [
    "with POST /channels/create",
    (admin: Person, name: string) =>
      admin.call("POST", "/channels/create", { name, subscribers: [], is_default_stream: true }),
  ],
  [
    "with POST /users/me/subscriptions",
    (admin: Person, name: string) =>
      admin.call("POST", "/users/me/subscriptions", { subscriptions: [{ name }], is_default_stream: true }),
  ],
])("creating a default channel %s sends the list of default channels after the channel", async (_, create) => {
  const [admin, puck] = [await aPerson("Oberon", { role: "administrator" }), await aPerson("Puck")];
  const name = unique("glade");
  const log = await recordLog();

  expect((await create(admin, name)).body).toMatchObject({ result: "success" });

  const { stream_id } = (await admin.call("GET", "/get_stream_id", { stream: name })).body;
  const events = await log.eventsFor(puck, ["stream", "default_streams"]);
  expect(events.map(({ type }: any) => type)).toEqual(["stream", "default_streams"]);
  expect(events[1]).toEqual({ type: "default_streams", default_streams: expect.arrayContaining([stream_id]) });
  const { realm_default_streams } = (await puck.call("POST", "/register", { event_types: ["default_streams"] })).body;
  expect(events[1]).toMatchObject({ default_streams: realm_default_streams });
  await admin.do("DELETE", `/streams/${stream_id}`);
});
