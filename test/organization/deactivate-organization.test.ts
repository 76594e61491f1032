import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open, submit } from "../support/accounts.ts";
import { checkError } from "../support/checks/error-codes.ts";
import { type HostChild, startHostChild } from "../support/hosts/host-child.ts";
import { mailsIn } from "../support/mails.ts";
import { tableOf } from "../support/table/seed-table.ts";
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
    await checkError(method, `/api/v1${path}`, response.status, body);
    return { status: response.status, ...body } as Record<string, any>;
  };
  /** Opens the pages for people who are not logged in, and submits their forms; returns the statuses. */
  const statusesOfPages = async () => {
    const [options, fields] = [{ url: host.url }, { email: member, password: "the-rain-it-raineth", token: "x" }];
    const pages = ["/join", "/join/x", "/password-reset/x", "/sign-out-device/x"];
    const opened = [...pages, "/sign-in/x", "/sign-in/x/callback"].map((path) => open(path, options));
    const submitted = [...pages, "/confirm-email/x", "/api/v1/token/fetch_api_key"].map((path) =>
      submit(path, fields, options),
    );
    return (await Promise.all([...opened, ...submitted])).map(({ status }) => status);
  };
  const logIn = () =>
    send(undefined, "POST", "/fetch_api_key", { username: owner, password: "all-the-world-is-a-stage" });
  const giveCode = () =>
    send(undefined, "POST", "/second_factor/fetch_api_key", { username: owner, second_factor_token: "x", code: "1" });
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

  test("can only be deactivated by an owner, and without the unsupported deletion parameters", async () => {
    expect(await send(member, "POST", "/realm/deactivate")).toMatchObject({ code: "UNAUTHORIZED_PRINCIPAL" });
    expect(await send(owner, "POST", "/realm/deactivate", { deletion_delay_days: "x" })).toMatchObject({ status: 400 });
    expect(await send(owner, "POST", "/realm/deactivate", { deletion_delay_days: "30" })).toMatchObject({
      code: "BAD_REQUEST",
      msg: "deletion_delay_days is not supported by this server: data is not deleted.",
    });
    expect(await send(member, "GET", "/users/me")).toMatchObject({ result: "success" });
  });

  test("notifies waiting clients, ends their event queues, and refuses all requests", async () => {
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
    expect(await logIn()).toMatchObject(deactivated);
    expect(await giveCode()).toMatchObject(deactivated);
    expect(
      await send(undefined, "GET", "/messages", {
        anchor: "newest",
        num_before: "1",
        num_after: "0",
        narrow: '[["channels","web-public"]]',
      }),
    ).toMatchObject(deactivated);
    const mailsToOwner = () => mailsIn(join(dataFolder, "aws", "mail"), owner);
    expect(await eventually(async () => (await mailsToOwner())[0])).toMatchObject({
      subject: "Your organization Globe Theatre has been deactivated",
      text: expect.stringContaining("No data was deleted"),
    });
    const { bytes } = await open("/join", { url: host.url });
    expect(bytes.toString()).toContain("has been deactivated");
    expect(new Set(await statusesOfPages())).toEqual(new Set([401]));
  });

  test("stays deactivated across restarts until the operator reactivates it, with all data", async () => {
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

  test("a deployment without an organization refuses logins, and requests that need none", async () => {
    const key = { pk: "ORGANIZATION", sk: "ORGANIZATION" };
    await tableOf(host).delete({ key });
    const missing = { status: 404, code: "NONEXISTENT_SUBDOMAIN", msg: "Invalid subdomain" };
    const settings = await eventually(async () => {
      const reply = await send(undefined, "GET", "/server_settings");
      return reply.status === 404 && reply;
    });

    expect(settings).toMatchObject(missing);
    expect(await logIn()).toMatchObject(missing);
    expect(await giveCode()).toMatchObject(missing);
    for (const path of ["/messages", "/messages/1", "/users"])
      expect(await send(undefined, "GET", path)).toMatchObject(missing);
    for (const path of ["/user_uploads/2/x/a.png", "/user_uploads/thumbnail/2/x/a.png/840x560.webp"])
      expect(await open(path, { url: host.url })).toMatchObject({ status: 404, body: { code: missing.code } });
    expect(new Set(await statusesOfPages())).toEqual(new Set([404]));
  });
});
