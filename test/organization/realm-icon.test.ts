import { expect, test } from "vitest";
import { fetchFile, multipart, png } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, type Person } from "../support/world.ts";

const setIcon = (person: Person, content: string | Buffer = png) =>
  person.call("POST", "/realm/icon", {}, { credentials: person, ...multipart([{ filename: "icon.png", content }]) });
const everyone = { kind: "everyone" };

test("setting and removing the organization's icon causes events for everybody", async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  const end = await logEnd();

  const { body } = await setIcon(duke);
  const settings = await call("GET", "/server_settings");
  const registered = await duke.call("POST", "/register", { event_types: ["realm"] });
  const served = await fetchFile(undefined, body.icon_url);
  const removed = await duke.call("DELETE", "/realm/icon");

  const icon_url = expect.stringMatching(/^\/user_avatars\/1\/[0-9a-f]{40}\.png$/);
  expect(body).toEqual({ result: "success", msg: "", icon_url });
  expect(settings.body.realm_icon).toBe(body.icon_url);
  expect(registered.body).toMatchObject({ realm_icon_url: body.icon_url, realm_icon_source: "U" });
  expect([served.status, served.headers["content-type"]]).toEqual([200, "image/png"]);
  expect(removed.body.icon_url).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\//);
  const event = { type: "realm", op: "update_dict", property: "icon" };
  expect(await eventsAfter(end, "realm", ({ property }) => property === "icon")).toEqual([
    { audience: everyone, event: { ...event, data: { icon_source: "U", icon_url: body.icon_url } } },
    { audience: everyone, event: { ...event, data: { icon_source: "G", icon_url: removed.body.icon_url } } },
  ]);
});

test("members, requests without credentials, and requests without exactly one file are refused", async () => {
  const [duke, jaques] = [await aPerson("Duke", { role: "administrator" }), await aPerson("Jaques")];

  expect(await setIcon(jaques)).toMatchObject({ status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await jaques.call("DELETE", "/realm/icon")).toMatchObject({ body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await call("POST", "/realm/icon")).toMatchObject({ status: 401 });
  expect(await call("DELETE", "/realm/icon")).toMatchObject({ status: 401 });
  const twoFiles = multipart(["a", "b"].map((filename) => ({ filename, content: png })));
  expect(await duke.call("POST", "/realm/icon")).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "You must specify a file to upload" },
  });
  expect(await duke.call("POST", "/realm/icon", {}, { credentials: duke, ...twoFiles })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "You may only upload one file at a time" },
  });
});
