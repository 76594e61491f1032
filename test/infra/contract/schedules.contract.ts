import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  ValidationException,
} from "@aws-sdk/client-scheduler";
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { answeredBy, type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/** The one-time expression for a time in UNIX milliseconds. */
export const at = (ms: number): string => `at(${new Date(ms).toISOString().slice(0, 19)})`;

/** The behaviour of EventBridge Scheduler on which the fleet relies. */
export function schedulesContract(target: ContractTarget): void {
  describe("schedules", () => {
    const it = caseFor(target);
    // Leaves five seconds for a busy machine.
    const latenessMs = target.scheduleLatenessMs ?? 5000;
    const timeoutMs = 4000 + latenessMs;
    const GroupName = unique("group");
    let scheduler: SchedulerClient;
    let sqs: SQSClient;
    beforeAll(async () => {
      scheduler = answeredBy(target, new SchedulerClient(clientFor(target)));
      sqs = answeredBy(target, new SQSClient(clientFor(target)));
      await scheduler.send(new CreateScheduleGroupCommand({ Name: GroupName }));
    });
    afterAll(() => {
      scheduler.destroy();
      sqs.destroy();
    });

    const aQueue = async () => {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: unique("queue") }));
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
      return { QueueUrl: QueueUrl!, Arn: Attributes!.QueueArn! };
    };
    const definition = (
      Arn: string,
      ms: number,
      overrides: Partial<CreateScheduleCommandInput> = {},
    ): CreateScheduleCommandInput => ({
      Name: unique("schedule"),
      GroupName,
      ScheduleExpression: at(ms),
      ScheduleExpressionTimezone: "UTC",
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: { Arn, RoleArn: "arn:aws:iam::000000000000:role/scheduler", Input: '{"hello":"world"}' },
      ...overrides,
    });
    const create = async (input: CreateScheduleCommandInput) => {
      await scheduler.send(new CreateScheduleCommand(input));
      return { Name: input.Name!, GroupName };
    };
    const bodies = async (QueueUrl: string, WaitTimeSeconds: number) =>
      (
        (await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 }))).Messages ??
        []
      ).map(({ Body }) => Body);
    const hourMs = 3_600_000;

    it("sends the input to the queue at its time, and then deletes the schedule", async () => {
      const { QueueUrl, Arn } = await aQueue();
      const dueAt = Math.ceil((Date.now() + 600) / 1000) * 1000;
      const id = await create(definition(Arn, dueAt));
      const polling = bodies(QueueUrl, Math.min(20, Math.ceil(timeoutMs / 1000)));

      expect(await polling).toEqual(['{"hello":"world"}']);
      expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
      expect(Date.now()).toBeLessThan(dueAt + latenessMs);
      await expect
        .poll(() => scheduler.send(new GetScheduleCommand(id)).catch((error) => error.name), { timeout: timeoutMs })
        .toBe("ResourceNotFoundException");
    });

    it("fires a schedule whose time is in the past", async () => {
      const { QueueUrl, Arn } = await aQueue();
      await create(definition(Arn, Date.now() - hourMs));

      expect(await bodies(QueueUrl, Math.min(20, Math.ceil(timeoutMs / 1000)))).toHaveLength(1);
    });

    it("never fires a deleted or a disabled schedule", async () => {
      const { QueueUrl, Arn } = await aQueue();
      const dueAt = Date.now() + 6000;
      const id = await create(definition(Arn, dueAt));
      await create(definition(Arn, dueAt, { State: "DISABLED" }));
      await scheduler.send(new DeleteScheduleCommand(id));

      expect(await bodies(QueueUrl, 8)).toEqual([]);
    });

    it("returns a schedule as created", async () => {
      const { Arn } = await aQueue();
      const input = definition(Arn, Date.now() + hourMs, {
        Description: "why",
        ScheduleExpression: "rate(5 minutes)",
      });
      await create(input);

      const stored = await scheduler.send(new GetScheduleCommand({ Name: input.Name, GroupName }));

      expect(stored).toMatchObject({ ...input, State: "ENABLED" });
    });

    it("refuses a second schedule with the same name", async () => {
      const { Arn } = await aQueue();
      const input = definition(Arn, Date.now() + hourMs);
      await create(input);

      await expect(create(input)).rejects.toBeInstanceOf(ConflictException);
    });

    it("reports what does not exist", async () => {
      const unknownSchedule = { Name: unique("no"), GroupName };

      await expect(scheduler.send(new GetScheduleCommand(unknownSchedule))).rejects.toBeInstanceOf(
        ResourceNotFoundException,
      );
      await expect(scheduler.send(new DeleteScheduleCommand(unknownSchedule))).rejects.toBeInstanceOf(
        ResourceNotFoundException,
      );
    });

    it("refuses invalid expressions", async () => {
      const { Arn } = await aQueue();
      for (const ScheduleExpression of [
        "soon",
        "at(2026-13-01T00:00:00)",
        "at(2026-01-01)",
        "rate(0 minutes)",
        "rate(5 weeks)",
      ]) {
        await expect(create(definition(Arn, 0, { ScheduleExpression })), ScheduleExpression).rejects.toBeInstanceOf(
          ValidationException,
        );
      }
    });

    it("accepts rates", async () => {
      const { Arn } = await aQueue();
      for (const ScheduleExpression of ["rate(1 minute)", "rate(12 hours)"]) {
        await create(definition(Arn, 0, { ScheduleExpression }));
      }
    });

    it("sends undeliverable input to the dead-letter queue", async () => {
      const { QueueUrl, Arn } = await aQueue();
      const input = definition(`${Arn.split(":").slice(0, -1).join(":")}:${unique("absent")}`, Date.now());
      await create({
        ...input,
        Target: { ...input.Target!, RetryPolicy: { MaximumRetryAttempts: 0 }, DeadLetterConfig: { Arn } },
      });

      expect(await bodies(QueueUrl, Math.min(20, Math.ceil(timeoutMs / 1000)))).toEqual(['{"hello":"world"}']);
    });
  });
}
