import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Database } from "../../../infra/local/aws/database.ts";
import { QueueStore } from "../../../infra/local/aws/sqs/store.ts";

/**
 * A queue with a retention of one minute keeps its messages in memory until an operation other than sending and receiving
 * is used.
 */

const folder = mkdtempSync(join(tmpdir(), "skein-passing-"));
let database: Database;
let store: QueueStore;

beforeEach(() => {
  vi.useFakeTimers();
  database = new Database(join(folder, `${crypto.randomUUID()}.sqlite`));
  store = new QueueStore(database);
  store.putQueue({ name: "passing", region: "us-east-1", attributes: { MessageRetentionPeriod: "60" } });
});
afterEach(() => {
  vi.useRealTimers();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (body: string, delaySeconds = 0) => store.append(store.getQueue("passing"), { body, delaySeconds });
const take = (hideSeconds: number, limit = 10) =>
  store.take(store.getQueue("passing"), limit, hideSeconds).map(({ body }) => body);
const countOnDisk = () => database.find("SELECT count(*) AS count FROM messages")?.count;

test("messages are received in order, stay hidden for the visibility timeout, and are not on disk", () => {
  for (const body of ["first", "second", "third"]) send(body);

  expect(take(0)).toEqual(["first", "second", "third"]);
  expect(take(5, 2)).toEqual(["first", "second"]);
  expect(take(5)).toEqual(["third"]);
  expect(take(5)).toEqual([]);
  vi.advanceTimersByTime(5000);
  expect(take(0)).toHaveLength(3);
  expect(countOnDisk()).toBe(0);
});

test("a delayed message becomes visible at its time and wakes receivers", async () => {
  send("later", 7);
  const waiting = store.waitForMessages("passing", Date.now() + 20_000, new AbortController().signal);

  expect(take(0)).toEqual([]);
  await vi.advanceTimersByTimeAsync(7000);
  await waiting;
  expect(take(0)).toEqual(["later"]);
});

test("messages expire after a minute", () => {
  send("early");
  vi.advanceTimersByTime(59_000);
  send("late");
  expect(take(0)).toEqual(["early", "late"]);
  vi.advanceTimersByTime(2000);

  expect(take(0)).toEqual(["late"]);
});

test("counting messages moves them to disk, where later ones go too", () => {
  for (const body of ["taken", "there"]) send(body);
  take(30, 1);
  send("later", 40);

  expect(store.count("passing")).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
  expect(countOnDisk()).toBe(3);
  expect(take(0)).toEqual(["there"]);
  send("another");
  expect(countOnDisk()).toBe(4);
  // The messages still exist after a restart.
  expect(new QueueStore(database).take(store.getQueue("passing"), 10, 0)).toMatchObject([
    { body: "there", received: 2 },
    { body: "another", received: 1 },
  ]);
});

test("a longer retention keeps the current messages", () => {
  send("before");
  const queue = store.getQueue("passing");
  store.putQueue({ ...queue, attributes: { MessageRetentionPeriod: "600" } });
  vi.advanceTimersByTime(90_000);

  expect(take(0)).toEqual(["before"]);
});

test("a recreated queue is empty", () => {
  send("before");
  store.deleteQueue("passing");
  store.putQueue({ name: "passing", region: "us-east-1", attributes: { MessageRetentionPeriod: "60" } });

  expect(take(0)).toEqual([]);
});
