import { expect, test } from "vitest";
import { fetchFile, multipart, png } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, type Person } from "../support/world.ts";

const file = { filename: "logo.png", content: png };
const setLogo = (person: Person, night: boolean | string, content: string | Buffer = png) =>
  person.call(
    "POST",
    "/realm/logo",
    {},
    {
      credentials: person,
      ...multipart([
        { name: "night", content: String(night) },
        { ...file, content },
      ]),
    },
  );
const success = { result: "success", msg: "" };
const storedUrl = expect.stringMatching(/^\/user_avatars\/1\/[0-9a-f]{40}\.png$/);

test.each([
  [false, "logo"],
  [true, "night_logo"],
])("the logo (night mode: %s) is set and removed, with events for everybody", async (night, property) => {
  const duke = await aPerson("Duke", { role: "administrator" });
  // Other files may have left a logo.
  for (const eachNight of [false, true]) await duke.do("DELETE", "/realm/logo", { night: eachNight });
  const end = await logEnd();

  const sent = await setLogo(duke, night);
  const registered = await duke.call("POST", "/register", { event_types: ["realm"] });
  const removed = await duke.call("DELETE", "/realm/logo", { night });
  const after = await duke.call("POST", "/register", { event_types: ["realm"] });

  expect([sent.body, removed.body]).toEqual([success, success]);
  const url = registered.body[`realm_${property}_url`];
  expect(registered.body).toMatchObject({ [`realm_${property}_url`]: storedUrl, [`realm_${property}_source`]: "U" });
  const other = night ? "logo" : "night_logo";
  expect(registered.body[`realm_${other}_source`]).toBe("D");
  expect((await fetchFile(undefined, url)).headers["content-type"]).toBe("image/png");
  expect(after.body[`realm_${property}_source`]).toBe("D");
  expect(after.body[`realm_${property}_url`]).toBe(after.body.realm_icon_url);
  const data = (address: unknown, source: string) => ({
    [`${property}_url`]: address,
    [`${property}_source`]: source,
  });
  const event = { type: "realm", op: "update_dict", property };
  expect(await eventsAfter(end, "realm", (found) => found.property === property)).toEqual([
    { audience: { kind: "everyone" }, event: { ...event, data: data(url, "U") } },
    { audience: { kind: "everyone" }, event: { ...event, data: data(expect.any(String), "D") } },
  ]);
});

test("members, and requests without credentials, are refused", async () => {
  const jaques = await aPerson("Jaques");

  expect(await setLogo(jaques, false)).toMatchObject({ status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await jaques.call("DELETE", "/realm/logo", { night: false })).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL" },
  });
  expect(await call("POST", "/realm/logo")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("DELETE", "/realm/logo")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test('a request without a file, with two files, or without "night" is refused', async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  const night = { name: "night", content: "true" };
  const post = (parts: Parameters<typeof multipart>[0]) =>
    duke.call("POST", "/realm/logo", {}, { credentials: duke, ...multipart(parts) });
  const missingNight = { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: "night" } };

  expect(await post([night, file, file])).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "You may only upload one file at a time" },
  });
  expect(await post([file])).toMatchObject(missingNight);
  expect(await setLogo(duke, "maybe")).toMatchObject({ status: 400, body: { msg: "night is not a boolean" } });
  expect(await duke.call("POST", "/realm/logo", { night: true })).toMatchObject({
    body: { msg: "You must specify a file to upload" },
  });
  expect(await duke.call("DELETE", "/realm/logo")).toMatchObject(missingNight);
  expect(await duke.call("DELETE", "/realm/logo", { night: 1 })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "night is not a boolean" },
  });
});
