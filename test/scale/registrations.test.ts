import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderText } from "../../shared/messaging/messages/render/render.ts";
import { planMessage, type ResolvedMessage } from "../../shared/messaging/messages/send/actions.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { commitNumbered } from "../../shared/store/log/log.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { sendToChannel } from "../support/messages.ts";
import { useTarget } from "../support/target.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * Many clients register while many users send as fast as the host allows. Message IDs are dense, so each client can check
 * that it has every message exactly once: in its snapshot up to `max_message_id`, and in its events after it.
 */

/** Set `SKEIN_REGISTRATIONS=2000 SKEIN_MESSAGES=200` for a measurement, which is printed. */
const registrationCount = Number(process.env.SKEIN_REGISTRATIONS ?? 60);
/** The rate of additional messages, of which this process writes ten in a transaction. */
const batchedPerSecond = Number(process.env.SKEIN_MESSAGES ?? 20);
const [readerCount, writerCount] = [8, 8];
/** After so many registrations a reader marks everything as read. */
const registrationsPerReading = 5;

describe.skipIf(!isLocal())("registering during traffic (on a private host)", () => {
  let host: PrivateHost;
  beforeAll(async () => {
    // Mail is off: writers follow their topic, and mailing the messages that they miss would take half of the host's time.
    host = await aPrivateHost({ SKEIN_MAIL_FROM: "" });
    useTarget(host);
  }, 120_000);
  afterAll(() => host?.stop());

  test("each client has every message exactly once", async () => {
    const readers = await people("Reader", readerCount);
    const writers = await people("Writer", writerCount);
    const globe = await aChannel("globe", [...readers, ...writers]);
    const first = await sendToChannel(writers[0] as Person, globe, "crowd", "The first");
    /** The newest message ID that a request has returned. */
    let acknowledged = first;
    let registering = true;
    const startedAt = Date.now();
    const writing = writers.map(async (writer) => {
      while (registering)
        acknowledged = Math.max(acknowledged, await sendToChannel(writer, globe, "crowd", "Friends, Romans"));
    });
    const sendTen = await tenMessageSender(writers[0] as Person, globe);
    const sendBatches = async () => {
      const begunAt = Date.now();
      for (let sent = 10; registering; sent += 10) {
        acknowledged = Math.max(acknowledged, await sendTen());
        await pause(Math.max(0, begunAt + (sent / batchedPerSecond) * 1000 - Date.now()));
      }
    };
    writing.push(sendBatches());

    const tableCalls: number[] = [];
    const durationsMs: number[] = [];
    /**
     * Registers, and polls until the client has received all messages that were sent before; returns the IDs of the
     * snapshot's unread messages, or of the received ones if it has none.
     */
    const register = async (reader: Person): Promise<number[]> => {
      const sentBefore = acknowledged;
      const begunAt = Date.now();
      const { body, cost } = await reader.call("POST", "/register", {
        fetch_event_types: ["message", "update_message_flags"],
        event_types: ["message"],
      });
      tableCalls.push(cost.tableCalls);
      durationsMs.push(Date.now() - begunAt);
      const { queue_id, last_event_id, max_message_id, unread_msgs } = body;
      expect(max_message_id).toBeGreaterThanOrEqual(sentBefore);
      const unread: number[] = unread_msgs.streams.flatMap((stream: any) => stream.unread_message_ids);
      expect(unread).toEqual(idsBetween(unread[0] ?? max_message_id + 1, max_message_id));

      const sentMeanwhile = acknowledged;
      const received: number[] = [];
      for (let lastEventId = last_event_id; received.length === 0 || (received.at(-1) ?? 0) < sentMeanwhile; ) {
        const polled = await reader.call("GET", "/events", { queue_id, last_event_id: lastEventId, dont_block: false });
        for (const event of polled.body.events) {
          lastEventId = Math.max(lastEventId, event.id);
          if (event.type === "message") received.push(event.message.id);
        }
      }
      expect(received).toEqual(idsBetween(max_message_id + 1, received.at(-1) as number));
      await reader.do("DELETE", "/events", { queue_id });
      return unread.length > 0 ? unread : received;
    };
    let remaining = registrationCount;
    const registerRepeatedly = async (reader: Person) => {
      let oldestUnread = first;
      for (let count = 1; remaining > 0; count++) {
        remaining--;
        expect((await register(reader))[0]).toBe(oldestUnread);
        if (count % registrationsPerReading > 0) continue;
        const sentBefore = acknowledged;
        await reader.do("POST", "/mark_all_as_read");
        const sentAfter = acknowledged;
        remaining--;
        oldestUnread = (await register(reader))[0] as number;
        expect(oldestUnread).toBeGreaterThan(sentBefore);
        // Each writer may have sent a message, and the batches ten, that are not acknowledged yet.
        expect(oldestUnread).toBeLessThanOrEqual(sentAfter + writerCount + 10 + 1);
      }
    };
    try {
      await Promise.all(readers.map(registerRepeatedly));
    } finally {
      registering = false;
      await Promise.all(writing);
    }

    const seconds = (Date.now() - startedAt) / 1000;
    const perSecond = Math.round((acknowledged - first) / seconds);
    if (process.env.SKEIN_REGISTRATIONS)
      console.info(
        `${tableCalls.length} registrations in ${seconds.toFixed(0)} s during ${perSecond} messages a second, ${Math.min(...tableCalls)} to ${Math.max(...tableCalls)} calls to the table each, the slowest ${Math.max(...durationsMs)} ms`,
      );
    expect(tableCalls.length).toBeGreaterThanOrEqual(registrationCount);
    expect(acknowledged - first).toBeGreaterThan(registrationCount / 10);
  }, 1_200_000);
});

const people = (name: string, count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => aPerson(`${name} ${n}`)));

/** Returns a function that sends ten messages in one transaction and returns the last one's ID. */
async function tenMessageSender({ id: senderId }: Person, channel: Channel): Promise<() => Promise<number>> {
  const content = "Lend me your ears";
  const rendered = await renderText(content, await loadRealm());
  const message: ResolvedMessage = {
    ...{ senderId, content, rendered, client: "SkeinTest", readBySender: false, newConversation: false },
    destination: { kind: "channel", channel, topic: "crowd" },
    recipientId: channel.recipientId,
  };
  return async () => {
    const { last } = await commitNumbered({ messages: 10 }, (first) => {
      const plans = Array.from({ length: 10 }, (_, n) =>
        planMessage(message, { ...first, event: first.event + n, message: first.message + n }),
      );
      return {
        writes: plans.flatMap(({ writes }) => writes),
        events: plans.flatMap(({ events }) => events),
        last: first.message + 9,
      };
    });
    return last;
  };
}

/** All IDs from `first` to `last`. */
const idsBetween = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
