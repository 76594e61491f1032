import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkError } from "../support/checks/error-codes.ts";
import { type HostChild, startHostChild } from "../support/hosts/host-child.ts";
import { mailsIn } from "../support/mails.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

/** On a private host that is restarted, because deactivation would affect all other files. */
describe.skipIf(!isLocal())("an organization that an owner deactivates", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-deactivated-"));
  let host: HostChild;
  const keys = new Map<string, string>();
  const [owner, member] = ["owner@globe.test", "viola@globe.test"];
  const send = async (email: string | undefined, method: string, path: string, params: Record<string, string> = {}) => {
    const form = new URLSearchParams(params);
    const authorization = email && `Basic ${Buffer.from(`${email}:${keys.get(email)}`).toString("base64")}`;
    const response = await fetch(`${host.url}/api/v1${path}${method === "GET" ? `?${form}` : ""}`, {
      method,
      headers: authorization ? { authorization } : {},
      ...(method !== "GET" && { body: form }),
    });
    const body = (await response.json()) as Record<string, any>;
    checkError(method, `/api/v1${path}`, response.status, body);
    return { status: response.status, ...body } as Record<string, any>;
  };
  const deactivated = {
    status: 401,
    result: "error",
    code: "REALM_DEACTIVATED",
    msg: "This organization has been deactivated",
  };
  beforeAll(async () => {
    host = await startHostChild(dataFolder);
    for (const email of [owner, member])
      keys.set(email, (await send(undefined, "POST", "/dev_fetch_api_key", { username: email })).api_key);
  }, 60_000);
  afterAll(async () => {
    await host?.end();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  test("needs an owner, and unsupported deletion parameters are refused", async () => {
    expect(await send(member, "POST", "/realm/deactivate")).toMatchObject({ code: "UNAUTHORIZED_PRINCIPAL" });
    expect(await send(owner, "POST", "/realm/deactivate", { deletion_delay_days: "x" })).toMatchObject({ status: 400 });
    expect(await send(owner, "POST", "/realm/deactivate", { deletion_delay_days: "30" })).toMatchObject({
      code: "BAD_REQUEST",
      msg: "deletion_delay_days is not supported by this server: data is not deleted.",
    });
    expect(await send(member, "GET", "/users/me")).toMatchObject({ result: "success" });
  });

  test("notifies waiting clients, ends their queues, and refuses all requests", async () => {
    const { queue_id, last_event_id } = await send(member, "POST", "/register");
    const waiting = send(member, "GET", "/events", { queue_id, last_event_id: String(last_event_id) });

    expect(await send(owner, "POST", "/realm/deactivate", { deletion_delay_days: "null" })).toEqual({
      status: 200,
      result: "success",
      msg: "",
    });

    const { events } = await waiting;
    expect(events).toMatchObject([{ type: "realm", op: "deactivated", realm_id: expect.any(Number) }]);
    expect(await send(member, "GET", "/events", { queue_id, last_event_id: String(events[0].id) })).toMatchObject(
      deactivated,
    );
    for (const email of [owner, member])
      for (const [method, path] of [
        ["GET", "/users/me"],
        ["GET", "/drafts"],
        ["POST", "/register"],
        ["POST", "/realm/deactivate"],
      ] as const)
        expect(await send(email, method, path)).toMatchObject(deactivated);
    expect(await send(undefined, "POST", "/dev_fetch_api_key", { username: member })).toMatchObject(deactivated);
    expect(
      await send(undefined, "GET", "/messages", {
        anchor: "newest",
        num_before: "1",
        num_after: "0",
        narrow: '[["channels","web-public"]]',
      }),
    ).toMatchObject(deactivated);
    const mailed = () => mailsIn(join(dataFolder, "aws", "mail"), owner);
    expect(await eventually(async () => (await mailed())[0])).toMatchObject({
      subject: "Your organization Globe Theatre has been deactivated",
      text: expect.stringContaining("No data was deleted"),
    });
    const page = await fetch(`${host.url}/join`);
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining("has been deactivated")]);
  });

  test("persists across restarts until the operator reactivates it, with all data", async () => {
    await host.end();
    host = await startHostChild(dataFolder);
    expect(await send(owner, "GET", "/users/me")).toMatchObject(deactivated);
    await host.end();

    host = await startHostChild(dataFolder, { env: { SKEIN_REACTIVATE: "true" } });

    expect(await send(owner, "GET", "/users/me")).toMatchObject({ result: "success", role: 100 });
    expect(await send(member, "GET", "/users/me/subscriptions")).toMatchObject({ result: "success" });
    expect(await send(undefined, "POST", "/dev_fetch_api_key", { username: member })).toMatchObject({
      api_key: keys.get(member),
    });
  }, 60_000);
});
