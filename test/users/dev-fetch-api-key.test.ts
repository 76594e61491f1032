import { expect, test } from "vitest";
import { aPerson, call, isLocal, localTest } from "../support/world.ts";

test("a development server returns any user's key, and a deployed fleet none", async () => {
  const mercutio = await aPerson("Mercutio");

  const reply = await call("POST", "/dev_fetch_api_key", { username: mercutio.email });

  if (isLocal())
    expect(reply.body).toEqual({
      result: "success",
      msg: "",
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      email: mercutio.email,
      user_id: mercutio.id,
    });
  else
    expect(reply).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Endpoint not available in production." },
    });
});

localTest("deployed fleets return no key")(
  "pages of other origins get no key, and the server's own pages do",
  async () => {
    const { email } = await aPerson("Mercutio");
    const from = (origin: string) =>
      call("POST", "/dev_fetch_api_key", { username: email }, { headers: { origin, host: "localhost:9991" } });

    for (const origin of ["https://page.example", "http://localhost:9992", "null"])
      expect(await from(origin), origin).toMatchObject({
        status: 400,
        body: { msg: "Endpoint not available to other sites." },
      });
    expect((await from("http://localhost:9991")).body.api_key).toMatch(/^[A-Za-z0-9]{32}$/);
  },
);

test("an unknown user is refused", async () => {
  const reply = await call("POST", "/dev_fetch_api_key", { username: "yorick@globe.test" });

  expect(reply.body).toMatchObject({ result: "error", code: isLocal() ? "AUTHENTICATION_FAILED" : "BAD_REQUEST" });
});

localTest("deployed fleets return no key")("a deactivated user is refused", async () => {
  const [prince, { email, id }] = [await aPerson("Escalus", { role: "owner" }), await aPerson("Mercutio")];
  await prince.do("DELETE", `/users/${id}`);

  expect(await call("POST", "/dev_fetch_api_key", { username: email })).toMatchObject({
    status: 401,
    body: { code: "USER_DEACTIVATED" },
  });
});

test("the username is required", async () => {
  expect(await call("POST", "/dev_fetch_api_key")).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: "username" },
  });
});
