import { expect, test } from "vitest";
import {
  listNewestSegments,
  listReadMarks,
  listReadMarksSince,
  ReadMarks,
  segmentIds,
} from "../../../shared/store/messages/read-state.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** Marks some IDs as read directly in the table, whether or not they belong to messages. */
async function markInTable(userId: number, ids: readonly number[]): Promise<void> {
  const marks = new ReadMarks();
  for (const id of ids) marks.mark(id, true);
  await transact(marks.writes(userId));
}

const segmentOf = (id: number) => Math.floor(id / segmentIds);

test("the first unread message is found in a segment of marks that is older than those read in advance", async () => {
  const [feste, orsino] = await Promise.all([aPerson("Feste"), aPerson("Orsino")]);
  const court = await aChannel("court", [feste, orsino]);
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) ids.push(await sendToChannel(feste, court, "music", `strain ${n}`));
  const [first = 0, second = 0, third = 0, last = 0] = ids;
  await orsino.do("POST", "/messages/flags", { messages: [first, second], op: "add", flag: "read" });
  const request = { anchor: "first_unread", num_before: 5, num_after: 5 };
  const findAnchor = async (narrow: unknown[]) =>
    (await orsino.call("GET", "/messages", { ...request, narrow })).body.anchor;
  const narrows = [[{ operator: "channel", operand: court.id }], [{ operator: "channel", operand: court.name }], []];
  const anchors = async () => await Promise.all(narrows.map(findAnchor));

  expect(await anchors()).toEqual([third, third, third]);
  for (const count of [1, 2, 3]) {
    await markInTable(orsino.id, [(segmentOf(last) + count) * segmentIds]);
    expect(await anchors(), `with ${count} newer segments`).toEqual([third, third, third]);
  }
  await orsino.do("POST", "/messages/flags", { messages: [third], op: "add", flag: "read" });
  expect(await anchors()).toEqual([last, last, last]);
  await orsino.do("POST", "/messages/flags", { messages: [second], op: "remove", flag: "read" });
  expect(await anchors()).toEqual([second, second, second]);
});

test.each([
  { segments: [] },
  { segments: [4] },
  { segments: [4, 5] },
  { segments: [0, 4, 9] },
  { segments: [2, 3, 4, 5, 9] },
])("marks that are read in two parts are the same as in one: segments $segments", async ({ segments }) => {
  const { id: userId } = await aPerson("Malvolio");
  const marked = segments.map((index) => index * segmentIds + 7);
  for (const id of marked) await markInTable(userId, [id]);

  for (let from = 0; from <= 10 * segmentIds; from += segmentIds / 2) {
    const [fullMarks, mergedMarks] = [
      await listReadMarks(userId, from),
      await listReadMarksSince(userId, from, await listNewestSegments(userId)),
    ];
    const after = marked.filter((id) => id >= from);
    expect(after.map((id) => mergedMarks.of(id))).toEqual(after.map(() => true));
    for (const id of [...after, from]) expect(mergedMarks.nextNotRead(id)).toBe(fullMarks.nextNotRead(id));
  }
});
