import type { SQSEvent, SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { int } from "../../shared/base/schema/params.ts";
import { enqueueBody, jobBody, jobKind, queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { type Delivery, handles, worker } from "../../shared/services/jobs/worker.ts";
import { callAws } from "../support/hosts/aws-calls.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

/**
 * A worker of several kinds of job. Its queue does not exist, so postponed jobs become visible after the visibility
 * timeout.
 */

const sow = jobKind("fields", "sow", { row: int() });
const reap = jobKind("fields", "reap", { row: int(), by: int() });

function aWorker() {
  const calls: unknown[] = [];
  const handler = worker(
    { queue: "fields", attempts: 3, uses: {} },
    handles(sow, async (job, delivery) => {
      calls.push(["sow", job, delivery]);
    }),
    handles(reap, async (job) => {
      calls.push(["reap", job]);
      throw new Error("It rains");
    }),
  );
  return { calls, handler };
}

/** The event that Lambda passes; messages are identified by their index. */
const eventOf = (bodies: readonly string[], attempt = 1) => {
  const Records = bodies.map((body, position) => ({
    messageId: String(position),
    receiptHandle: "none",
    body,
    attributes: { ApproximateReceiveCount: String(attempt), SentTimestamp: String(Date.now()) },
  }));
  return { Records: Records as SQSRecord[] } as SQSEvent;
};
const failedIn = ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

test("each job of a batch goes to the handler of its kind, and only failed ones are retried", async () => {
  const { calls, handler } = aWorker();

  const answer = await handler(eventOf([jobBody(sow, { row: 1 }), jobBody(reap, { row: 2, by: 3 })]));

  expect(failedIn(answer)).toEqual(["1"]);
  expect(calls).toEqual([
    ["sow", { row: 1 }, { attempt: 1, isLast: false }],
    ["reap", { row: 2, by: 3 }],
  ]);
});

test("a handler knows whether this is the job's last attempt", async () => {
  const { calls, handler } = aWorker();

  await handler(eventOf([jobBody(sow, { row: 1 })], 3));

  expect((calls[0] as [string, unknown, Delivery])[2]).toEqual({ attempt: 3, isLast: true });
});

test("a job of unknown kind fails without affecting the others", async () => {
  const { calls, handler } = aWorker();
  const invalidBodies = [
    "no JSON",
    "null",
    '"sow"',
    JSON.stringify({ row: 1 }),
    JSON.stringify({ kind: "plough", job: {} }),
    JSON.stringify({ kind: "toString", job: {} }),
    JSON.stringify({ kind: "sow" }),
    JSON.stringify({ kind: "sow", job: { row: "one" } }),
    JSON.stringify({ kind: "sow", job: { row: 1, by: 2 } }),
  ];

  const answer = await handler(eventOf([...invalidBodies, jobBody(sow, { row: 9 })]));

  expect(failedIn(answer)).toEqual(invalidBodies.map((_, position) => String(position)));
  expect(calls).toEqual([["sow", { row: 9 }, { attempt: 1, isLast: false }]]);
});

test("declaring a worker throws for a kind of another queue and for a kind that is handled twice", () => {
  const noop = async () => {};
  const otherQueuesKind = jobKind("woods", "fell", {});

  expect(() => worker({ queue: "fields", attempts: 1, uses: {} }, handles(otherQueuesKind, noop))).toThrow(
    "The worker of fields handles fell, a kind of job of the queue woods",
  );
  expect(() => worker({ queue: "fields", attempts: 1, uses: {} }, handles(sow, noop), handles(sow, noop))).toThrow(
    "The worker of fields handles sow twice",
  );
});

test.skipIf(!isLocal())(
  "a job of an unknown kind becomes a dead letter (local host only: elsewhere CloudFormation names the queue)",
  async () => {
    const body = JSON.stringify({ kind: "never-declared", job: { at: Date.now() } });
    const QueueUrl = `${process.env[queueUrlVariable("background-jobs")]}-dead-letters`;
    const isDeadLetter = async () => {
      const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 1 };
      const { Messages = [] } = await callAws(process.env, "SQSClient", "ReceiveMessageCommand", input);
      return Messages.some(({ Body }: { Body: string }) => Body === body);
    };

    await enqueueBody("background-jobs", body);

    await eventually(isDeadLetter);
  },
);
