import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aDevice, bouncerRequests, devicesOf, registerDevice, scriptBouncer } from "../support/outside/bouncer.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson } from "../support/world.ts";

const deviceEventsAfter = async (end: number, pushAccountId: number) =>
  (await eventsAfter(end, "push_device", (event) => event.push_account_id === String(pushAccountId))).map(
    ({ event, audience }) => ({ event, audience }),
  );

test.concurrent.each(["fcm", "apns"] as const)(
  "a device of kind %s is registered with the bouncer, with an event for its owner",
  async (kind) => {
    const rosalind = await aPerson("Rosalind");
    const device = aDevice(kind);
    const end = await logEnd();

    const reply = await rosalind.call("POST", "/mobile_push/register", device.registration);

    expect(reply.body).toEqual({ result: "success", msg: "" });
    const id = String(device.pushAccountId);
    await eventually(async () => (await devicesOf(rosalind))[id]?.status === "active");
    expect(await devicesOf(rosalind)).toEqual({ [id]: { status: "active", error_code: null } });
    const [request] = await bouncerRequests(id, "push/e2ee/register");
    expect(request?.body).toEqual({
      realm_uuid: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      push_account_id: id,
      encrypted_push_registration: device.registration.encrypted_push_registration,
      bouncer_public_key: device.registration.bouncer_public_key,
    });
    const audience = { kind: "users", userIds: [rosalind.id] };
    expect(await deviceEventsAfter(end, device.pushAccountId)).toEqual([
      { audience, event: { type: "push_device", push_account_id: id, status: "pending" } },
      { audience, event: { type: "push_device", push_account_id: id, status: "active" } },
    ]);
  },
);

test.concurrent("repeating a registration that has not failed changes nothing", async () => {
  const rosalind = await aPerson("Rosalind");
  const device = aDevice("fcm");
  await registerDevice(rosalind, device);
  const end = await logEnd();

  const reply = await rosalind.call("POST", "/mobile_push/register", device.registration);

  expect(reply.status).toBe(200);
  expect(await deviceEventsAfter(end, device.pushAccountId)).toEqual([]);
  expect(await bouncerRequests(String(device.pushAccountId), "push/e2ee/register")).toHaveLength(1);
});

test.concurrent.each([
  ["an old timestamp", { timestamp: 1_600_000_000 }, {}, "REQUEST_EXPIRED"],
  ["a key that is not the bouncer's", {}, { bouncer_public_key: "AAAA" }, "INVALID_BOUNCER_PUBLIC_KEY"],
  ["a part that the bouncer cannot decrypt", {}, { encrypted_push_registration: "AAAA" }, "BAD_REQUEST"],
])(
  "a registration with %s fails with the bouncer's code, and the device can register again",
  async (_, overrides, changes, code) => {
    const rosalind = await aPerson("Rosalind");
    const device = aDevice("apns", overrides);
    const end = await logEnd();

    const failed = await registerDevice(
      rosalind,
      { ...device, registration: { ...device.registration, ...changes } },
      "failed",
    );

    expect(failed).toEqual({ status: "failed", error_code: code });
    expect((await deviceEventsAfter(end, device.pushAccountId)).at(-1)?.event).toEqual({
      type: "push_device",
      push_account_id: String(device.pushAccountId),
      status: "failed",
      error_code: code,
    });
    const again = { ...aDevice("apns").registration, push_account_id: device.pushAccountId };
    expect(await registerDevice(rosalind, { ...device, registration: again })).toEqual({
      status: "active",
      error_code: null,
    });
  },
);

test.concurrent("a registration is retried without waiting for the visibility timeout when the bouncer fails", async () => {
  const rosalind = await aPerson("Rosalind");
  const device = aDevice("fcm");
  await scriptBouncer({ containing: `"${device.pushAccountId}"`, times: 1, status: 503 });
  const startedAt = Date.now();

  await registerDevice(rosalind, device);

  // The visibility timeout is six minutes.
  expect(Date.now() - startedAt).toBeLessThan(60_000);
  expect(await bouncerRequests(String(device.pushAccountId), "push/e2ee/register")).toHaveLength(2);
}, 90_000);

test.each([
  ["token_kind", "gcm", "Invalid token_kind"],
  ["push_account_id", "one", "push_account_id is not an integer"],
  ["push_public_key", "not base64!", "Invalid push_public_key"],
  ["push_public_key", "AAAA", "Invalid push_public_key"],
  ["encrypted_push_registration", "a*b", "Invalid encrypted_push_registration"],
  ["encrypted_push_registration", "AAAAA", "Invalid encrypted_push_registration"],
])("%s=%s is refused", async (name, value, msg) => {
  const rosalind = await aPerson("Rosalind");

  const reply = await rosalind.call("POST", "/mobile_push/register", { ...aDevice("fcm").registration, [name]: value });

  expect(reply.status).toBe(400);
  expect(reply.body.code).toMatch(/^(BAD_REQUEST|REQUEST_VARIABLE_INVALID)$/);
  expect(reply.body.msg).toContain(msg);
});

test.each(["token_kind", "push_account_id", "push_public_key", "bouncer_public_key", "encrypted_push_registration"])(
  "%s is required",
  async (name) => {
    const rosalind = await aPerson("Rosalind");

    const reply = await rosalind.call("POST", "/mobile_push/register", {
      ...aDevice("fcm").registration,
      [name]: undefined,
    });

    expect(reply.body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: name });
  },
);
