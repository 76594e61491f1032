import { expect, test } from "vitest";
import { createMessage } from "../../shared/store/messages/messages.ts";
import { batchWrite } from "../../shared/store/table/bulk.ts";
import { itemsOf, takeMessageIds } from "../support/table/seeding.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Writes direct messages to the table without events; returns their IDs. */
async function seedDirect(sender: Person, recipient: Person, count: number): Promise<number[]> {
  const first = await takeMessageIds(count);
  const ids = Array.from({ length: count }, (_, index) => first + index);
  const userIds = [sender.id, recipient.id];
  const sentAt = Math.floor(Date.now() / 1000);
  const texts = { content: "my lord", html: "<p>my lord</p>" };
  const message = { senderId: sender.id, userIds, recipientId: 0, ...texts, sentAt, client: "SkeinTest" };
  await batchWrite(ids.flatMap((id) => itemsOf(createMessage({ id, ...message }))));
  return ids;
}

test.each([
  [20, "fewer than"],
  [1000, "as many as"],
  [1030, "more than"],
])(
  "a snapshot lists the unread of %i direct messages, which are %s the messages that recent conversations are read from",
  async (count) => {
    const [osric, hamlet] = [await aPerson("Osric"), await aPerson("Hamlet")];
    const ids = await seedDirect(osric, hamlet, count);
    const unread = async (params = {}) => {
      const { unread_msgs } = (await hamlet.call("POST", "/register", params)).body;
      return unread_msgs.pms.flatMap(({ unread_message_ids }: any) => unread_message_ids);
    };
    const unreadOnly = { fetch_event_types: ["message", "update_message_flags"] };

    expect(await unread()).toEqual(ids);
    expect(await unread(unreadOnly)).toEqual(ids);

    const [oldest, newer] = [ids.slice(0, 5), ids.slice(5)];
    await hamlet.do("POST", "/messages/flags", { messages: newer, op: "add", flag: "read" });

    expect(await unread()).toEqual(oldest);
    expect(await unread(unreadOnly)).toEqual(oldest);

    await hamlet.do("POST", "/messages/flags", { messages: oldest, op: "add", flag: "read" });

    expect(await unread()).toEqual([]);
  },
);
