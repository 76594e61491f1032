import { provideHost } from "../shared/host.ts";
import { builtFiles } from "./built.ts";
import { deployedOutputs, environmentOf } from "./deployment.ts";
import { isEndpoint, isFallback, loadFleet, pathOf } from "./fleet.ts";
import { followLog } from "./follow-log.ts";
import { startGateway } from "./local/gateway.ts";
import { namesIn } from "./local/host-names.ts";

/**
 * `npm run serve`: the endpoints of a deployed fleet in one process that runs all the time, over the fleet's own table,
 * queues and files. The usual AWS_* variables say with which credentials and where; the fleet's names come from the
 * environment or from what `npm run deploy` left.
 */

const { SKEIN_SERVE: what = "events", PORT: port = "8080", HOST: address = "127.0.0.1", SKEIN_HOSTS } = process.env;
if (what !== "events" && what !== "all") throw new Error('SKEIN_SERVE must be "events" (default) or "all"');
if (!process.env.TABLE_NAME) Object.assign(process.env, environmentOf(deployedOutputs()));
// Clients of this process wait here, whatever the fleet does elsewhere.
delete process.env.BELLS_URL;

const fleet = await loadFleet();
const served = fleet
  .filter(isEndpoint)
  .filter(
    ({ spec }) => !spec.waiting && (what === "all" || (spec.method === "GET" && pathOf(spec) === "/api/v1/events")),
  );
// Whoever waits is woken by the one reader of the log; a look of their own is for what it may have missed.
provideHost({ builtFile: builtFiles(served), pauseBetweenLooksMs: () => 10_000 });
const fallback = fleet.find(isFallback);
if (!fallback) throw new Error("The fleet has no fallback function");

const endFollowing = await followLog(Number(process.env.SKEIN_LOOK_MS ?? 100));
const server = await startGateway(served, fallback, Number(port), {
  address,
  // A gateway or a load balancer asks by names that only its operator knows.
  hosts: SKEIN_HOSTS === undefined ? undefined : namesIn(SKEIN_HOSTS),
});
const bound = server.address();
console.log(
  `Skein serves ${what === "all" ? "everything" : "GET /events"} at http://${address}:${typeof bound === "object" && bound ? bound.port : port}`,
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    server.close();
    server.closeAllConnections();
    await endFollowing();
    process.exit(0);
  });
}
