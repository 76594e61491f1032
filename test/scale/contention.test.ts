import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { handler as send } from "../../functions/messages/send-message.ts";
import { handler as markFlags } from "../../functions/messages/update-message-flags.ts";
import { handler as setPresence } from "../../functions/presence/update-presence.ts";
import { handler as addReaction } from "../../functions/reactions/add-reaction.ts";
import { handler as subscribe } from "../../functions/subscriptions/add-subscriptions.ts";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { observeTableCalls, type TableCall } from "../../shared/base/table-port/observe.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { listWaiting } from "../support/mails.ts";
import { fetchMessage, fetchTopic, sendToChannel } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, localTest, type Person } from "../support/world.ts";

/**
 * Many users do the same concurrently: no condition fails because of another user. The functions run in this process, whose
 * calls are observed. Failures due to tombstones that a reader wrote because this process was slow are not counted.
 * `SKEIN_WRITERS=64 SKEIN_MESSAGES_EACH=32` sends more messages, and prints what they cost.
 */

vi.setConfig({ testTimeout: 600_000 });

const writers = Number(process.env.SKEIN_WRITERS ?? 32);
const messagesEach = Number(process.env.SKEIN_MESSAGES_EACH ?? 4);
const contentionTest = localTest("the test's own process runs the functions and sees which conditions fail");

let people: Person[];
let crowd: Channel;
/** The table calls whose condition failed, with the items concerned. */
const failedConditions: string[] = [];
let stopWatching: () => void;

/** The calls of one request to the table. */
interface Calls {
  startedAt: number;
  count: number;
  /** How many of them the request makes only because this process is slow, or the log is at the end of a partition. */
  extra: number;
  /** The partitions of the log whose end it has read. */
  logEnds: Set<unknown>;
}
const currentCalls = new AsyncLocalStorage<Calls>();

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: writers }, (_, n) => aPerson(`Soldier ${n}`)));
  crowd = await aChannel("crowd", people);
  stopWatching = observeTableCalls(async (call, proceed) => {
    const calls = currentCalls.getStore();
    if (calls) noteCall(calls, call);
    try {
      return await proceed();
    } catch (error) {
      const { name, CancellationReasons: reasons = [] } = error as {
        name: string;
        CancellationReasons?: { Code?: string }[];
      };
      const writes = call.name === "transact" ? call.request.writes : [];
      const failed = reasons.flatMap(({ Code }, index) => {
        const write = writes[index];
        const { pk = "" } = (write?.kind === "put" ? write.item : write?.key) ?? {};
        return Code === "ConditionalCheckFailed" && !pk.startsWith("LOG#") ? [pk] : [];
      });
      // A reader has written a tombstone: the request takes new sequence numbers and repeats the transaction.
      const isOutpaced = reasons.some(({ Code }) => Code === "ConditionalCheckFailed") && failed.length === 0;
      if (isOutpaced && calls) calls.extra += 2;
      if (name === "ConditionalCheckFailedException") failed.push(JSON.stringify(call.request));
      failedConditions.push(...failed.map((item) => `${call.name} ${item}`));
      throw error;
    }
  });
}, 120_000);
afterAll(() => stopWatching?.());

function noteCall(calls: Calls, { name, request }: TableCall): void {
  calls.count++;
  if (name !== "query" || !request.pk.startsWith("LOG#")) return;
  const { pk } = request;
  // A request that takes longer than a second reads the log's end again. Near a partition's end, the next one is read too.
  const isLate = calls.logEnds.has(pk) && Date.now() - calls.startedAt >= 1000;
  const isNextPartition = calls.logEnds.size > 0 && !calls.logEnds.has(pk);
  if (isLate || isNextPartition) calls.extra++;
  calls.logEnds.add(pk);
}

type Handler = Parameters<typeof callInProcess>[0];
/** Calls a function as every user concurrently, and expects that all calls succeed and no condition fails. */
async function runForAll(handler: Handler, inputOf: (person: Person) => Parameters<typeof callInProcess>[2]) {
  failedConditions.length = 0;
  const replies = await Promise.all(people.map((person) => callInProcess(handler, person, inputOf(person))));
  expect(replies.filter(({ status }) => status !== 200).map(({ body }) => body.msg)).toEqual([]);
  expect(failedConditions).toEqual([]);
}

