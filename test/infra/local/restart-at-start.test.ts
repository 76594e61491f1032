import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { announceBuild } from "../../../shared/core/organization/build.ts";
import { type HostChild, startHostChild } from "../../support/hosts/host-child.ts";
import { isLocal } from "../../support/world.ts";

/** On a private host that is started three times. */
describe.skipIf(!isLocal())("a host that is started", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-restart-"));
  let host: HostChild;
  let authorization = "";
  const call = async (method: string, path: string, params: Record<string, string>) => {
    const form = new URLSearchParams(params);
    const response = await fetch(`${host.url}/api/v1${path}${method === "GET" ? `?${form}` : ""}`, {
      method,
      headers: { authorization },
      ...(method !== "GET" && { body: form }),
    });
    return (await response.json()) as Record<string, any>;
  };
  const eventTypesSince = async ({ queue_id, last_event_id }: Record<string, any>) =>
    (await call("GET", "/events", { queue_id, last_event_id: String(last_event_id), dont_block: "true" })).events.map(
      ({ type }: { type: string }) => type,
    );
  afterAll(async () => {
    await host?.end();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  test("sends a restart event for a new build, and none for the same build", async () => {
    host = await startHostChild(dataFolder);
    const { api_key } = await call("POST", "/dev_fetch_api_key", { username: "viola@globe.test" });
    authorization = `Basic ${Buffer.from(`viola@globe.test:${api_key}`).toString("base64")}`;
    const queue = await call("POST", "/register", { event_types: '["restart","web_reload_client"]' });
    await host.end();
    host = await startHostChild(dataFolder);
    expect(await eventTypesSince(queue)).toEqual([]);

    const ownEnvironment = { ...process.env };
    Object.assign(process.env, host.environment);
    await announceBuild("a former one", { silently: true });
    Object.assign(process.env, ownEnvironment);
    await host.end();
    host = await startHostChild(dataFolder);

    expect(await eventTypesSince(queue)).toEqual(["restart", "web_reload_client"]);
  }, 90_000);
});
