import { expect, test } from "vitest";
import { aPerson, call, isLocal, localTest } from "../support/world.ts";

localTest("deployed fleets refuse it")(
  "a development server lists the users for sign-in, administrators separately",
  async () => {
    const [helena, hermia] = [await aPerson("Helena", { role: "administrator" }), await aPerson("Hermia")];

    const { body } = await call("GET", "/dev_list_users");

    const emails = (accounts: { email: string }[]) => accounts.map(({ email }) => email);
    expect(body.direct_admins.length + body.direct_users.length).toBeLessThanOrEqual(200);
    if (body.direct_admins.length + body.direct_users.length < 200) {
      expect(emails(body.direct_admins)).toContain(helena.email);
      expect(emails(body.direct_users)).toContain(hermia.email);
    }
    expect(emails(body.direct_users)).not.toContain(helena.email);
  },
);

localTest("deployed fleets refuse it to all")("the list of users is refused to pages of other origins", async () => {
  const { status, body } = await call("GET", "/dev_list_users", {}, { headers: { origin: "https://evil.test" } });

  expect([status, body.code, body.direct_users]).toEqual([400, "BAD_REQUEST", undefined]);
});

test.skipIf(isLocal())("a deployed fleet refuses the list of users", async () => {
  const { status, body } = await call("GET", "/dev_list_users");

  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});
