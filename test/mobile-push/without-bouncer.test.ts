import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { aDevice } from "../support/outside/bouncer.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { isLocal } from "../support/world.ts";

describe.skipIf(!isLocal())("a server without a push bouncer (local host only: a deployed server has one)", () => {
  let host: PrivateHost;
  beforeAll(async () => {
    host = await aPrivateHost();
  });
  afterAll(() => host?.stop());
  const call = (method: string, path: string, params = {}) => host.as("viola@globe.test", method, path, params);
  const notConfigured = {
    status: 400,
    result: "error",
    code: "PUSH_SERVICE_NOT_CONFIGURED",
    msg: "Server is not configured to use push notification service.",
  };

  test("refuses registrations", async () => {
    expect(await call("POST", "/mobile_push/register", aDevice("fcm").registration)).toEqual(notConfigured);
  });

  test("stores tokens, but cannot test them", async () => {
    const token = "00ff";
    const added = await call("POST", "/users/me/apns_device_token", { token, appid: "test.app" });

    expect(added.status).toBe(200);
    expect(await call("POST", "/mobile_push/test_notification")).toEqual(notConfigured);
    expect(await call("POST", "/mobile_push/test_notification", { token: "11" })).toMatchObject({
      code: "INVALID_PUSH_DEVICE_TOKEN",
    });
    expect((await call("DELETE", "/users/me/apns_device_token", { token })).status).toBe(200);
    expect((await call("POST", "/mobile_push/test_notification")).status).toBe(200);
  });

  test("reports to clients that push is unavailable", async () => {
    const settings = await call("GET", "/server_settings");
    const registered = await call("POST", "/register", { fetch_event_types: ["realm", "push_device"] });

    expect(settings.push_notifications_enabled).toBe(false);
    expect(registered.realm_push_notifications_enabled).toBe(false);
    expect(registered.push_devices).toEqual({});
  });

  test("cannot test a device that was registered while the server had a bouncer", async () => {
    const { user_id } = await call("GET", "/users/me");
    const device = { userId: user_id, pushAccountId: 7, status: "active", deviceId: 1 };
    await seedTable(host, [{ pk: `USER#${user_id}`, sk: "PUSHDEVICE#7", ...device }]);

    expect(await call("POST", "/mobile_push/e2ee/test_notification")).toEqual(notConfigured);
  });
});
