import { type CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { type SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { int } from "../../shared/base/schema/params.ts";
import { deferredDelivery } from "../../shared/services/jobs/deferred-delivery.ts";
import { jobKind } from "../../shared/services/jobs/queues.ts";

interface Parcel {
  id: number;
  deliverAt: number;
}

beforeAll(() => {
  vi.stubEnv("QUEUE_URL_PARCELS", "http://127.0.0.1/parcels");
  vi.stubEnv("QUEUE_ARN_PARCELS", "arn:aws:sqs:eu-central-1:0:parcels");
  for (const name of ["SCHEDULE_GROUP", "SCHEDULE_ROLE_ARN", "SCHEDULE_DEAD_LETTER_ARN"]) vi.stubEnv(name, "x");
});
afterAll(() => vi.unstubAllEnvs());
afterEach(() => vi.restoreAllMocks());

const now = Math.floor(Date.now() / 1000);

/** A sweep of parcels, and the AWS calls that it makes, in order: jobs by their IDs, schedules by their names. */
function sweepOf(parcels: readonly Parcel[], fails: (call: number | string) => boolean) {
  const calls: (number | string)[] = [];
  const recordCall = (call: number | string) => {
    if (fails(call)) throw new Error(`no ${call}`);
    calls.push(call);
  };
  vi.spyOn(SQSClient.prototype, "send").mockImplementation(async (command: unknown) => {
    for (const { MessageBody = "" } of (command as SendMessageBatchCommand).input.Entries ?? [])
      recordCall(JSON.parse(MessageBody).job.id);
    return {};
  });
  vi.spyOn(SchedulerClient.prototype, "send").mockImplementation(async (command: unknown) =>
    recordCall((command as CreateScheduleCommand).input.Name ?? ""),
  );
  const { sweep } = deferredDelivery({
    kind: jobKind("parcels", "parcels", { id: int() }),
    jobOf: ({ id }: Parcel) => ({ id }),
    nameOf: ({ id }) => `parcel-${id}`,
    listDue: async (until: number) => parcels.filter(({ deliverAt }) => deliverAt <= until),
    findPending: async (parcel) => {
      if (fails(`find-${parcel.id}`)) throw new Error("no");
      return parcel;
    },
  });
  return { sweep, calls };
}

test("overdue jobs are sent before schedules for later ones are created, ten at a time", async () => {
  const overdue = Array.from({ length: 25 }, (_, id) => ({ id, deliverAt: now - 100 + id }));
  const upcoming = Array.from({ length: 3 }, (_, id) => ({ id: 100 + id, deliverAt: now + 100 + id }));
  const { sweep, calls } = sweepOf([...overdue, ...upcoming], () => false);

  await sweep();

  expect(calls).toEqual([...overdue.map(({ id }) => id), "parcel-100", "parcel-101", "parcel-102"]);
});

test("a failed read, job or schedule does not stop the others, and is reported", async () => {
  const overdue = Array.from({ length: 21 }, (_, id) => ({ id, deliverAt: now - 100 }));
  const upcoming = Array.from({ length: 12 }, (_, id) => ({ id: 100 + id, deliverAt: now + 100 }));
  const failingCalls = new Set<number | string>(["find-3", 19, "parcel-100"]);
  const { sweep, calls } = sweepOf([...overdue, ...upcoming], (call) => failingCalls.has(call));

  await expect(sweep()).rejects.toThrow("3 deliveries could not be swept");

  expect(calls).toEqual(expect.arrayContaining([0, 2, 4, 9, 18, 20, "parcel-101", "parcel-111"]));
  expect(calls).not.toEqual(expect.arrayContaining([3]));
});
