import { existsSync, readFileSync } from "node:fs";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import "../../test/support/hosts/host-process.ts";

/**
 * The host under test with failing AWS calls. The file that SKEIN_BENCH_FAULTS names contains the share of calls that fail:
 * 0.01 is one in a hundred. It is read ten times a second.
 */

const faultsFile = process.env.SKEIN_BENCH_FAULTS ?? "";
let failingShare = 0;
setInterval(() => {
  failingShare = existsSync(faultsFile) ? Number(readFileSync(faultsFile, "utf8")) || 0 : 0;
}, 100).unref();

/** AWS's throttling and internal errors. */
const tableFailures = ["ThrottlingException", "InternalServerError"] as const;
const failures: Record<string, readonly [string, string]> = {
  SQSClient: ["RequestThrottled", "ServiceUnavailable"],
  SchedulerClient: ["ThrottlingException", "InternalServerException"],
};

// Injected above the SDK's retries, so that the function sees each failure; half of them after the call took effect.
observeTableCalls(({ name }, proceed) => failSometimes(name, tableFailures, proceed));
observeAwsCalls(async ({ client, command }, proceed) => {
  const names = failures[client];
  // Calls of the emulated event source mapping are not the functions' own.
  if (!names || /^(ReceiveMessage|DeleteMessageBatch)/.test(command)) return proceed();
  return failSometimes(command, names, proceed);
});

async function failSometimes<T>(call: string, names: readonly [string, string], proceed: () => Promise<T>): Promise<T> {
  if (Math.random() >= failingShare) return proceed();
  const name = names[Math.random() < 0.5 ? 0 : 1];
  if (Math.random() < 0.5) await proceed();
  throw Object.assign(new Error(`${call} failed (injected by the bench)`), { name });
}
