import { expect, test } from "vitest";
import { listen } from "../../support/listener.ts";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** The events that clients receive when messages are changed. */

const capabilities = { notification_settings_null: false, bulk_message_deletion: true, empty_topic_name: true };

test("a reader receives events for reactions, edits, moves and deletion, in the form that its client supports", async () => {
  const [viola, orsino] = [await aPerson("Viola"), await aPerson("Orsino")];
  const court = await aChannel("court", [viola, orsino]);
  const id = await sendToChannel(viola, court, "love", "first");
  const listener = await listen(orsino, {
    event_types: ["reaction", "update_message", "delete_message"],
    client_capabilities: capabilities,
  });

  await viola.do("POST", `/messages/${id}/reactions`, { emoji_name: "heart" });
  await viola.do("PATCH", `/messages/${id}`, { content: `@**Orsino|${orsino.id}**` });
  await viola.do("PATCH", `/messages/${id}`, { topic: "", send_notification_to_new_thread: false });
  await viola.do("DELETE", `/messages/${id}`);

  expect(await listener.next("reaction")).toMatchObject({ op: "add", message_id: id, emoji_name: "heart" });
  const edited = await listener.next("update_message");
  expect(edited).toMatchObject({ message_id: id, message_ids: [id], orig_content: "first" });
  expect(await listener.next("update_message")).toMatchObject({ orig_subject: "love", subject: "" });
  expect(await listener.next("delete_message")).toMatchObject({ message_ids: [id], stream_id: court.id, topic: "" });
});

test("an edit that mentions someone sets the flag only in their own event", async () => {
  const [viola, orsino, olivia] = [await aPerson("Viola"), await aPerson("Orsino"), await aPerson("Olivia")];
  const court = await aChannel("court", [viola, orsino, olivia]);
  const id = await sendToChannel(viola, court, "love", "first");
  const [orsinoListener, oliviaListener] = [
    await listen(orsino, { event_types: ["update_message"] }),
    await listen(olivia, { event_types: ["update_message"] }),
  ];

  await viola.do("PATCH", `/messages/${id}`, { content: `@**Orsino|${orsino.id}**` });

  expect((await orsinoListener.next("update_message")).flags).toEqual(["mentioned"]);
  expect((await oliviaListener.next("update_message")).flags).toEqual([]);
});

test("a later subscriber to a channel with protected history receives no events about earlier messages", async () => {
  const [viola, orsino] = [await aPerson("Viola"), await aPerson("Orsino")];
  const court = await aChannel("court", [viola], { inviteOnly: true });
  const id = await sendToChannel(viola, court, "love", "secret");
  await viola.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: court.name }],
    principals: [orsino.id],
  });
  const listener = await listen(orsino, { event_types: ["update_message", "reaction"] });

  await viola.do("PATCH", `/messages/${id}`, { content: "still secret" });
  await viola.do("POST", `/messages/${id}/reactions`, { emoji_name: "heart" });
  const laterId = await sendToChannel(viola, court, "love", "open");
  await viola.do("POST", `/messages/${laterId}/reactions`, { emoji_name: "tada" });

  expect(await listener.next("reaction")).toMatchObject({ message_id: laterId });
  expect(listener.received.map((event) => event.message_id)).toEqual([laterId]);
});
