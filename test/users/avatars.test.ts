import { expect, test } from "vitest";
import { findFileSize } from "../../shared/services/blobs/bucket.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { fetchFile, multipart, png } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, costTest, type Person } from "../support/world.ts";

const dayMs = 86_400_000;
const sendAvatar = (person: Person, content: string | Buffer = png, filename = "face.png") =>
  person.call("POST", "/users/me/avatar", {}, { credentials: person, ...multipart([{ filename, content }]) });
const fileOf = (url: string) => `avatars/${url.split("/").at(-1)?.replace(".png", "")}`;
const storedAvatarUrl = /^\/user_avatars\/1\/[0-9a-f]{40}\.png$/;

test("an avatar is served in both sizes without credentials", async () => {
  const [olivia, malvolio] = [await aPerson("Olivia"), await aPerson("Malvolio")];
  const end = await logEnd();

  const { body } = await sendAvatar(olivia);

  const url = body.avatar_url;
  const medium = url.replace(".png", "-medium.png");
  expect(body).toEqual({ result: "success", msg: "", avatar_url: expect.stringMatching(storedAvatarUrl) });
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

test("a removed avatar is replaced by the gravatar, and its file is to be deleted a day later", async () => {
  const olivia = await aPerson("Olivia");
  const first = (await sendAvatar(olivia)).body.avatar_url;
  const second = (await sendAvatar(olivia)).body.avatar_url;

  const removed = await olivia.call("DELETE", "/users/me/avatar");

  expect(removed.body.avatar_url).toMatch(
    /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=4$/,
  );
  const due = (await listRemovals(Date.now() + dayMs + 1000, 10_000)).map(({ file }) => file);
  expect(due).toEqual(expect.arrayContaining([fileOf(first), fileOf(second)]));
  expect(await findFileSize(fileOf(second))).toBe(png.length);
});

test("of two concurrent uploads one stays, and the other's file is to be deleted", async () => {
  const olivia = await aPerson("Olivia");

  const urls = (await Promise.all([sendAvatar(olivia), sendAvatar(olivia)])).map(({ body }) => body.avatar_url);

  const { body } = await olivia.call("GET", "/users/me");
  const due = (await listRemovals(Date.now() + 2 * dayMs, 10_000)).map(({ file }) => file);
  expect(urls).toContain(body.avatar_url);
  expect(urls.filter((url) => due.includes(fileOf(url)))).toEqual(urls.filter((url) => url !== body.avatar_url));
});

test("an avatar of the maximum size in the snapshot is accepted, and one byte more is refused", async () => {
  const olivia = await aPerson("Olivia");
  const { body } = await olivia.call("POST", "/register", { event_types: ["realm"] });
  const maxBytes = body.max_avatar_file_size_mib * 1024 * 1024;

  expect((await sendAvatar(olivia, Buffer.concat([png, Buffer.alloc(maxBytes - png.length)]))).status).toBe(200);

  expect([body.max_icon_file_size_mib, body.max_logo_file_size_mib]).toEqual([4, 4]);
  expect(await sendAvatar(olivia, Buffer.concat([png, Buffer.alloc(maxBytes - png.length + 1)]))).toMatchObject({
    status: 413,
    body: { msg: "Uploaded file is larger than the allowed limit of 4 MiB" },
  });
});

test("an upload without a picture or with two pictures is refused", async () => {
  const olivia = await aPerson("Olivia");
  const part = { filename: "a.png", content: png };
  const post = (options: object) => olivia.call("POST", "/users/me/avatar", {}, { credentials: olivia, ...options });

  expect(await post({})).toMatchObject({ status: 400, body: { msg: "You must specify a file to upload" } });
  expect(await post(multipart([part, part]))).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "You may only upload one file at a time" },
  });
});

test("requests without credentials are refused", async () => {
  expect(await call("POST", "/users/me/avatar")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("DELETE", "/users/me/avatar")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("uploading an avatar costs at most 4.5 read and 17 write units", async () => {
  const { cost } = await sendAvatar(await aPerson("Olivia"));

  expect(cost.readUnits).toBeLessThanOrEqual(4.5);
  expect(cost.writeUnits).toBeLessThanOrEqual(17);
});
