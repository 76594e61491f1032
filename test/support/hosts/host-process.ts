import { startHost } from "../../../infra/local/host.ts";
import { requestLine } from "../../../infra/local/messages.ts";
import { writeRequestRecords } from "../../../shared/observability/trace.ts";
import { forgetNowAndThen, lagOf, lagReads } from "../table/lagging-table.ts";

/** The host under test: says where it is as one line of JSON, and ends with its standard input. */

const logs = process.env.SKEIN_TEST_RECORDS !== undefined;
// As the local host and as a Lambda write them.
writeRequestRecords(logs ? (record) => console.error(requestLine(record), JSON.stringify(record)) : () => {});
const lag = lagOf(process.env);
if (lag) {
  // Before the host has its own observers, so that this one is the nearest to the table.
  lagReads(lag);
  console.error(`Reads of the host's table lag: ${lag.text}.`);
  forgetNowAndThen();
}
const host = await startHost({
  dataFolder: process.argv[2] as string,
  organizationFile: new URL("../organization.json", import.meta.url).pathname,
  port: 0,
  waiting: process.env.SKEIN_WAITING === "wake-up-queue" ? "wake-up-queue" : "held",
});
console.log(JSON.stringify({ url: host.url, environment: host.environment }));
process.stdin.resume();
process.stdin.once("end", async () => {
  await host.stop();
  process.exit(0);
});
