import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const shared = resolve(import.meta.dirname, "..", "..", "shared");

/**
 * Creates a fleet's folder with the given sources of functions, by path below `functions/`. "SHARED" in a source stands for the
 * path of the real `shared` folder.
 */
export function fleetFolder(sources: Record<string, string>): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), "skein-fleet-"));
  mkdirSync(join(root, "functions"));
  for (const [path, source] of Object.entries(sources)) {
    const file = join(root, "functions", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source.replaceAll("SHARED", shared));
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The source of an endpoint that does nothing. */
export const endpointSource = (method: string, path: string, uses = "{}") => `
import { endpoint } from "SHARED/services/http/endpoint.ts";
export const handler = endpoint(
  { method: "${method}", path: "${path}", summary: "-", caller: "user", params: {}, returns: {}, uses: ${uses} },
  async () => {},
);
`;

/** The source of a worker that does nothing. */
export const workerSource = (queue: string, options = "uses: {}", name = queue) => `
import { jobKind } from "SHARED/services/jobs/queues.ts";
import { handles, worker } from "SHARED/services/jobs/worker.ts";
const kind = jobKind("${queue}", "${name}", {});
export const handler = worker({ queue: "${queue}", attempts: 3, ${options} }, handles(kind, async () => {}));
`;

/** The source of a function that follows the log and catches up with what it missed. */
export const followerSource = `
import { logFollower } from "SHARED/services/jobs/log-follower.ts";
export const handler = logFollower({ events: ["message"], retriesUntilSuccess: true, uses: {} }, async () => {});
`;

/** The source of recurring work whose failed runs are only counted. */
export const countedSource = `
import { recurring } from "SHARED/services/jobs/recurring.ts";
export const handler = recurring(
  { work: "smoke-tests", rate: "5 minutes", serves: ["alarms"], countsFailures: true, uses: {} },
  async () => {},
);
`;

export const fallbackSource = `
import { fallback } from "SHARED/services/http/fallback.ts";
export const handler = fallback();
`;
