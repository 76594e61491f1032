import { expect } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { listSubscriptions } from "../../shared/store/channels/subscriptions.ts";
import { listEventQueues } from "../../shared/store/delivery/event-queues.ts";
import { findUnreadFloors, listReadMarks, ReadMarks, segmentIds } from "../../shared/store/messages/read-state.ts";
import { withSnapshot } from "../../shared/store/table/snapshot.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { listDrafts } from "../../shared/store/users/drafts.ts";
import { readOwnItemsAhead } from "../../shared/store/users/own-items.ts";
import { aChannel, aPerson, localTest } from "../support/world.ts";

const inProcessTest = localTest("the test's own process reads the table");

inProcessTest("a snapshot reads a user's items in 3 calls, or in 5 if it has to omit old read marks", async () => {
  const lucio = await aPerson("Lucio");
  await aChannel("vienna", [lucio]);
  await lucio.do("POST", "/register");
  const marks = new ReadMarks();
  const marked = [0, 1, 2, 3].map((segment) => segment * segmentIds + 7);
  for (const id of marked) marks.mark(id, true);
  await transact(marks.writes(lucio.id));

  const read = (newestMessage: number, from: number) =>
    withTrace(() =>
      withSnapshot(async () => {
        await readOwnItemsAhead(lucio.id, newestMessage);
        const [subscriptions, queues, floors, drafts, readMarks] = await Promise.all([
          listSubscriptions(lucio.id),
          listEventQueues(lucio.id),
          findUnreadFloors(lucio.id),
          listDrafts(lucio.id),
          listReadMarks(lucio.id, from),
        ]);
        return { subscriptions, queues, floors, drafts, read: marked.filter((id) => readMarks.of(id)) };
      }),
    );

  const few = await read(2 * segmentIds - 1, 0);
  const many = await read(2 * segmentIds, 3 * segmentIds);

  expect(few.result).toMatchObject({ subscriptions: [{}], queues: [{}], drafts: [], read: marked });
  expect(many.result).toEqual({ ...few.result, read: marked.slice(3) });
  expect([few.trace.tableCalls, many.trace.tableCalls]).toEqual([3, 5]);
});