contentionTest(
  "many users who send to one topic, which three absent users follow, cause each other no conflicts",
  async () => {
    const followers = await Promise.all(["Fluellen", "Gower", "Macmorris"].map((name) => aPerson(name)));
    for (const follower of followers) {
      await follower.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: crowd.name }] });
      await follower.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
      await follower.do("POST", "/user_topics", { stream_id: crowd.id, topic: "breach", visibility_policy: 3 });
    }
    const [first] = people as [Person];
    await sendToChannel(first, crowd, "breach", "Once more unto the breach");
    const end = await logEnd();
    failedConditions.length = 0;

    const requests: Calls[] = [];
    const { result, trace } = await withTrace(() =>
      Promise.all(
        people.map(async (person) => {
          const ids: number[] = [];
          for (let n = 0; n < messagesEach; n++) {
            const form = { type: "channel", to: crowd.id, topic: "breach", content: `dear friends ${n}` };
            const calls = { startedAt: Date.now(), count: 0, extra: 0, logEnds: new Set() };
            requests.push(calls);
            const { status, body } = await currentCalls.run(calls, () => callInProcess(send, person, { form }));
            if (status !== 200) throw new Error(`Refused with ${status}: ${body.msg}`);
            ids.push(body.id);
          }
          return ids;
        }),
      ),
    );
    const ids = result.flat();

    expect(failedConditions).toEqual([]);
    const count = writers * messagesEach;
    const extraCalls = requests.reduce((sum, { extra }) => sum + extra, 0);
    if (process.env.SKEIN_WRITERS)
      console.info(
        `${count} messages of ${writers} people: ${(trace.tableCalls / count).toFixed(2)} calls each, of which ${(extraCalls / count).toFixed(2)} are extra; ${(trace.readUnits / count).toFixed(2)} read and ${(trace.writeUnits / count).toFixed(2)} write units each; ${failedConditions.length} failed conditions`,
      );
    expect(requests.reduce((sum, calls) => sum + calls.count, 0)).toBe(trace.tableCalls);
    expect((trace.tableCalls - extraCalls) / count).toBeLessThanOrEqual(9);
    expect(trace.writeUnits / count).toBeLessThanOrEqual(10);
    const received = await eventsAfter(end, "message", ({ message_id }) => ids.includes(message_id));
    expect(received.map(({ event }) => event.message_id)).toEqual(ids.toSorted((a, b) => a - b));
    const topics = (await first.call("GET", `/users/me/${crowd.id}/topics`)).body.topics;
    expect(topics).toContainEqual({ name: "breach", max_id: Math.max(...ids) });

    // The host learns of what this process has written with its own next message.
    await sendToChannel(first, crowd, "breach", "The game's afoot");
    for (const { id } of followers)
      await eventually(async () => {
        const waiting = new Set(await listWaiting(id));
        return ids.every((sent) => waiting.has(sent));
      }, 120);
  },
);

contentionTest("many users who react to one message cause each other no conflicts", async () => {
  const [first] = people as [Person];
  const id = await sendToChannel(first, crowd, "deeds");

  await runForAll(addReaction, () => ({ path: { message_id: String(id) }, form: { emoji_name: "heart" } }));

  const { reactions } = await fetchMessage(first, id, crowd);
  expect(reactions).toHaveLength(writers);
});

contentionTest("many users who join one channel cause each other no conflicts, and each is counted", async () => {
  const [first] = people as [Person];
  const camp = await aChannel("camp", []);

  await runForAll(subscribe, () => ({ form: { subscriptions: [{ name: camp.name }] } }));

  const { body } = await first.call("GET", `/streams/${camp.id}`);
  expect(body.stream.subscriber_count).toBe(writers);
});

contentionTest(
  "many users who mark the same messages as read, or update their presence, cause each other no conflicts",
  async () => {
    const [first, second] = people as [Person, Person];
    const ids = [await sendToChannel(first, crowd, "night"), await sendToChannel(first, crowd, "night")];

    await runForAll(markFlags, () => ({ form: { messages: ids, op: "add", flag: "read" } }));
    await runForAll(setPresence, () => ({ form: { status: "active", ping_only: false, new_user_input: true } }));

    expect((await fetchTopic(second, crowd, "night")).every(({ flags }) => flags.includes("read"))).toBe(true);
  },
);
