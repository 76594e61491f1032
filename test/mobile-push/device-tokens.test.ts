import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { bouncerRequests } from "../support/outside/bouncer.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson } from "../support/world.ts";

const aToken = () => randomBytes(16).toString("hex");
const paths = { apns: "/users/me/apns_device_token", fcm: "/users/me/android_gcm_reg_id" };
const badRequest = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

test.each(["apns", "fcm"] as const)(
  "a token of kind %s is added and registered with the bouncer, and a repetition changes nothing",
  async (kind) => {
    const celia = await aPerson("Celia");
    const token = aToken();
    const params = { token, ...(kind === "apns" && { appid: "test.app-1" }) };

    const replies = [await celia.call("POST", paths[kind], params), await celia.call("POST", paths[kind], params)];

    expect(replies.map(({ body }) => body)).toEqual([1, 2].map(() => ({ result: "success", msg: "" })));
    await eventually(async () => (await bouncerRequests(token)).length > 0);
    const requests = await bouncerRequests(token);
    expect(requests).toEqual([
      {
        path: "push/register",
        text: expect.any(String),
        body: {
          realm_uuid: expect.any(String),
          user_uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          user_id: String(celia.id),
          token,
          token_kind: kind === "apns" ? "1" : "2",
          ...(kind === "apns" && { ios_app_id: "test.app-1" }),
        },
      },
    ]);
  },
);

test.each(["apns", "fcm"] as const)("a token of kind %s can be removed once, only by its owner", async (kind) => {
  const [celia, oliver] = [await aPerson("Celia"), await aPerson("Oliver")];
  const token = aToken();
  await celia.do("POST", paths[kind], { token, ...(kind === "apns" && { appid: "test.app" }) });

  const othersReply = await oliver.call("DELETE", paths[kind], { token });
  const [first, second] = [
    await celia.call("DELETE", paths[kind], { token }),
    await celia.call("DELETE", paths[kind], { token }),
  ];

  expect(othersReply.body).toEqual(badRequest("Token does not exist"));
  expect(first.body).toEqual({ result: "success", msg: "" });
  expect(second.body).toEqual(badRequest("Token does not exist"));
  await eventually(async () => (await bouncerRequests(token, "push/unregister")).length > 0);
});

test.each([
  ["POST", "apns", ""],
  ["POST", "fcm", ""],
  ["DELETE", "apns", ""],
  ["DELETE", "fcm", ""],
  ["POST", "apns", "ab".repeat(2049)],
  ["POST", "fcm", "x".repeat(4097)],
  ["DELETE", "fcm", "x".repeat(20_000)],
] as const)("%s of a token of kind %s that is empty or too long is refused", async (method, kind, token) => {
  const celia = await aPerson("Celia");

  const { status, body } = await celia.call(method, paths[kind], { token, ...(method === "POST" && { appid: "a" }) });

  expect([status, body.code, body.msg]).toEqual([400, "BAD_REQUEST", "Empty or invalid length token"]);
});

test.each(["POST", "DELETE"])("%s of an APNs token that is not hexadecimal is refused", async (method) => {
  const celia = await aPerson("Celia");

  const { body } = await celia.call(method, paths.apns, { token: "xyz", appid: "a" });

  expect([body.code, body.msg]).toEqual(["BAD_REQUEST", "Invalid APNS token"]);
});

test("an APNs token without an app ID, or with an invalid one, is refused", async () => {
  const celia = await aPerson("Celia");

  const withoutAppId = await celia.call("POST", paths.apns, { token: aToken() });
  const withInvalidAppId = await celia.call("POST", paths.apns, { token: aToken(), appid: "not an app" });

  expect(withoutAppId.body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "appid" });
  expect(withInvalidAppId.body).toEqual(badRequest("appid has invalid characters"));
});
