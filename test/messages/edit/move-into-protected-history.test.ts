import { expect, test } from "vitest";
import { Scope } from "../../../shared/features/exports/scope.ts";
import { findRecipients } from "../../../shared/messaging/notifications/recipients.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { findMessage } from "../../../shared/store/messages/messages.ts";
import { aboutChannel, listen } from "../../support/listener.ts";
import { fetchMessage, fetchTopic, sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson } from "../../support/world.ts";

const subscriptionParams = (channel: { name: string }, principals: { id: number }[]) => ({
  subscriptions: [{ name: channel.name }],
  principals: principals.map(({ id }) => id),
});
const ids = (messages: any[]) => messages.map(({ id }) => id);

test("messages moved into protected history can be read by the subscribers of that moment, and not by later ones", async () => {
  const [prospero, ariel, caliban] = [await aPerson("Prospero"), await aPerson("Ariel"), await aPerson("Caliban")];
  const island = await aChannel("island", [prospero]);
  const sent = [
    await sendToChannel(prospero, island, "storm", "hell is empty"),
    await sendToChannel(prospero, island, "storm", "the rest"),
  ];
  const cell = await aChannel("cell", [prospero], { inviteOnly: true });
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [ariel]));
  const listener = await listen(ariel, { event_types: ["update_message"] }, aboutChannel(island));

  const moved = await prospero.call("PATCH", `/messages/${sent[0]}`, {
    stream_id: cell.id,
    topic: "books",
    propagate_mode: "change_all",
    send_notification_to_new_thread: false,
  });
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [caliban]));

  expect(moved.body.msg).toBe("");
  expect(await listener.next("update_message")).toMatchObject({ message_ids: sent, new_stream_id: cell.id });
  expect(ids(await fetchTopic(prospero, cell, "books"))).toEqual(sent);
  const topicMessages = await fetchTopic(ariel, cell, "books");
  expect(ids(topicMessages)).toEqual(sent);
  expect(topicMessages[0].flags).toEqual(["read", "historical"]);
  expect((await ariel.call("GET", `/messages/${sent[1]}`)).status).toBe(200);
  expect((await ariel.call("GET", `/users/me/${cell.id}/topics`)).body.topics).toEqual([
    { name: "books", max_id: sent[1] },
  ]);
  expect(await fetchTopic(caliban, cell, "books")).toEqual([]);
  expect(await fetchMessage(caliban, sent[0] as number, cell)).toBeUndefined();
  expect((await caliban.call("GET", `/messages/${sent[1]}`)).body.msg).toBe("Invalid message(s)");
  expect((await caliban.call("GET", `/users/me/${cell.id}/topics`)).body.topics).toEqual([]);
});

test("events about a message that was moved into protected history go to those who can read it", async () => {
  const [prospero, ariel, caliban] = [await aPerson("Prospero"), await aPerson("Ariel"), await aPerson("Caliban")];
  const island = await aChannel("island", [prospero]);
  const id = await sendToChannel(prospero, island, "storm", "hell is empty");
  const cell = await aChannel("cell", [prospero], { inviteOnly: true });
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [ariel]));
  const move = (stream_id: number) =>
    prospero.call("PATCH", `/messages/${id}`, { stream_id, send_notification_to_new_thread: false });
  await move(cell.id);
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [caliban]));
  const about = ({ message_id }: any) => message_id === id;
  const [arielsListener, calibansListener] = [
    await listen(ariel, { event_types: ["reaction"] }, about),
    // Without the direct message that tells Caliban of the subscription.
    await listen(caliban, { event_types: ["reaction", "message"] }, ({ message }) => message?.type !== "private"),
  ];

  expect((await ariel.call("POST", `/messages/${id}/reactions`, { emoji_name: "heart" })).status).toBe(200);
  await sendToChannel(prospero, cell, "storm", "now all hear");

  expect(await arielsListener.next("reaction")).toMatchObject({ message_id: id });
  await calibansListener.next("message");
  expect(calibansListener.received.map(({ type }) => type)).toEqual(["message"]);
  const otherCell = await aChannel("silent", [prospero], { inviteOnly: true });
  await move(otherCell.id);
  expect((await ariel.call("GET", `/messages/${id}`)).body.msg).toBe("Invalid message(s)");
  await move(island.id);
  expect((await fetchMessage(caliban, id, island)).content).toBe("hell is empty");
});

test("exports and notifications count a message as received by the subscribers at the time of its move", async () => {
  const [prospero, ariel, caliban] = [await aPerson("Prospero"), await aPerson("Ariel"), await aPerson("Caliban")];
  const island = await aChannel("island", [prospero]);
  const id = await sendToChannel(prospero, island, "storm", "hell is empty");
  const cell = await aChannel("cell", [prospero], { inviteOnly: true });
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [ariel]));
  await prospero.do("PATCH", `/messages/${id}`, { stream_id: cell.id, send_notification_to_new_thread: false });
  await prospero.do("POST", "/users/me/subscriptions", subscriptionParams(cell, [caliban]));
  const [realm, message] = [await loadRealm(), await findMessage(id)];

  const exportedFor = (consentingUser: { id: number }) =>
    new Scope(realm, new Set([consentingUser.id])).filterMessages([message]);
  expect(ids(await exportedFor(ariel))).toEqual([id]);
  expect(await exportedFor(caliban)).toEqual([]);
  const recipients = await findRecipients(
    [ariel.id, caliban.id],
    message as NonNullable<typeof message>,
    realm,
    () => true,
  );
  expect(recipients.map(({ userId }) => userId)).toEqual([ariel.id]);
});
