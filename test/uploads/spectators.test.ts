import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchFile, png, upload } from "../support/files.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Files that spectators can read. */

let stage: OrganizationSession;
let host: Person;
const urls: Record<"open" | "closed" | "unsent", string> = { open: "", closed: "", unsent: "" };

beforeAll(async () => {
  stage = await openOrganization();
  host = await aPerson("Host");
  for (const kind of ["open", "closed", "unsent"] as const) urls[kind] = await upload(host, `${kind}.png`, png);
  const open = await aChannel("garter inn", [host], { isWebPublic: true });
  const closed = await aChannel("back room", [host]);
  for (const [to, url] of [
    [open.id, urls.open],
    [closed.id, urls.closed],
  ])
    await host.call("POST", "/messages", { type: "channel", to, topic: "t", content: `[here](${url})` });
});
afterAll(() => stage.restoreSettings());

const admitSpectators = async (enable_spectator_access: boolean) => {
  const { status } = await stage.as("owner@globe.test", "PATCH", "/realm", { enable_spectator_access });
  expect(status).toBe(200);
};
const previewOf = (url: string) => `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`;
const expectLogin = async (url: string) => {
  const { status, body, headers } = await fetchFile(undefined, url);
  expect([url, status, body]).toEqual([
    url,
    401,
    { result: "error", code: "UNAUTHORIZED", msg: "Not logged in: API authentication or user session required" },
  ]);
  expect(headers["www-authenticate"]).toBe('Basic realm="zulip"');
};

test("a spectator can read files of web-public channels and their previews, with the same safe headers", async () => {
  await admitSpectators(true);

  const [served, preview] = [await fetchFile(undefined, urls.open), await fetchFile(undefined, previewOf(urls.open))];
  const part = await fetchFile(undefined, urls.open, { range: "bytes=0-3" });

  expect([served.status, served.bytes.equals(png)]).toEqual([200, true]);
  expect(served.headers).toMatchObject({
    "content-type": "image/png",
    "content-disposition": `inline; filename="open.png"; filename*=UTF-8''open.png`,
    "content-security-policy": expect.stringContaining("sandbox"),
    "x-content-type-options": "nosniff",
  });
  expect([preview.status, String(preview.headers["content-type"]).split("/")[0]]).toEqual([200, "image"]);
  expect([part.status, part.bytes.length]).toEqual([206, 4]);
});

test("for all other files, and for unknown ones, a spectator is sent to the login", async () => {
  await admitSpectators(true);

  for (const url of [urls.closed, urls.unsent, "/user_uploads/1/00/nothing/a.png"]) {
    await expectLogin(url);
    await expectLogin(previewOf(url));
  }
});

test("a spectator gets no temporary link, and wrong credentials do not count as a spectator", async () => {
  await admitSpectators(true);

  expect(await stage.as(undefined, "GET", urls.open)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  const stranger = { ...host, apiKey: "x".repeat(32) };
  expect(await fetchFile(stranger, urls.open)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test("spectators are refused if the organization does not allow them", async () => {
  await admitSpectators(false);

  for (const url of Object.values(urls)) {
    await expectLogin(url);
    await expectLogin(previewOf(url));
  }
});

test("a spectator cannot read a file any more once its message is deleted", async () => {
  await admitSpectators(true);
  const open = await aChannel("garter inn", [host], { isWebPublic: true });
  const url = await upload(host, "gone.png", png);
  const sent = { type: "channel", to: open.id, topic: "t", content: `[here](${url})` };
  const { id } = (await host.call("POST", "/messages", sent)).body;
  expect((await fetchFile(undefined, url)).status).toBe(200);

  await stage.as("owner@globe.test", "DELETE", `/messages/${id}`);

  await expectLogin(url);
});
