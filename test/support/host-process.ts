import { startHost } from "../../infra/local/host.ts";
import { writeRequestRecords } from "../../shared/trace.ts";

/** The host under test: says where it is as one line of JSON, and ends with its standard input. */

writeRequestRecords(() => {});
const host = await startHost({
  dataFolder: process.argv[2] as string,
  organizationFile: new URL("organization.json", import.meta.url).pathname,
  port: 0,
  waiting: process.env.SKEIN_WAITING === "bell" ? "bell" : "held",
});
console.log(JSON.stringify({ url: host.url, environment: host.environment }));
process.stdin.resume();
process.stdin.once("end", async () => {
  await host.stop();
  process.exit(0);
});
