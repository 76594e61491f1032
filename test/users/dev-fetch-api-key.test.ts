import { expect, test } from "vitest";
import { aPerson, call, isLocal } from "../support/world.ts";

test("a development server gives any user's key, and a deployed fleet nobody's", async () => {
  const mercutio = await aPerson("Mercutio");

  const reply = await call("POST", "/dev_fetch_api_key", { username: mercutio.email });

  if (isLocal())
    expect(reply.body).toEqual({
      result: "success",
      msg: "",
      api_key: mercutio.apiKey,
      email: mercutio.email,
      user_id: mercutio.id,
    });
  else
    expect(reply).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Endpoint not available in production." },
    });
});

test("an unknown user has no key anywhere", async () => {
  const reply = await call("POST", "/dev_fetch_api_key", { username: "yorick@globe.test" });

  expect(reply.body).toMatchObject({ result: "error", code: isLocal() ? "AUTHENTICATION_FAILED" : "BAD_REQUEST" });
});

test("the username is required", async () => {
  expect(await call("POST", "/dev_fetch_api_key")).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: "username" },
  });
});
