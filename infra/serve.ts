import { provideHost } from "../shared/base/host.ts";
import { maxStreamedFileBytes } from "../shared/base/limits.ts";
import { builtFiles } from "./build/built.ts";
import { deployedOutputs, environmentOf } from "./deployment.ts";
import { isEndpoint, isFallback, loadFleet, pathOf, routesOf } from "./fleet.ts";
import { followLog } from "./follow-log.ts";
import { readProviders } from "./identity-providers.ts";
import { startGateway } from "./local/gateway.ts";
import { parseHostNames } from "./local/host-names.ts";

/**
 * `npm run serve`: runs endpoints of a deployed fleet in one permanent process, with the fleet's own table, queues and files.
 * Credentials and region come from the usual AWS_* variables; the names of the fleet's resources come from the environment
 * or from the outputs that `npm run deploy` saved.
 */

const { SKEIN_SERVE: scope = "events", PORT: port = "8080", HOST: address = "127.0.0.1", SKEIN_HOSTS } = process.env;
if (scope !== "events" && scope !== "all") throw new Error('SKEIN_SERVE must be "events" (default) or "all"');
if (!process.env.TABLE_NAME) Object.assign(process.env, environmentOf(deployedOutputs()));
// Without the URL of wake-up queues, this process holds the polls of its clients, even if the fleet's other clients wait at
// wake-up queues.
delete process.env.WAKE_UP_QUEUES_URL;

if (process.env.SKEIN_OIDC) process.env.SKEIN_OIDC = JSON.stringify(readProviders(process.env.SKEIN_OIDC));

const fleet = await loadFleet();
const served = fleet
  .filter(isEndpoint)
  .filter(
    ({ spec }) => !spec.waiting && (scope === "all" || (spec.method === "GET" && pathOf(spec) === "/api/v1/events")),
  );
// One reader of the log wakes all waiting clients; their own polls are only a fallback.
provideHost({
  builtFile: builtFiles(routesOf(served), async () => served),
  pauseBetweenReadsMs: () => 10_000,
  maxUploadBytes: maxStreamedFileBytes,
});
const fallback = fleet.find(isFallback);
if (!fallback) throw new Error("The fleet has no fallback function");

const stopFollowing = await followLog(Number(process.env.SKEIN_LOOK_MS ?? 100));
const server = await startGateway(served, fallback, Number(port), {
  address,
  // By default any `Host` is accepted: a gateway or load balancer in front uses names that are not known here.
  hosts: SKEIN_HOSTS === undefined ? undefined : parseHostNames(SKEIN_HOSTS),
});
const boundAddress = server.address();
console.log(
  `Skein serves ${scope === "all" ? "everything" : "GET /events"} at http://${address}:${typeof boundAddress === "object" && boundAddress ? boundAddress.port : port}`,
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    server.close();
    server.closeAllConnections();
    await stopFollowing();
    process.exit(0);
  });
}
