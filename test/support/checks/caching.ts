import { expect } from "vitest";
import { isEndpoint, loadFleet } from "../../../infra/fleet.ts";
import { router } from "../../../infra/local/routes.ts";

const find = router((await loadFleet()).filter(isEndpoint));

/**
 * Throws if a browser may show the reply to a caller with credentials again without asking: then it stays readable after the
 * caller has signed out. What anyone may read without credentials may be cached.
 */
export function checkCaching(
  method: string,
  url: string,
  sent: Record<string, string>,
  { status, headers }: { status: number; headers: Readonly<Record<string, unknown>> },
): void {
  if (sent.authorization === undefined && sent.cookie === undefined) return;
  const spec = find(method, url.split("?")[0] ?? "")?.member.spec;
  if (spec === undefined || spec.caller === "anyone") return;
  const caching = `${method} ${url} answers ${status}, cache-control: ${headers["cache-control"]}`;
  // The gateway answers by itself when a request or reply is too large.
  if (![413, 431, 500, 503].includes(status)) expect(caching).toMatch(/no-store|no-cache/);
}
