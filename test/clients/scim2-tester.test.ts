import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { scimToken } from "../support/outside/identity-provider-servers.ts";
import { environmentOf, runPython } from "../support/outside/python.ts";
import { isLocal } from "../support/world.ts";

/** Checks the SCIM endpoints of a private host by scim2-tester, which reads their schemas and tries each attribute. */

let host: PrivateHost;
beforeAll(async () => {
  if (isLocal()) host = await aPrivateHost({ SKEIN_SCIM_TOKEN: scimToken, SKEIN_RATE_LIMITS: "off" });
});
afterAll(() => host?.stop());

/** Checks of what a server need not have. */
const optional = [
  // A search of all types at once, by POST.
  "search_with_attributes",
];

const scim = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${host.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${scimToken}`, "content-type": "application/scim+json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as any };
};

test.skipIf(!isLocal())("the only owner cannot be deactivated", async () => {
  const owner = "owner@globe.test";
  const { body } = await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${owner}"`)}`);
  const [{ id }] = body.Resources;
  const leave = { Operations: [{ op: "replace", value: { active: false } }] };

  const [left, deleted] = [await scim("PATCH", `/Users/${id}`, leave), await scim("DELETE", `/Users/${id}`)];

  const detail = "Cannot deactivate the only organization owner";
  expect([left, deleted].map((reply) => [reply.status, reply.body.detail])).toEqual([
    [400, detail],
    [400, detail],
  ]);
  expect((await host.do(owner, "GET", "/users/me")).is_active).toBe(true);
});

test.skipIf(!isLocal())("without a token there is no SCIM, and a token that can be guessed is refused", async () => {
  const other = await aPrivateHost();
  try {
    const replies = ["/scim/v2/Users", "/scim/v2/none", "/none"].map(async (path) => {
      const response = await fetch(`${other.url}${path}`, { headers: { authorization: "Bearer undefined" } });
      return [response.status, await response.json()];
    });

    const [users, ...others] = await Promise.all(replies);
    expect(users).toEqual([404, { result: "error", msg: "Not found", code: "NOT_FOUND" }]);
    expect(others).toEqual([users, users]);
  } finally {
    await other.stop();
  }
  await expect(aPrivateHost({ SKEIN_SCIM_TOKEN: "secret" })).rejects.toThrow("ended with code 1");
});

test.skipIf(!isLocal())(
  "scim2-tester finds nothing wrong",
  async () => {
    const environment = await environmentOf(join(import.meta.dirname, "scim2-tester.requirements.txt"));

    const results = await runPython(
      join(import.meta.dirname, "scim.py"),
      { url: host.url, token: scimToken },
      environment,
    );

    const counted = results.filter(({ check }: any) => !optional.includes(check));
    expect(counted.filter(({ status }: any) => status !== "SUCCESS")).toEqual([]);
    expect(counted.length).toBeGreaterThan(30);
  },
  600_000,
);
