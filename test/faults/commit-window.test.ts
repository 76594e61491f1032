import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as sendMessage } from "../../functions/messages/send-message.ts";
import { isUnavailable } from "../../shared/base/aws/unavailable.ts";
import { currentHost } from "../../shared/base/host.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { commitNumbered } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";
import { maxCallMs, maxCommitMs } from "../../shared/store/table/commit-window.ts";
import { eventKey } from "../../shared/store/table/log-items.ts";
import { getItem } from "../../shared/store/table/reads.ts";
import { put } from "../../shared/store/table/writes.ts";
import { throttled } from "../support/faults.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { fetchTopic } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * Changes whose transaction is not committed in time, because the table answers late or throttles: they become visible within their
 * window or never, and the caller is told which.
 */

/** What the table does with the next transactions. */
type Trouble =
  /** Executes the next one and never answers. */
  | "answers late"
  /** Receives the next one, and executes it only when `execute` is called. */
  | "executes late"
  /** Receives all, and executes none until `execute` is called. */
  | "executes all late"
  /** Refuses all of them. */
  | "throttles";

let trouble: Trouble | undefined;
let delayed: (() => Promise<unknown>)[] = [];
/** Executes the transactions that the table received and did not execute. */
const execute = () => Promise.allSettled(delayed.splice(0).map((send) => send()));

/** How much later it is than the computer's clock says. */
let shiftMs = 0;
/** What is left of a change's window when it has its numbers, but for the part of a second that their timestamp lacks. */
const remainingMs = 2000;

/** A reply that does not come before its caller gives up. */
const noReply = (abortSignal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const giveUp = () => reject(Object.assign(new Error("Request aborted"), { name: "AbortError" }));
    if (abortSignal?.aborted) giveUp();
    abortSignal?.addEventListener("abort", giveUp);
  });

describe.skipIf(!isLocal())("a change that is not committed in time (local host only: its table is delayed)", () => {
  let stopDelaying = () => {};
  let orlando: Person;
  let rosalind: Person;
  let arden: Channel;
  beforeAll(async () => {
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + shiftMs);
    stopDelaying = observeTableCalls(async (call, proceed) => {
      const isReservation = call.name === "update" && call.request.key.pk === "LOG" && call.request.key.sk === "HEAD";
      if (isReservation && trouble) {
        const reply = await proceed();
        shiftMs = maxCommitMs - remainingMs;
        return reply;
      }
      if (call.name !== "transact" || !trouble) return proceed();
      if (trouble === "throttles") throw throttled(call);
      const before = trouble;
      if (before !== "executes all late") trouble = undefined;
      // The table goes on when the caller has given up.
      const send = async () => currentHost().table()?.transact(call.request);
      if (before === "answers late") await send();
      else delayed.push(send);
      return noReply(call.options?.abortSignal);
    });
    [orlando, rosalind] = await Promise.all([aPerson("Orlando"), aPerson("Rosalind")]);
    arden = await aChannel("arden", [orlando, rosalind]);
  });
  afterEach(() => {
    trouble = undefined;
    shiftMs = 0;
    delayed = [];
  });
  afterAll(() => {
    stopDelaying();
    vi.restoreAllMocks();
  });

  /** Makes a change while the table is in trouble. */
  async function change(kind: Trouble) {
    trouble = kind;
    const key = { pk: unique("NOTE"), sk: "NOTE" };
    let sequence = 0;
    const startedAt = performance.now();
    const outcome = await commitNumbered({}, (numbers) => {
      sequence = numbers.event;
      const event = { type: "alert_words" as const, alert_words: [] };
      return { writes: [put(key)], events: [{ audience: { kind: "users" as const, userIds: [] }, event }] };
    }).then(
      () => "committed" as const,
      (error: unknown) => ({ error }),
    );
    return { key, sequence, outcome, ms: performance.now() - startedAt };
  }
  const isVisible = async ({ key, sequence }: { key: { pk: string; sk: string }; sequence: number }) => {
    const [item, entry] = await Promise.all([getItem(key), getItem(eventKey(sequence))]);
    return [item !== undefined, entry?.audience !== undefined];
  };

  test("is known to be committed although no reply came", async () => {
    const made = await change("answers late");

    expect(made.outcome).toBe("committed");
    expect(made.ms).toBeLessThan(remainingMs + maxCallMs + 3000);
    expect(await isVisible(made)).toEqual([true, true]);
  });

  test("is refused at the end of its window, and not written when the table executes it after that", async () => {
    const made = await change("executes late");
    expect(made.outcome).toEqual({ error: expect.toSatisfy(isUnavailable) });
    expect(made.ms).toBeLessThan(remainingMs + maxCallMs + 3000);
    expect(delayed).toHaveLength(1);

    await execute();

    expect(await isVisible(made)).toEqual([false, false]);
  });

  test("is refused when each try is throttled, and its number gets a tombstone from a reader", async () => {
    const made = await change("throttles");
    expect(made.outcome).toEqual({ error: expect.toSatisfy(isUnavailable) });
    expect(made.ms).toBeLessThan(remainingMs + maxCallMs + 3000);
    trouble = undefined;

    await settledHead();

    expect(await isVisible(made)).toEqual([false, false]);
    expect(await getItem(eventKey(made.sequence))).toBeDefined();
  });

  test("is refused when its tombstone comes too late as well, and not written after a reader's tombstone", async () => {
    const made = await change("executes all late");
    expect(made.outcome).toEqual({ error: expect.toSatisfy(isUnavailable) });
    expect(delayed).toHaveLength(2);
    trouble = undefined;
    await settledHead();

    await execute();

    expect(await isVisible(made)).toEqual([false, false]);
  });

  test.each(["answers late", "executes late", "throttles"] as const)(
    "a message is sent once, and its sender knows, when the table %s",
    async (kind) => {
      const topic = unique("verses");
      const { queue_id } = await orlando.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] });
      const form = {
        type: "channel",
        to: arden.id,
        topic,
        content: "Hang there, my verse",
        queue_id,
        local_id: topic,
      };
      const sent = async () => (await fetchTopic(rosalind, arden, topic)).length;
      trouble = kind;

      const first = await callInProcess(sendMessage, orlando, { form });
      trouble = undefined;
      shiftMs = 0;
      await execute();

      if (kind === "answers late") expect(first.status).toBe(200);
      else {
        expect(first).toMatchObject({ status: 503, body: { result: "error", code: "SERVICE_UNAVAILABLE" } });
        expect(first.headers).toHaveProperty("retry-after");
      }
      expect(await sent()).toBe(first.status === 200 ? 1 : 0);
      expect((await callInProcess(sendMessage, orlando, { form })).status).toBe(200);
      expect(await sent()).toBe(1);
    },
  );
});
