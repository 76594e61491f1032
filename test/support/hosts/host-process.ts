import { setTimeout as pause } from "node:timers/promises";
import { startHost } from "../../../infra/local/host.ts";
import { serverUrlIn } from "../../../infra/local/host-names.ts";
import { requestLine } from "../../../infra/local/messages.ts";
import { currentHost, provideHost } from "../../../shared/base/host.ts";
import { writeRequestRecords } from "../../../shared/base/observability/trace.ts";
import { clearCachesRepeatedly, lagOf, lagReads } from "../table/lagging-table.ts";
import { awsCallsVariable, serveAwsCalls } from "./aws-calls.ts";
import { recordCreations } from "./watch-creations.ts";

/** Runs the host under test: prints its URL and environment as one line of JSON, and stops at the end of standard input. */

const logsRequests = process.env.SKEIN_TEST_RECORDS !== undefined;
// Each record as the console line of the local host and as the JSON of a Lambda function.
writeRequestRecords(logsRequests ? (record) => console.error(requestLine(record), JSON.stringify(record)) : () => {});
const lag = lagOf(process.env);
if (lag) {
  // Installed before the host's own observers, so that this one is closest to the table.
  lagReads(lag);
  console.error(`Reads of the host's table lag: ${lag.text}.`);
  clearCachesRepeatedly();
}
recordCreations();
const { SKEIN_TEST_BODY_BYTES: bodyBytes } = process.env;
if (bodyBytes) provideHost({ maxBodyBytes: Number(bodyBytes) });
const host = await startHost({
  dataFolder: process.argv[2] as string,
  organizationFile: process.env.SKEIN_TEST_ORGANIZATION ?? new URL("../organization.json", import.meta.url).pathname,
  port: 0,
  serverUrl: serverUrlIn(process.env.SKEIN_URL),
  waiting: process.env.SKEIN_WAITING === "wake-up-queue" ? "wake-up-queue" : "held",
});
// The log does not list the items that the start has written, so lagging reads would miss them. In production nobody uses an
// organization that soon after its creation.
if (lag) await pause(lag.longestMs);
const services = currentHost().aws();
const environment = {
  ...host.environment,
  [awsCallsVariable]: services ? await serveAwsCalls(services) : "",
  // For calls of services that a test replaces by a stand-in of its own.
  ...{ AWS_ACCESS_KEY_ID: "none", AWS_SECRET_ACCESS_KEY: "none" },
};
console.log(JSON.stringify({ url: host.url, environment }));
process.stdin.resume();
process.stdin.once("end", async () => {
  await host.stop();
  process.exit(0);
});
