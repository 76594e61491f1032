import { expect, test } from "vitest";
import { guardCalls, runGuarded } from "../../../infra/local/guard.ts";
import { fleetSecret } from "../../../shared/base/aws/secret.ts";
import type { Uses } from "../../../shared/base/uses.ts";
import { deliverScheduledMessageJob } from "../../../shared/messaging/scheduled-messages/jobs.ts";
import { enqueue } from "../../../shared/services/jobs/queues.ts";
import { scheduleJob } from "../../../shared/services/jobs/schedules.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { put } from "../../../shared/store/table/writes.ts";
import { findUser } from "../../../shared/store/users/users.ts";
import "../../support/world.ts";

/** The local host refuses AWS calls that a function's `uses` does not name, which shows a missing grant before a deployment. */

guardCalls();

const job = { user_id: 0, id: 0, version: 1 };
const schedule = () => scheduleJob("guarded", 4_000_000_000, deliverScheduledMessageJob, job);
/** Fetches the secret by its name, because another test file in this process may have cached it by its ARN. */
async function secretByName() {
  const { SECRET_ARN: arn = "" } = process.env;
  process.env.SECRET_ARN = arn
    .split(":")
    .at(-1)
    ?.replace(/-.{6}$/, "");
  return fleetSecret().finally(() => {
    process.env.SECRET_ARN = arn;
  });
}
const writeItem = () => transact([put({ pk: "GUARD", sk: "GUARD" })]);

test.each<[string, () => Promise<unknown>, Uses, Uses]>([
  ["dynamodb:GetItem", () => findUser(1), {}, { table: "read" }],
  ["dynamodb:PutItem", writeItem, { table: "read" }, { table: "readWrite" }],
  [
    "sqs:SendMessage",
    () => enqueue(deliverScheduledMessageJob, job),
    { table: "readWrite" },
    { sends: ["deliveries"] },
  ],
  ["scheduler:CreateSchedule", schedule, { table: "readWrite" }, { schedules: ["deliveries"] }],
  ["secretsmanager:GetSecretValue", secretByName, { table: "readWrite" }, { secret: true }],
])("%s is refused to a function that does not declare it", async (action, work, insufficient, sufficient) => {
  const refused = expect(runGuarded("functions/some/function", insufficient, work)).rejects;

  await refused.toMatchObject({
    name: "AccessDeniedException",
    message: `functions/some/function is not authorized to perform ${action}: its uses do not name it`,
  });
  await expect(runGuarded("functions/some/function", sufficient, work)).resolves.not.toThrow();
});

test("a queue is refused to a function that declares another one", async () => {
  const otherUses: Uses = { sends: ["background-jobs"], schedules: ["background-jobs"] };

  const refused = (work: () => Promise<unknown>) =>
    expect(runGuarded("functions/some/function", otherUses, work)).rejects;

  await refused(() => enqueue(deliverScheduledMessageJob, job)).toThrow("SendMessage on deliveries");
  await refused(schedule).toThrow("CreateSchedule on deliveries");
});
