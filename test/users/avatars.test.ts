import { expect, test } from "vitest";
import { findFileSize } from "../../shared/blobs/bucket.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { fetchFile, multipart, png } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, costTest, type Person } from "../support/world.ts";

const day = 86_400_000;
const send = (person: Person, content: string | Buffer = png, filename = "face.png") =>
  person.call("POST", "/users/me/avatar", {}, { credentials: person, ...multipart([{ filename, content }]) });
const fileOf = (url: string) => `avatars/${url.split("/").at(-1)?.replace(".png", "")}`;
const ours = /^\/user_avatars\/1\/[0-9a-f]{40}\.png$/;

test("an avatar is served in both sizes without credentials", async () => {
  const [olivia, malvolio] = [await aPerson("Olivia"), await aPerson("Malvolio")];
  const end = await logEnd();

  const { body } = await send(olivia);

  const url = body.avatar_url;
  const medium = url.replace(".png", "-medium.png");
  expect(body).toEqual({ result: "success", msg: "", avatar_url: expect.stringMatching(ours) });
  for (const address of [url, medium]) {
    const served = await fetchFile(undefined, address);
    expect([served.status, served.headers["content-type"]]).toEqual([200, "image/png"]);
    expect(served.headers["content-security-policy"]).toContain("sandbox");
  }
  const seen = await malvolio.call("GET", `/users/${olivia.id}`, { client_gravatar: true });
  expect(seen.body.user).toMatchObject({ avatar_url: url, avatar_version: 2 });
  const events = await eventsAfter(end, "realm_user", ({ person }) => person.user_id === olivia.id);
  const person = {
    user_id: olivia.id,
    avatar_url: url,
    avatar_url_medium: medium,
    avatar_source: "U",
    avatar_version: 2,
  };
  expect(events).toEqual([{ audience: { kind: "everyone" }, event: { type: "realm_user", op: "update", person } }]);
});

test("a removed avatar is replaced by the gravatar, and its file is deleted a day later", async () => {
  const olivia = await aPerson("Olivia");
  const first = (await send(olivia)).body.avatar_url;
  const second = (await send(olivia)).body.avatar_url;

  const removed = await olivia.call("DELETE", "/users/me/avatar");

  expect(removed.body.avatar_url).toMatch(
    /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=4$/,
  );
  const due = (await listRemovals(Date.now() + day + 1000, 10_000)).map(({ file }) => file);
  expect(due).toEqual(expect.arrayContaining([fileOf(first), fileOf(second)]));
  expect(await findFileSize(fileOf(second))).toBe(png.length);
});

test("of two concurrent uploads one stays, and the other's file is removed", async () => {
  const olivia = await aPerson("Olivia");

  const urls = (await Promise.all([send(olivia), send(olivia)])).map(({ body }) => body.avatar_url);

  const { body } = await olivia.call("GET", "/users/me");
  const due = (await listRemovals(Date.now() + 2 * day, 10_000)).map(({ file }) => file);
  expect(urls).toContain(body.avatar_url);
  expect(urls.filter((url) => due.includes(fileOf(url)))).toEqual(urls.filter((url) => url !== body.avatar_url));
});

test("the maximum size at registration is the one that is enforced", async () => {
  const olivia = await aPerson("Olivia");
  const { body } = await olivia.call("POST", "/register", { event_types: ["realm"] });
  const most = body.max_avatar_file_size_mib * 1024 * 1024;

  expect((await send(olivia, Buffer.concat([png, Buffer.alloc(most - png.length)]))).status).toBe(200);

  expect([body.max_icon_file_size_mib, body.max_logo_file_size_mib]).toEqual([4, 4]);
  expect(await send(olivia, Buffer.concat([png, Buffer.alloc(most - png.length + 1)]))).toMatchObject({
    status: 413,
    body: { msg: "Uploaded file is larger than the allowed limit of 4 MiB" },
  });
});

test("refuses a request without a picture, and one with two", async () => {
  const olivia = await aPerson("Olivia");
  const part = { filename: "a.png", content: png };
  const post = (options: object) => olivia.call("POST", "/users/me/avatar", {}, { credentials: olivia, ...options });

  expect(await post({})).toMatchObject({ status: 400, body: { msg: "You must specify a file to upload" } });
  expect(await post(multipart([part, part]))).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "You may only upload one file at a time" },
  });
});

test("refuses a request without credentials", async () => {
  expect(await call("POST", "/users/me/avatar")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("DELETE", "/users/me/avatar")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("uploading an avatar costs at most 4.5 read and 17 write units", async () => {
  const { cost } = await send(await aPerson("Olivia"));

  expect(cost.readUnits).toBeLessThanOrEqual(4.5);
  expect(cost.writeUnits).toBeLessThanOrEqual(17);
});
