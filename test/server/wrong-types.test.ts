import { beforeAll, expect, test } from "vitest";
import { type EndpointMember, loadFleet } from "../../infra/fleet.ts";
import type { Param } from "../../shared/schema/params.ts";
import { aPerson, isLocal, type Person } from "../support/world.ts";

/** Each parameter of each endpoint about people, channels, groups and files, given what it is not: a 400 that names it. */

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
  // What browsers fetch outside the API answers an address that is none as one that leads nowhere.
  (member): member is EndpointMember =>
    member.kind === "endpoint" && resources.has(member.resource) && member.spec.prefix !== "",
);

/** Values as they stand in a form, of every kind that JSON knows, and some that it does not. */
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

/** What a candidate is for a parameter: read as its wire form says, then looked at. */
function isTaken({ schema, wire }: Param, raw: string): boolean {
  const parsed = (() => {
    try {
      return { value: JSON.parse(raw) as unknown };
    } catch {
      return undefined;
    }
  })();
  const value = wire === "text" ? raw : (parsed?.value ?? (wire === "either" ? raw : undefined));
  return (wire !== "json" || parsed !== undefined) && schema.safeParse(value).success;
}

const errorAbout = (name: string) => new RegExp(`^(Invalid ${name}(: .*)?$|${name}\\b.* [a-z])`);

/** At most so many wrong values of each parameter are sent. */
const most = 3;
/** Requests under way at the same time; the emulator of a deployed fleet starts a process for each that one function has. */
const atOnce = isLocal() ? 12 : 1;

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Owner", { role: "owner" });
});

const requestsTo = ({ spec }: EndpointMember) => {
  const params = Object.entries(spec.params);
  // All that must be there is, so that only the wrong one is wrong.
  const needed = Object.fromEntries(
    params.flatMap(([name, param]) => {
      if (!param.required) return [];
      const good = candidates.find((raw) => isTaken(param, raw));
      expect([spec.path, name, good]).not.toEqual([spec.path, name, undefined]);
      return [[name, good as string]];
    }),
  );
  return params.flatMap(([name, param]) =>
    candidates
      .filter((raw) => !isTaken(param, raw))
      .slice(0, most)
      .map((raw) => ({ spec, name, raw, values: { ...needed, [name]: raw } })),
  );
};

test.each(endpoints.map((member) => [`${member.spec.method} ${member.spec.path}`, member] as const))(
  "%s refuses what its parameters are not",
  async (_, member) => {
    const requests = requestsTo(member);
    for (let start = 0; start < requests.length; start += atOnce)
      await Promise.all(
        requests.slice(start, start + atOnce).map(async ({ spec, name, raw, values }) => {
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
    // Any text is a text: only what is text has nothing wrong.
    for (const [name, { wire }] of Object.entries(member.spec.params))
      if (!checked.has(name)) expect([name, wire === "json"]).toEqual([name, false]);
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
