import { expect, test } from "vitest";
import { topicChangeAfterRemoval } from "../../shared/messaging/messages/edit/topic-changes.ts";
import { findTopicRecord } from "../../shared/store/channels/topics.ts";
import { listDetailKeys } from "../../shared/store/messages/messages.ts";
import { ConditionFailed, transact } from "../../shared/store/table/transactions.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, fetchTopic, sendDirect, sendToChannel } from "../support/messages.ts";
import { backdateMessage } from "../support/table/aging.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** The organization's default limit for deleting one's own messages. */
const timeLimitSeconds = 600;
const noPermission = {
  status: 400,
  body: { code: "BAD_REQUEST", msg: "You don't have permission to delete this message" },
};

test("nobody can read a deleted message, and its reactions and history are removed", async () => {
  const [macbeth, banquo] = [await aPerson("Macbeth"), await aPerson("Banquo")];
  const id = await sendDirect(macbeth, [banquo], "first");
  await macbeth.do("PATCH", `/messages/${id}`, { content: "second" });
  const end = await logEnd();

  expect((await macbeth.call("DELETE", `/messages/${id}`)).body).toEqual({ result: "success", msg: "" });

  expect(await fetchMessage(banquo, id)).toBeUndefined();
  expect((await macbeth.call("DELETE", `/messages/${id}`)).body.msg).toBe("Invalid message(s)");
  await eventually(async () => (await listDetailKeys(id)).length === 0);
  expect(await eventsAfter(end, "delete_message", ({ message_ids }) => message_ids?.includes(id))).toEqual([
    {
      audience: { kind: "users", userIds: [macbeth.id, banquo.id] },
      // Their conversation ends; clients do not see this.
      event: {
        ...{ type: "delete_message", message_ids: [id], message_type: "private" },
        ends: [macbeth.id, banquo.id],
      },
    },
  ]);
});

test("a topic is removed with its last message", async () => {
  const macbeth = await aPerson("Macbeth");
  const heath = await aChannel("heath", [macbeth]);
  const [first, last] = [
    await sendToChannel(macbeth, heath, "witches"),
    await sendToChannel(macbeth, heath, "witches"),
  ];
  const end = await logEnd();

  await macbeth.do("DELETE", `/messages/${last}`);
  expect((await fetchTopic(macbeth, heath, "witches")).map(({ id }) => id)).toEqual([first]);
  await macbeth.do("DELETE", `/messages/${first}`);

  expect(await fetchTopic(macbeth, heath, "witches")).toEqual([]);
  const events = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === heath.id);
  expect(events.map(({ event }) => event)).toEqual(
    [last, first].map((id) => ({
      type: "delete_message",
      message_ids: [id],
      message_type: "stream",
      stream_id: heath.id,
      topic: "witches",
    })),
  );
});

test("after concurrent deletions of a topic's newest messages, the topic's max_id is the remaining one", async () => {
  const macbeth = await aPerson("Macbeth");
  const heath = await aChannel("heath", [macbeth]);
  const topics = await Promise.all(
    ["thunder", "lightning", "rain", "hurlyburly", "battle"].map(async (topic) => {
      const ids: number[] = [];
      for (let n = 0; n < 4; n++) ids.push(await sendToChannel(macbeth, heath, topic));
      return { name: topic, max_id: ids[0] as number, newer: ids.slice(1) };
    }),
  );

  const replies = await Promise.all(
    topics.flatMap(({ newer }) => newer.map((id) => macbeth.call("DELETE", `/messages/${id}`))),
  );

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const { body } = await macbeth.call("GET", `/users/me/${heath.id}/topics`);
  const expected = topics.map(({ name, max_id }) => ({ name, max_id }));
  expect(body.topics.toSorted(byName)).toEqual(expected.toSorted(byName));
});

test("of two concurrent removals from a topic, one fails its condition and must be retried", async () => {
  const macbeth = await aPerson("Macbeth");
  const heath = await aChannel("heath", [macbeth]);
  const removeConcurrently = async (topic: string) => {
    for (let n = 0; n < 2; n++) await sendToChannel(macbeth, heath, topic);
    const ids = [await sendToChannel(macbeth, heath, topic), await sendToChannel(macbeth, heath, topic)];
    // A worker records a topic's newest message a moment after it was sent.
    await eventually(async () => (await findTopicRecord(heath.id, topic))?.maxId === ids[1]);
    const [plannedId, otherId] = topic === "thunder" ? ids : ids.toReversed();
    const change = await topicChangeAfterRemoval({ channelId: heath.id, topic }, new Set([plannedId as number]));

    await macbeth.do("DELETE", `/messages/${otherId}`);

    await expect(transact([change.write()])).rejects.toThrow(ConditionFailed);
  };

  await Promise.all(["thunder", "lightning"].map(removeConcurrently));
});

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

test("a direct conversation whose last messages are deleted at once is ended", async () => {
  const macbeth = await aPerson("Macbeth");
  const conversations = await Promise.all(
    ["Ross", "Angus", "Lennox", "Menteith", "Caithness"].map(async (name) => {
      const other = await aPerson(name);
      return { other, ids: [await sendDirect(macbeth, [other], "one"), await sendDirect(macbeth, [other], "two")] };
    }),
  );
  const end = await logEnd();

  const replies = await Promise.all(
    conversations.flatMap(({ ids }) => ids.map((id) => macbeth.call("DELETE", `/messages/${id}`))),
  );

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  for (const { other, ids } of conversations) {
    const deletions = await eventsAfter(end, "delete_message", ({ message_ids }) =>
      ids.some((id) => message_ids?.includes(id)),
    );
    const ends = deletions.flatMap(({ event }) => ("ends" in event ? [event.ends] : []));
    expect(ends).toEqual([[macbeth.id, other.id]]);
  }
});

test("administrators, and people with the channel's permission, can delete others' messages", async () => {
  const [macbeth, banquo] = [await aPerson("Macbeth"), await aPerson("Banquo")];
  const administrator = await aPerson("Duncan", { role: "administrator" });
  const heath = await aChannel("heath", [macbeth, banquo, administrator]);
  const castle = await aChannel("castle", [macbeth, banquo], {
    permissions: { can_delete_any_message_group: { direct_members: [banquo.id], direct_subgroups: [] } },
  });
  const [heathId, castleId] = [await sendToChannel(macbeth, heath, "x"), await sendToChannel(macbeth, castle, "x")];

  expect(await banquo.call("DELETE", `/messages/${heathId}`)).toMatchObject(noPermission);
  expect((await administrator.call("DELETE", `/messages/${heathId}`)).status).toBe(200);
  expect((await banquo.call("DELETE", `/messages/${castleId}`)).status).toBe(200);
});

test("one's own message can only be deleted within the time limit", async () => {
  const macbeth = await aPerson("Macbeth");
  const id = await sendDirect(macbeth, [macbeth]);
  await backdateMessage(id, timeLimitSeconds + 10);

  expect(await macbeth.call("DELETE", `/messages/${id}`)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "The time limit for deleting this message has passed" },
  });
});

test("a message that the caller may not read gets the same error as one that never existed", async () => {
  const [macbeth, banquo] = [await aPerson("Macbeth"), await aPerson("Banquo", { role: "owner" })];
  const id = await sendDirect(macbeth, [macbeth]);

  const hidden = await banquo.call("DELETE", `/messages/${id}`);
  const unknown = await banquo.call("DELETE", "/messages/999999999");

  expect(hidden).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } });
  expect(unknown.body).toEqual(hidden.body);
});
