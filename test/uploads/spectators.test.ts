import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchFile, png, upload } from "../support/files.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The files that a spectator can read, without an account. */

let organization: OrganizationSession;
let uploader: Person;
const urls: Record<"open" | "closed" | "unsent", string> = { open: "", closed: "", unsent: "" };

beforeAll(async () => {
  organization = await openOrganization();
  uploader = await aPerson("Host");
  for (const kind of ["open", "closed", "unsent"] as const) urls[kind] = await upload(uploader, `${kind}.png`, png);
  const open = await aChannel("garter inn", [uploader], { isWebPublic: true });
  const closed = await aChannel("back room", [uploader]);
  for (const [to, url] of [
    [open.id, urls.open],
    [closed.id, urls.closed],
  ])
    await uploader.do("POST", "/messages", { type: "channel", to, topic: "t", content: `[here](${url})` });
});
afterAll(() => organization.restoreSettings());

const setSpectatorAccess = async (enable_spectator_access: boolean) => {
  const { status } = await organization.as("owner@globe.test", "PATCH", "/realm", { enable_spectator_access });
  expect(status).toBe(200);
};
const previewOf = (url: string) => `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`;
const expectUnauthorized = async (url: string) => {
  const { status, body, headers } = await fetchFile(undefined, url);
  expect([url, status, body]).toEqual([
    url,
    401,
    { result: "error", code: "UNAUTHORIZED", msg: "Not logged in: API authentication or user session required" },
  ]);
  expect(headers["www-authenticate"]).toBe('Basic realm="zulip"');
};

test("a spectator can read files of web-public channels and their previews, with the same safe headers", async () => {
  await setSpectatorAccess(true);

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

test("a request without credentials for any other file, or for an unknown one, returns 401", async () => {
  await setSpectatorAccess(true);

  for (const url of [urls.closed, urls.unsent, "/user_uploads/1/00/nothing/a.png"]) {
    await expectUnauthorized(url);
    await expectUnauthorized(previewOf(url));
  }
});

test("a spectator gets 401 for a temporary link, and so does a request with wrong credentials for an open file", async () => {
  await setSpectatorAccess(true);

  expect(await organization.as(undefined, "GET", urls.open)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  const withWrongKey = { ...uploader, apiKey: "x".repeat(32) };
  expect(await fetchFile(withWrongKey, urls.open)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test("without spectator access in the organization, a request without credentials returns 401 for every file", async () => {
  await setSpectatorAccess(false);

  for (const url of Object.values(urls)) {
    await expectUnauthorized(url);
    await expectUnauthorized(previewOf(url));
  }
});

test("a spectator cannot read a file any more once its message is deleted", async () => {
  await setSpectatorAccess(true);
  const open = await aChannel("garter inn", [uploader], { isWebPublic: true });
  const url = await upload(uploader, "gone.png", png);
  const message = { type: "channel", to: open.id, topic: "t", content: `[here](${url})` };
  const { id } = (await uploader.call("POST", "/messages", message)).body;
  expect((await fetchFile(undefined, url)).status).toBe(200);

  await organization.do("owner@globe.test", "DELETE", `/messages/${id}`);

  await expectUnauthorized(url);
});
