import { expect, test } from "vitest";
import { call, isLocal } from "../support/world.ts";

test("returns the server's settings without credentials", async () => {
  const { status, body } = await call("GET", "/server_settings");

  expect(status).toBe(200);
  expect(body).toMatchObject({
    zulip_feature_level: 420,
    zulip_version: "11.0",
    realm_name: "Globe Theatre",
    email_auth_enabled: true,
    authentication_methods: { password: true, dev: isLocal(), email: true, ldap: false },
    external_authentication_methods: expect.arrayContaining([expect.objectContaining({ display_name: "Acme" })]),
    realm_uri: expect.stringMatching(/^http/),
  });
  expect(body.realm_url).toBe(body.realm_uri);
});

test("unknown parameters are reported", async () => {
  expect((await call("GET", "/server_settings", { colour: "red" })).body.ignored_parameters_unsupported).toEqual([
    "colour",
  ]);
});
