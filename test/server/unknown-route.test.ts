import { expect, test } from "vitest";
import { send } from "../support/http.ts";
import { call, isLocal } from "../support/world.ts";

test("an unknown path returns 404 as a JSON error, with or without the prefix", async () => {
  const inApi = await call("GET", "/no/such/thing");
  const outsideApi = await send("POST", "/elsewhere", undefined, {});

  for (const reply of [inApi, outsideApi]) {
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({ result: "error", msg: "Not found", code: "NOT_FOUND" });
  }
});

test.skipIf(!isLocal())("a path that ends where an ID should be is unknown (gateways differ)", async () => {
  for (const path of ["/users/", "/scheduled_messages/"]) {
    const [reply, options] = await Promise.all([call("GET", path), call("OPTIONS", path)]);
    expect(reply).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(options.status).toBe(404);
  }
});

test("a wrong method returns 405 with the allowed ones", async () => {
  const reply = await call("DELETE", "/messages");

  expect(reply.status).toBe(405);
  expect(reply.body).toEqual({
    result: "error",
    msg: "Method Not Allowed",
    code: "METHOD_NOT_ALLOWED",
    allowed_methods: expect.arrayContaining(["GET", "POST"]),
  });
  expect(String(reply.headers.allow).split(", ")).toEqual(reply.body.allowed_methods);
});

test("a wrong method returns 405 also where another route's parameter would capture the path", async () => {
  for (const [method, path, allowed] of [
    ["GET", "/messages/render", ["POST"]],
    ["PATCH", "/messages/flags", ["POST"]],
    ["GET", "/users/me/subscriptions/properties", ["POST"]],
    ["PATCH", "/users/me", ["DELETE", "GET"]],
    ["DELETE", "/invites/multiuse", ["POST"]],
  ] as const) {
    const reply = await call(method, path);
    expect(reply).toMatchObject({ status: 405, body: { code: "METHOD_NOT_ALLOWED", allowed_methods: allowed } });
    expect(String(reply.headers.allow).split(", ")).toEqual(allowed);
  }
});

test.skipIf(!isLocal())("OPTIONS returns the allowed methods (MiniStack treats it as CORS)", async () => {
  const reply = await call("OPTIONS", "/scheduled_messages/1");

  expect(reply.status).toBe(204);
  expect(String(reply.headers.allow).split(", ")).toEqual(expect.arrayContaining(["DELETE", "PATCH"]));
});

test.skipIf(!isLocal())("HEAD works wherever GET does (API Gateway would need a separate route)", async () => {
  const reply = await call("HEAD", "/server_settings");

  expect(reply).toMatchObject({ status: 200, body: "" });
});
