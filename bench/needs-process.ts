import { isEndpoint, loadFleet } from "../infra/fleet.ts";
import { anOrganization, countOperations } from "./calls.ts";
import { onBenchHost } from "./host/bench-host.ts";

/**
 * Counts what every operation uses when the needs of its endpoint are read early, and when they are not, and prints both as a line of JSON.
 * The operations run once before, so that the process has cached what it caches.
 */
const fleet = (await loadFleet()).filter(isEndpoint);
const needs = fleet.flatMap(({ spec }) => Object.values(spec.needs ?? {}));

const counted = await onBenchHost(async (host) => {
  const organization = await anOrganization(host);
  const count = async (users: number) => countOperations(await organization.grow(users, 200 * users));
  await count(10);
  const early = await count(11);
  for (const need of needs) Object.assign(need, { early: undefined });
  return { early, late: await count(12) };
});
console.log(JSON.stringify(counted));
