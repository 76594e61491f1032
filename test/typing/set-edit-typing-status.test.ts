import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("readers of a message receive an event when its author starts or stops editing it", async () => {
  const [ariel, caliban] = await Promise.all([aPerson("Ariel"), aPerson("Caliban")]);
  const isle = await aChannel("isle", [ariel, caliban]);
  const [direct, inChannel] = [await sendDirect(ariel, [caliban]), await sendToChannel(ariel, isle, "noises")];
  const listener = await listen(caliban, {
    event_types: ["typing_edit_message"],
    fetch_event_types: [],
    client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
  });
  const edit = (id: number, op: string) => ariel.call("POST", `/messages/${id}/typing`, { op });

  await edit(direct, "start");
  await edit(inChannel, "stop");

  const event = { type: "typing_edit_message", id: expect.any(Number), sender_id: ariel.id };
  expect(await listener.poll()).toEqual([
    {
      ...event,
      op: "start",
      message_id: direct,
      recipient: { type: "direct", user_ids: [ariel.id, caliban.id].sort((a, b) => a - b) },
    },
    {
      ...event,
      op: "stop",
      message_id: inChannel,
      recipient: { type: "channel", channel_id: isle.id, topic: "noises" },
    },
  ]);
});

test("only a message's author may report editing it", async () => {
  const [ariel, caliban, sycorax] = await Promise.all([aPerson("Ariel"), aPerson("Caliban"), aPerson("Sycorax")]);
  const id = await sendDirect(ariel, [caliban]);
  const edit = async (person: typeof ariel, op = "start") =>
    (await person.call("POST", `/messages/${id}/typing`, { op })).body.msg;

  expect(await edit(caliban)).toBe("You don't have permission to edit this message");
  expect(await edit(sycorax)).toBe("Invalid message(s)");
  expect(await edit(ariel, "pause")).toBe("Invalid op");
});
