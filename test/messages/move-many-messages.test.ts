import { expect, test } from "vitest";
import { resumeMove } from "../../shared/messages/resume-move.ts";
import type { Channel } from "../../shared/store/channels.ts";
import { commit } from "../../shared/store/log.ts";
import { createMessage, type Message } from "../../shared/store/messages.ts";
import { createMove, findMove } from "../../shared/store/moves.ts";
import { transact } from "../../shared/store/table.ts";
import { touchTopic } from "../../shared/store/topics.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { inTopic, say } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Fills a topic through the store: sending thousands one by one would take the case's time. */
async function fill(sender: Person, channel: Channel, topic: string, count: number): Promise<number[]> {
  const first = await commit({ events: 1, messages: count }, ({ message }) => ({
    writes: [touchTopic({ channelId: channel.id, name: topic, maxId: message + count - 1 })],
    events: [{ audience: { kind: "users", userIds: [] }, event: { type: "test" } }],
    result: message,
  }));
  const messages = Array.from({ length: count }, (_, n): Message => {
    const content = `line ${n}`;
    const sentAt = Math.floor(Date.now() / 1000);
    const place = { channelId: channel.id, topic, recipientId: channel.recipientId };
    return {
      id: first + n,
      senderId: sender.id,
      ...place,
      content,
      html: `<p>${content}</p>`,
      sentAt,
      client: "test",
    };
  });
  for (let n = 0; n < count; n += 100) await transact(messages.slice(n, n + 100).flatMap(createMessage));
  return messages.map(({ id }) => id);
}

test("a topic of two thousand moves whole, in batches that are each told of", { timeout: 120_000 }, async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const wood = await aChannel("wood", [puck, oberon]);
  const sent = await fill(puck, wood, "long", 2000);
  const end = await logEnd();

  const reply = await puck.call("PATCH", `/messages/${sent[700]}`, {
    topic: "longer",
    propagate_mode: "change_all",
    send_notification_to_new_thread: true,
  });

  expect(reply.status).toBe(200);
  expect(await inTopic(oberon, wood, "long")).toEqual([]);
  const moved = await inTopic(oberon, wood, "longer");
  expect(moved.map(({ id }) => id).slice(0, -1)).toEqual(sent);
  expect(moved.at(-1).content).toMatch(/^This topic was moved here from/);
  const events = await eventsAfter(end, "update_message", ({ stream_id }) => stream_id === wood.id);
  expect(events.flatMap(({ event }) => event.message_ids as number[]).sort((a, b) => a - b)).toEqual(sent);
  for (const { event } of events) expect(event.message_ids).toContain(event.message_id);
});

test("a move that its request left unfinished is finished by the job, once", { timeout: 60_000 }, async () => {
  const puck = await aPerson("Puck");
  const wood = await aChannel("wood", [puck]);
  const sent = await fill(puck, wood, "long", 300);
  const late = await say(puck, wood, "long", "sent after the move began");
  const id = 1_000_000 + (sent[0] as number);
  const at = Math.floor(Date.now() / 1000);
  await transact([
    createMove({
      id,
      step: 1,
      actorId: puck.id,
      messageId: sent[0] as number,
      from: { channelId: wood.id, topic: "long" },
      to: { channelId: wood.id, topic: "longer" },
      firstId: 1,
      lastId: sent.at(-1) as number,
      moved: 0,
      at,
      propagateMode: "change_all",
      noticeToOld: false,
      noticeToNew: true,
    }),
  ]);

  await Promise.all([resumeMove(id), resumeMove(id), resumeMove(id)]);

  expect(await findMove(id)).toBeUndefined();
  expect((await inTopic(puck, wood, "long")).map((message) => message.id)).toEqual([sent[0], late]);
  const moved = await inTopic(puck, wood, "longer");
  expect(moved.map((message) => message.id).slice(0, -1)).toEqual(sent.slice(1));
  expect(moved.at(-1).content).toContain("299 messages were moved here from");
  for (const message of moved.slice(0, -1)) expect(message.edit_history).toHaveLength(1);
});
