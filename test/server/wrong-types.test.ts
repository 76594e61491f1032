import { beforeAll, expect, test } from "vitest";
import { type EndpointMember, loadFleet } from "../../infra/fleet.ts";
import type { Param } from "../../shared/base/schema/params.ts";
import { aPerson, isLocal, type Person } from "../support/world.ts";

/** Sends each parameter of many endpoints a value of a wrong type, and expects a 400 that names the parameter. */

const resources = new Set([
  "users",
  "bots",
  "settings",
  "organization",
  "channels",
  "subscriptions",
  "channel-folders",
  "default-streams",
  "user-groups",
  "uploads",
  "attachments",
  "avatars",
  "emoji",
  "realm-icon",
  "realm-logo",
  "saved-snippets",
  "profile-fields",
  "navigation-views",
  "playgrounds",
  "exports",
]);

const fleet = await loadFleet();
const endpoints = fleet.filter(
  // Endpoints outside the API, which browsers fetch, return 404 for invalid paths instead.
  (member): member is EndpointMember =>
    member.kind === "endpoint" && resources.has(member.resource) && member.spec.prefix !== "",
);

/** Form values of every JSON type, and some that are not JSON. */
const candidates = [
  "1",
  "text",
  "true",
  "[]",
  "{}",
  "null",
  "add",
  "1.5",
  '"7"',
  "[1]",
  '["a"]',
  "[null]",
  '{"new":"x"}',
  '{"new":5}',
  '[{"name":"a"}]',
  '[{"name":1}]',
  '[{"stream_id":1,"property":"color","value":"x"}]',
  '[{"stream_id":"1","property":"color","value":"x"}]',
  "{",
  "True",
];

/** Whether a parameter accepts a candidate, decoded according to the parameter's encoding. */
function accepts({ schema, encoding }: Param, raw: string): boolean {
  const parsed = (() => {
    try {
      return { value: JSON.parse(raw) as unknown };
    } catch {
      return undefined;
    }
  })();
  const value = encoding === "text" ? raw : (parsed?.value ?? (encoding === "either" ? raw : undefined));
  return (encoding !== "json" || parsed !== undefined) && schema.safeParse(value).success;
}

const errorAbout = (name: string) => new RegExp(`^(Invalid ${name}(: .*)?$|${name}\\b.* [a-z])`);

/** The number of wrong values to send for each parameter. */
const maxValuesPerParameter = 3;
/** The number of concurrent requests: the emulator of a deployed fleet starts a process for each concurrent call. */
const concurrency = isLocal() ? 12 : 1;

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Owner", { role: "owner" });
});

const requestsTo = ({ spec }: EndpointMember) => {
  const params = Object.entries(spec.params);
  // Includes valid values of all required parameters, so that only one parameter is wrong.
  const requiredValues = Object.fromEntries(
    params.flatMap(([name, param]) => {
      if (!param.required) return [];
      const validValue = candidates.find((raw) => accepts(param, raw));
      expect([spec.path, name, validValue]).not.toEqual([spec.path, name, undefined]);
      return [[name, validValue as string]];
    }),
  );
  return params.flatMap(([name, param]) =>
    candidates
      .filter((raw) => !accepts(param, raw))
      .slice(0, maxValuesPerParameter)
      .map((raw) => ({ spec, name, raw, values: { ...requiredValues, [name]: raw } })),
  );
};

test.each(endpoints.map((member) => [`${member.spec.method} ${member.spec.path}`, member] as const))(
  "%s refuses values of a wrong type",
  async (_, member) => {
    const requests = requestsTo(member);
    for (let start = 0; start < requests.length; start += concurrency)
      await Promise.all(
        requests.slice(start, start + concurrency).map(async ({ spec, name, raw, values }) => {
          const inPath = new Set<string>();
          const path = spec.path.replace(/\{(\w+)\+?\}/g, (__, part: string) => {
            inPath.add(part);
            return encodeURIComponent(values[part] ?? "");
          });
          const sent = Object.fromEntries(Object.entries(values).filter(([key]) => !inPath.has(key)));

          const { status, body } = await owner.call(spec.method, path, sent);

          expect([name, raw, status, body.code]).toEqual([name, raw, 400, "BAD_REQUEST"]);
          expect(body.msg).toMatch(errorAbout(name));
        }),
      );
    const checked = new Set(requests.map(({ name }) => name));
    // Only text parameters accept every candidate.
    for (const [name, { encoding }] of Object.entries(member.spec.params))
      if (!checked.has(name)) expect([name, encoding === "json"]).toEqual([name, false]);
  },
);

test("each missing required parameter is named in the error", async () => {
  for (const { spec } of endpoints) {
    const inPath = (name: string) => new RegExp(`\\{${name}\\+?\\}`).test(spec.path);
    const [missing] = Object.entries(spec.params).filter(([name, { required }]) => required && !inPath(name));
    if (!missing || spec.caller === "anyone") continue;
    const path = spec.path.replace(/\{\w+\+?\}/g, "1");
    expect([path, await owner.call(spec.method, path)]).toMatchObject([
      path,
      { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: missing[0] } },
    ]);
  }
});
