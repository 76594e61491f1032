import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { listen } from "../support/listener.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Users send, move, delete and mark messages while a client registers queues: each client's snapshot and events together
 * must give the final state, with each message exactly once.
 */

let reader: Person;
let writers: Person[];
let channels: [Channel, Channel];
beforeAll(async () => {
  reader = await aPerson("Prospero");
  writers = await Promise.all(["Ariel", "Caliban", "Miranda"].map((name) => aPerson(name)));
  const everyone = [reader, ...writers];
  channels = [await aChannel("island", everyone), await aChannel("cave", everyone)];
});

const actions = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("channelMessage" as const),
      channel: fc.nat(1),
      topic: fc.constantFrom("air", "sea"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("directMessage" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      messageIndex: fc.nat(9),
      topic: fc.constantFrom("air", "sea"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), messageIndex: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("read" as const), messageIndex: fc.nat(9) }) },
);
type Action = typeof actions extends fc.Arbitrary<infer T> ? T : never;

/** A client's state: the unread messages of its snapshot, updated by the following events. */
class Client {
  readonly unread = new Map<number, string>();
  /** How often each message was received, in the snapshot or by event. */
  readonly timesReceived = new Map<number, number>();

  constructor({ unread_msgs: { streams, pms }, max_message_id }: any) {
    for (const { stream_id, topic, unread_message_ids } of streams)
      for (const id of unread_message_ids) this.unread.set(id, `${stream_id} ${topic}`);
    for (const { sender_id, unread_message_ids } of pms)
      for (const id of unread_message_ids) this.unread.set(id, `from ${sender_id}`);
    for (const id of this.unread.keys()) expect(id).toBeLessThanOrEqual(max_message_id);
    for (const id of this.unread.keys()) this.timesReceived.set(id, 1);
  }

  apply(event: any) {
    if (event.type === "message") {
      const { id, type, stream_id, subject, sender_id } = event.message;
      this.timesReceived.set(id, (this.timesReceived.get(id) ?? 0) + 1);
      if (!event.flags.includes("read"))
        this.unread.set(id, type === "stream" ? `${stream_id} ${subject}` : `from ${sender_id}`);
    }
    if (event.type === "delete_message")
      for (const id of event.message_ids ?? [event.message_id]) this.unread.delete(id);
    if (event.type === "update_message" && event.subject !== undefined)
      for (const id of event.message_ids)
        if (this.unread.has(id)) this.unread.set(id, `${event.new_stream_id ?? event.stream_id} ${event.subject}`);
    if (event.type === "update_message_flags" && event.flag === "read" && event.op === "add")
      for (const id of event.messages) this.unread.delete(id);
  }
}

async function perform(writer: Person, action: Action, sentIds: number[]): Promise<void> {
  const messageId = "messageIndex" in action ? sentIds[action.messageIndex % Math.max(1, sentIds.length)] : undefined;
  const channel = (index: number) => channels[index] as Channel;
  if (action.kind === "channelMessage")
    sentIds.push(await sendToChannel(writer, channel(action.channel), action.topic));
  else if (action.kind === "directMessage") await sendDirect(writer, [reader]);
  else if (messageId === undefined) return;
  else if (action.kind === "move")
    await writer.do("PATCH", `/messages/${messageId}`, { topic: action.topic, send_notification_to_new_thread: false });
  else if (action.kind === "delete") {
    await writer.do("DELETE", `/messages/${messageId}`);
    sentIds.splice(sentIds.indexOf(messageId), 1);
  } else await reader.do("POST", "/messages/flags", { messages: [messageId], op: "add", flag: "read" });
}

test("a snapshot with its events has each message exactly once", async () => {
  const property = fc.asyncProperty(
    fc.tuple(...[0, 1, 2].map(() => fc.array(actions, { minLength: 4, maxLength: 12 }))),
    fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 2, maxLength: 4 }),
    forAtMost(30_000, async (scripts, pauses) => {
      await Promise.all(
        scripts
          .flatMap((script, index) => {
            const sentIds: number[] = [];
            return [
              (async () => {
                for (const action of script) await perform(writers[index] as Person, action, sentIds);
              })(),
            ];
          })
          .concat([
            (async () => {
              const clients: { client: Client; listener: Awaited<ReturnType<typeof listen>> }[] = [];
              for (const pause of pauses) {
                await new Promise((resolve) => setTimeout(resolve, pause));
                const listener = await listen(reader, {
                  client_capabilities: { notification_settings_null: true, bulk_message_deletion: true },
                  event_types: ["message", "update_message", "delete_message", "update_message_flags"],
                });
                clients.push({ client: new Client(listener.state), listener });
              }
              registered.push(...clients);
            })(),
          ]),
      );
      const end = await sendDirect(writers[0] as Person, [reader], "the end");
      const { body: state } = await reader.call("POST", "/register", {
        fetch_event_types: ["message", "update_message_flags"],
        event_types: [],
      });
      const expected = new Client(state).unread;
      for (const { client, listener } of registered.splice(0)) {
        while (!client.timesReceived.has(end))
          for (const event of await listener.poll({ dont_block: false })) client.apply(event);
        for (const event of await listener.poll()) client.apply(event);
        expect([...client.timesReceived.entries()].filter(([, times]) => times > 1)).toEqual([]);
        expect(new Map([...client.unread].sort(([a], [b]) => a - b))).toEqual(
          new Map([...expected].sort(([a], [b]) => a - b)),
        );
        await reader.do("DELETE", "/events", { queue_id: listener.queueId });
      }
    }),
  );
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
});

const registered: { client: Client; listener: Awaited<ReturnType<typeof listen>> }[] = [];
