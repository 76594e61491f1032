import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aDevice, bouncerRequests, devicesOf, registerDevice, scriptBouncer } from "../support/outside/bouncer.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const success = { result: "success", msg: "" };

describe("test notifications to devices with a token", () => {
  const path = "/mobile_push/test_notification";
  async function aToken(owner: Person): Promise<string> {
    const token = randomBytes(16).toString("hex");
    await owner.do("POST", "/users/me/apns_device_token", { token, appid: "test.app" });
    await eventually(async () => (await bouncerRequests(token)).length > 0);
    return token;
  }

  test("a notification is sent to all devices, or to the one with the given token", async () => {
    const jaques = await aPerson("Jaques");
    const [firstToken, secondToken] = [await aToken(jaques), await aToken(jaques)];

    expect((await jaques.call("POST", path)).body).toEqual(success);
    expect((await jaques.call("POST", path, { token: firstToken })).body).toEqual(success);

    const sent = await Promise.all(
      [firstToken, secondToken].map((token) => bouncerRequests(token, "push/test_notification")),
    );
    expect(sent.map((requests) => requests.length)).toEqual([2, 1]);
    expect(sent[0]?.[0]?.body).toEqual({
      realm_uuid: expect.any(String),
      user_uuid: expect.any(String),
      user_id: jaques.id,
      token: firstToken,
      token_kind: 1,
      base_payload: {
        event: "test",
        realm_name: "Globe Theatre",
        realm_url: expect.stringMatching(/^https?:/),
        realm_uri: expect.stringMatching(/^https?:/),
        realm_id: expect.any(Number),
        server: expect.any(String),
        user_id: jaques.id,
      },
    });
  });

  test("without devices the request succeeds, and an unknown token is refused", async () => {
    const [jaques, other] = [await aPerson("Jaques"), await aPerson("Other")];
    const token = await aToken(other);

    expect((await jaques.call("POST", path)).body).toEqual(success);
    const reply = await jaques.call("POST", path, { token });
    expect([reply.status, reply.body.code, reply.body.msg]).toEqual([
      400,
      "INVALID_PUSH_DEVICE_TOKEN",
      "Device not recognized",
    ]);
  });

  test.each([
    [
      400,
      { result: "error", code: "INVALID_REMOTE_PUSH_DEVICE_TOKEN", msg: "?" },
      400,
      "INVALID_REMOTE_PUSH_DEVICE_TOKEN",
    ],
    [500, {}, 502, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    [0, {}, 502, "FAILED_TO_CONNECT_BOUNCER"],
    [403, { result: "error", code: "PUSH_NOTIFICATIONS_DISALLOWED", msg: "no plan" }, 403, "ADMIN_ACTION_REQUIRED"],
  ])("a response %i of the bouncer becomes the documented error", async (status, body, expected, code) => {
    const jaques = await aPerson("Jaques");
    const token = await aToken(jaques);
    await scriptBouncer({ containing: token, times: 1, status, body });

    const reply = await jaques.call("POST", path);

    expect([reply.status, reply.body.code]).toEqual([expected, code]);
  });
});

describe("test notifications to devices with a key", () => {
  const path = "/mobile_push/e2ee/test_notification";

  test("each device can decrypt its notification, and the bouncer cannot", async () => {
    const jaques = await aPerson("Jaques");
    const [phone, tablet] = [aDevice("fcm"), aDevice("apns")];
    await registerDevice(jaques, phone);
    await registerDevice(jaques, tablet);

    expect((await jaques.call("POST", path)).body).toEqual(success);

    const [request] = await bouncerRequests(`"push_account_id":${phone.pushAccountId},`, "push/e2ee/notify");
    const requests: any[] = request?.body.push_requests;
    const [toPhone, toTablet] = [phone, tablet].map(({ pushAccountId }) =>
      requests.find(({ payload }) => payload.push_account_id === pushAccountId),
    );
    expect(request?.body.realm_uuid).toEqual(expect.any(String));
    expect(toPhone).toEqual({
      device_id: expect.any(Number),
      fcm_priority: "high",
      payload: { push_account_id: phone.pushAccountId, encrypted_data: expect.any(String) },
    });
    expect(toTablet).toEqual({
      device_id: expect.any(Number),
      http_headers: { apns_priority: 10, apns_push_type: "alert" },
      payload: {
        push_account_id: tablet.pushAccountId,
        encrypted_data: expect.any(String),
        aps: { "mutable-content": 1, alert: { title: "New notification" } },
      },
    });
    expect(phone.open(toPhone.payload.encrypted_data)).toEqual({
      type: "test",
      time: expect.any(Number),
      realm_name: "Globe Theatre",
      realm_url: expect.stringMatching(/^https?:/),
      user_id: jaques.id,
    });
    expect(tablet.open(toTablet.payload.encrypted_data)).toMatchObject({ type: "test" });
    expect(tablet.open(toPhone.payload.encrypted_data)).toBeNull();
  });

  test("a notification is sent only to the device with the given ID", async () => {
    const jaques = await aPerson("Jaques");
    const [phone, tablet] = [aDevice("fcm"), aDevice("apns")];
    await registerDevice(jaques, phone);
    await registerDevice(jaques, tablet);

    await jaques.do("POST", path, { push_account_id: tablet.pushAccountId });

    const [request] = await bouncerRequests(`"push_account_id":${tablet.pushAccountId},`, "push/e2ee/notify");
    expect(request?.body.push_requests).toHaveLength(1);
    expect(await bouncerRequests(`"push_account_id":${phone.pushAccountId},`, "push/e2ee/notify")).toEqual([]);
  });

  test("without an active device the request is refused", async () => {
    const [jaques, other] = [await aPerson("Jaques"), await aPerson("Other")];
    const [failedDevice, othersDevice] = [aDevice("fcm", { timestamp: 1 }), aDevice("fcm")];
    await registerDevice(jaques, failedDevice, "failed");
    await registerDevice(other, othersDevice);

    const replies = [
      await jaques.call("POST", path),
      await jaques.call("POST", path, { push_account_id: failedDevice.pushAccountId }),
      await jaques.call("POST", path, { push_account_id: othersDevice.pushAccountId }),
    ];

    for (const { status, body } of replies)
      expect([status, body.code, body.msg]).toEqual([400, "NO_ACTIVE_PUSH_DEVICE", "No active registered push device"]);
  });

  test("a device that the bouncer no longer knows is deleted", async () => {
    const jaques = await aPerson("Jaques");
    const phone = aDevice("fcm");
    await registerDevice(jaques, phone);
    await jaques.do("POST", path);
    const marker = `"push_account_id":${phone.pushAccountId},`;
    const [request] = await bouncerRequests(marker, "push/e2ee/notify");
    const ids = [request?.body.push_requests[0].device_id];
    await scriptBouncer({
      containing: marker,
      times: 1,
      status: 200,
      body: { result: "success", msg: "", delete_device_ids: ids },
    });

    const reply = await jaques.call("POST", path);

    expect(reply.body.code).toBe("NO_ACTIVE_PUSH_DEVICE");
    expect(await devicesOf(jaques)).toEqual({});
  });

  test.each([
    [400, { code: "INVALID_REMOTE_PUSH_DEVICE_TOKEN" }, 400, "INVALID_REMOTE_PUSH_DEVICE_TOKEN"],
    [500, undefined, 502, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    [0, undefined, 502, "FAILED_TO_CONNECT_BOUNCER"],
    [403, undefined, 403, "ADMIN_ACTION_REQUIRED"],
  ])("a response %i of the bouncer becomes the documented error", async (status, body, expected, code) => {
    const jaques = await aPerson("Jaques");
    const phone = aDevice("fcm");
    await registerDevice(jaques, phone);
    await scriptBouncer({ containing: `"push_account_id":${phone.pushAccountId},`, times: 1, status, body });

    const reply = await jaques.call("POST", path);

    expect([reply.status, reply.body.code]).toEqual([expected, code]);
  });
});
