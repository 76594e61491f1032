import { existsSync, readFileSync } from "node:fs";
import { observeAwsCalls } from "../shared/aws/observe.ts";
import "../test/support/hosts/host-process.ts";

/** The host under test, of whose AWS calls a share fails that a file says: 0.01 is one in a hundred. */

const file = process.env.SKEIN_BENCH_FAULTS ?? "";
let share = 0;
setInterval(() => {
  share = existsSync(file) ? Number(readFileSync(file, "utf8")) || 0 : 0;
}, 100).unref();

/** What AWS says when it is too busy or has failed, by the client that hears it. */
const failures: Record<string, readonly string[]> = {
  DynamoDBClient: ["ThrottlingException", "InternalServerError"],
  SQSClient: ["RequestThrottled", "ServiceUnavailable"],
  SchedulerClient: ["ThrottlingException", "InternalServerException"],
};

// After the SDK's own retries, so that the function hears of each; half of them after the call has taken effect.
observeAwsCalls(async ({ client, command }, proceed) => {
  const names = failures[client];
  // What feeds the workers is AWS's part, not a function's.
  if (!names || /^(ReceiveMessage|DeleteMessageBatch)/.test(command) || Math.random() >= share) return proceed();
  const name = names[Math.random() < 0.5 ? 0 : 1] ?? "";
  if (Math.random() < 0.5) await proceed();
  throw Object.assign(new Error(`${command} failed, as the bench wants it`), { name });
});
