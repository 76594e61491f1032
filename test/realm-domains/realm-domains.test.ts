import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { withSettings } from "../support/organization.ts";
import { token, unique } from "../support/unique.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let owner: Person;
let ann: Person;
beforeAll(async () => {
  [owner, ann] = await Promise.all([aPerson("Duncan", { role: "owner" }), aPerson("Ann")]);
});
const aDomain = () => `${unique("glamis").replace(/\W+/g, "-").toLowerCase()}.test`;
const domains = async () => (await ann.call("GET", "/realm/domains")).body.domains;

test("a domain can be added, changed and removed, each with an event", async () => {
  const domain = aDomain();
  const listener = await listen(ann, { event_types: ["realm_domains"] });

  expect(
    (await owner.call("POST", "/realm/domains", { domain: domain.toUpperCase(), allow_subdomains: false })).body,
  ).toEqual({ result: "success", msg: "", new_domain: [expect.any(Number), domain] });
  expect(await domains()).toContainEqual({ domain, allow_subdomains: false });
  await owner.do("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  const { realm_domains } = (await ann.call("POST", "/register", { event_types: ["realm_domains"] })).body;
  expect(realm_domains).toContainEqual({ domain, allow_subdomains: true });
  await owner.do("DELETE", `/realm/domains/${domain}`);
  expect(await domains()).not.toContainEqual(expect.objectContaining({ domain }));

  const id = expect.any(Number);
  expect(await listener.poll()).toEqual([
    { type: "realm_domains", id, op: "add", realm_domain: { domain, allow_subdomains: false } },
    { type: "realm_domains", id, op: "change", realm_domain: { domain, allow_subdomains: true } },
    { type: "realm_domains", id, op: "remove", domain },
  ]);
});

test.each(["", "nodots", "a b.test", "-x.test", "x..test", `${"x".repeat(100)}.test`])(
  "%j is refused and changes nothing",
  async (domain) => {
    const before = await domains();

    expect(await owner.call("POST", "/realm/domains", { domain, allow_subdomains: false })).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
    expect(await domains()).toEqual(before);
  },
);

test("duplicate and unknown domains are refused, and so are callers who are not owners", async () => {
  const domain = aDomain();
  const add = (who: Person) => who.call("POST", "/realm/domains", { domain, allow_subdomains: false });
  const admin = await aPerson("Banquo", { role: "administrator" });

  expect((await add(admin)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  expect((await add(owner)).status).toBe(200);
  expect((await add(owner)).body.msg).toContain("already a part of your organization");
  await owner.do("DELETE", `/realm/domains/${domain}`);
  expect((await owner.call("DELETE", `/realm/domains/${domain}`)).body.msg).toBe(
    `No entry found for domain ${domain}.`,
  );
  expect((await owner.call("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true })).status).toBe(400);
  expect((await call("GET", "/realm/domains")).status).toBe(401);
});

test("while addresses are restricted to domains, + is refused; removing the last domain ends the restriction", async () => {
  const domain = aDomain();
  for (const each of await domains()) await owner.do("DELETE", `/realm/domains/${each.domain}`);
  await owner.do("POST", "/realm/domains", { domain, allow_subdomains: false });
  const invite = (email: string) =>
    owner.call("POST", "/users", { email, password: "a-thane-of-cawdor-7", full_name: "Ross" });

  await withSettings({ emails_restricted_to_domains: true }, async () => {
    expect((await invite("ross@inverness.test")).body.msg).toBe(
      "Email 'ross@inverness.test' not allowed in this organization",
    );
    expect((await invite(`ross+thane@${domain}`)).body.msg).toBe(
      "Email addresses containing + are not allowed in this organization.",
    );
    expect((await invite(`ross@${domain}`)).status).toBe(200);

    const listener = await listen(ann, { event_types: ["realm", "realm_domains"] });
    await owner.do("DELETE", `/realm/domains/${domain}`);
    expect(await listener.poll()).toMatchObject([
      { type: "realm_domains", op: "remove", domain },
      { type: "realm", op: "update_dict", data: { emails_restricted_to_domains: false } },
    ]);
    expect((await invite(`ross-${token()}@inverness.test`)).status).toBe(200);
  });
});
