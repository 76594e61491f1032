import { afterAll, beforeAll, expect, test } from "vitest";
import zulip, { type ZulipClient } from "zulip-js";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";
import type { HostForClients } from "./host-for-clients.ts";

/** Cases that run the npm package `zulip-js` against Skein. */
export function zulipJsCases(startHost: () => Promise<HostForClients>): void {
  let barbara: Person;
  let alan: Person;
  let lab: Channel;
  let barbaraClient: ZulipClient;
  let alanClient: ZulipClient;
  let host: HostForClients;

  beforeAll(async () => {
    host = await startHost();
    [barbara, alan] = await Promise.all([aPerson("Barbara", { password: "abstract data types" }), aPerson("Alan")]);
    lab = await aChannel("lab", [barbara, alan]);
    const realm = host.url;
    barbaraClient = await zulip({ username: barbara.email, password: "abstract data types", realm });
    alanClient = await zulip({ username: alan.email, apiKey: alan.apiKey, realm });
  });
  afterAll(() => host?.close());

  test("a registered queue receives messages", async () => {
    const { queue_id, last_event_id } = await alanClient.queues.register({ event_types: ["message"] });
    const sent = await barbaraClient.messages.send({
      to: lab.name,
      type: "stream",
      subject: "types",
      content: "*hello*",
    });

    const { events } = await alanClient.events.retrieve({ queue_id, last_event_id });

    expect(events).toMatchObject([{ type: "message", message: { id: sent.id, content: "*hello*", subject: "types" } }]);
    expect(await alanClient.queues.deregister({ queue_id })).toMatchObject({ result: "success" });
  });

  test("the client's own event loop receives every message once, in order", async () => {
    const received: any[] = [];
    alanClient.callOnEachEvent((event) => received.push(event), ["message"]).catch(() => {});
    await eventually(async () => {
      await barbaraClient.messages.send({ to: [alan.id], type: "private", content: "are you there?" });
      return received.length > 0;
    });
    const ids: number[] = [];
    for (const content of ["one", "two", "three"])
      ids.push((await barbaraClient.messages.send({ to: [alan.id], type: "private", content })).id);

    await eventually(async () => received.some(({ message }) => message?.id === ids[2]));

    const receivedIds = received.filter(({ type }) => type === "message").map(({ message }) => message.id);
    expect(receivedIds.slice(-3)).toEqual(ids);
    expect(new Set(receivedIds).size).toBe(receivedIds.length);
  });

  test("messages can be narrowed, reacted to and marked as read", async () => {
    const { id } = await barbaraClient.messages.send({
      to: lab.name,
      type: "stream",
      subject: "proofs",
      content: "qed",
    });

    const { messages } = await alanClient.messages.retrieve({
      anchor: id,
      num_before: 5,
      num_after: 5,
      narrow: [
        { operator: "stream", operand: lab.name },
        { operator: "topic", operand: "proofs" },
      ],
    });

    expect(messages.map((message: any) => message.id)).toEqual([id]);
    expect(await alanClient.reactions.add({ message_id: id, emoji_name: "tada" })).toMatchObject({ result: "success" });
    expect(await alanClient.messages.flags.add({ flag: "read", messages: [id] })).toMatchObject({ messages: [id] });
    expect(await alanClient.typing.send({ to: [barbara.id], op: "start" })).toMatchObject({ result: "success" });
  });

  test("channels, subscriptions and users are listed, and a message is scheduled", async () => {
    const { streams } = await alanClient.streams.retrieve();
    const { subscriptions } = await alanClient.streams.subscriptions.retrieve();
    const { members } = await alanClient.users.retrieve();
    const scheduled = await alanClient.callEndpoint("/scheduled_messages", "POST", {
      type: "direct",
      to: JSON.stringify([barbara.id]),
      content: "later",
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
    });

    expect(streams.map(({ name }: any) => name)).toContain(lab.name);
    expect(subscriptions.map(({ stream_id }: any) => stream_id)).toEqual([lab.id]);
    expect(members.map(({ user_id }: any) => user_id)).toContain(barbara.id);
    expect(scheduled).toMatchObject({ result: "success", scheduled_message_id: expect.any(Number) });
  });
}
