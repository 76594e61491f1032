import { expect, test } from "vitest";
import { about, recordLog } from "../support/channel-log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const channelOf = async (person: Person, id: number) => (await person.call("GET", `/streams/${id}`)).body.stream;

test("an archived channel accepts no messages, sends events in each client's form, and can be unarchived", async () => {
  const [admin, puck] = [await aPerson("Oberon", { role: "administrator" }), await aPerson("Puck")];
  const wood = await aChannel("wood", [puck]);
  const log = await recordLog();

  const archived = await admin.call("DELETE", `/streams/${wood.id}`);

  expect(archived.body).toEqual({ result: "success", msg: "" });
  expect((await admin.call("DELETE", `/streams/${wood.id}`)).body.msg).toBe("Channel is already archived.");
  expect((await puck.call("DELETE", `/streams/${wood.id}`)).status).toBe(400);
  const sent = await puck.call("POST", "/messages", { type: "channel", to: wood.id, topic: "t", content: "x" });
  expect(sent.body.msg).toBe(`Not authorized to send to channel '${wood.name}'`);
  expect(await channelOf(puck, wood.id)).toMatchObject({ is_archived: true });
  const events = about(wood.id, await log.eventsFor(puck, ["stream"]));
  expect(events).toEqual([
    { type: "stream", op: "update", stream_id: wood.id, name: wood.name, property: "is_archived", value: true },
  ]);
  const olderClientEvents = about(wood.id, await log.eventsFor(puck, ["stream"], { archivedChannels: false }));
  expect(olderClientEvents).toEqual([
    { type: "stream", op: "delete", stream_ids: [wood.id], streams: [{ stream_id: wood.id }] },
  ]);

  const unarchived = await admin.call("PATCH", `/streams/${wood.id}`, { is_archived: false });

  expect(unarchived.status).toBe(200);
  expect((await admin.call("PATCH", `/streams/${wood.id}`, { is_archived: false })).body.msg).toBe(
    "Channel is not currently archived.",
  );
  expect(await channelOf(puck, wood.id)).toMatchObject({ is_archived: false });
  const sentAfterwards = await puck.call("POST", "/messages", {
    type: "channel",
    to: wood.id,
    topic: "t",
    content: "x",
  });
  expect(sentAfterwards.status).toBe(200);
});
