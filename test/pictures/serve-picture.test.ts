import { expect, test } from "vitest";
import { removeContents } from "../../shared/messaging/uploads/sweep.ts";
import { findFileSize } from "../../shared/services/blobs/bucket.ts";
import { detectContent } from "../../shared/services/blobs/content-types.ts";
import { addSizes } from "../../shared/services/pictures/sizes.ts";
import { pictureFileKey, pictureSizeKeys } from "../../shared/services/pictures/urls.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { aGif, aPng } from "../support/files/pictures.ts";
import { fetchFile, multipart } from "../support/files.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const uploadPicture = async (
  person: Person,
  path: string,
  content: Buffer,
  fields: Parameters<typeof multipart>[0] = [],
) => {
  const form = multipart([...fields, { filename: "face.png", content }]);
  const { status, body } = await person.call("POST", path, {}, { credentials: person, ...form });
  if (status !== 200) throw new Error(body.msg);
  return body;
};
const anAvatar = async (content: Buffer): Promise<string> =>
  (await uploadPicture(await aPerson("Olivia"), "/users/me/avatar", content)).avatar_url;
const nameOf = (url: string) => /[0-9a-f]{40}/.exec(url)![0];
const mediumOf = (url: string) => url.replace(".png", "-medium.png");

/** Waits until a picture is served in its final form, which clients may cache forever. */
const fetchFinal = (url: string) =>
  eventually(async () => {
    const reply = await fetchFile(undefined, url);
    return String(reply.headers["cache-control"]).includes("immutable") && reply;
  });
const sizeOf = async (url: string) => detectContent((await fetchFinal(url)).bytes, "");

test.each([
  ["a wide", aPng(300, 200)],
  ["a tall", aPng(200, 3000)],
  ["a tiny", aPng(1, 1)],
  ["an animated", aGif(3)],
])("%s avatar is served as still squares of 100 and of 500 pixels", async (_, content) => {
  const url = await anAvatar(content);

  const [small, medium] = [await sizeOf(url), await sizeOf(mediumOf(url))];

  expect(small).toEqual({ contentType: "image/png", width: 100, height: 100 });
  expect(medium).toEqual({ contentType: "image/png", width: 500, height: 500 });
  expect((await fetchFinal(url)).headers).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

test("an avatar is cropped to the middle of its picture", async () => {
  const [white, black] = [() => 255, () => 0];
  const striped = await anAvatar(aPng(300, 100, 100, (x) => (x >= 100 && x < 200 ? 255 : 0)));
  const [whiteAvatar, blackAvatar] = [
    await anAvatar(aPng(100, 100, 100, white)),
    await anAvatar(aPng(100, 100, 100, black)),
  ];

  const [cropped, expected, unexpected] = [
    await fetchFinal(striped),
    await fetchFinal(whiteAvatar),
    await fetchFinal(blackAvatar),
  ];

  expect(cropped.bytes.equals(expected.bytes)).toBe(true);
  expect(cropped.bytes.equals(unexpected.bytes)).toBe(false);
});

test("the organization's icon is a square of 100 pixels, a logo is at most 800 by 100 and never enlarged", async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  const night = [{ name: "night", content: "true" }];
  const registration = async () => (await duke.call("POST", "/register", { event_types: ["realm"] })).body;

  const icon = await sizeOf((await uploadPicture(duke, "/realm/icon", aPng(640, 480))).icon_url);
  await uploadPicture(duke, "/realm/logo", aPng(1000, 50), night);
  const logo = await sizeOf((await registration()).realm_night_logo_url);
  await uploadPicture(duke, "/realm/logo", aPng(30, 20), night);
  const small = await sizeOf((await registration()).realm_night_logo_url);
  await duke.do("DELETE", "/realm/icon");
  await duke.do("DELETE", "/realm/logo", { night: true });

  expect([icon, logo, small]).toEqual([
    { contentType: "image/png", width: 100, height: 100 },
    { contentType: "image/png", width: 800, height: 40 },
    { contentType: "image/png", width: 30, height: 20 },
  ]);
});

test("a picture that cannot be decoded is served unchanged, and cached only briefly", async () => {
  const content = Buffer.from("GIF89a\x40\0\x40\0<script>alert(1)</script>", "latin1");
  const url = await anAvatar(content);
  await addSizes(nameOf(url), "avatar");

  for (const address of [url, mediumOf(url)]) {
    const { status, headers, bytes } = await fetchFile(undefined, address);
    expect([status, headers["cache-control"], bytes.equals(content)]).toEqual([200, "public, max-age=60", true]);
    expect(headers).toMatchObject({
      "content-type": "image/gif",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  }
});

test("thumbnails of a replaced picture are deleted with it, even if they are created late", async () => {
  const olivia = await aPerson("Olivia");
  const { avatar_url } = await uploadPicture(olivia, "/users/me/avatar", aPng(300, 200));
  const name = nameOf(avatar_url);
  await fetchFinal(mediumOf(avatar_url));
  await olivia.do("DELETE", "/users/me/avatar");
  const removals = await listRemovals(Date.now() + 2 * 86_400_000, 10_000);

  await removeContents(removals.filter(({ file }) => file === pictureFileKey(name)));
  const sizesAfterRemoval = await Promise.all([pictureFileKey(name), ...pictureSizeKeys(name)].map(findFileSize));
  await addSizes(name, "avatar");

  expect(sizesAfterRemoval).toEqual([undefined, undefined, undefined]);
  expect(await Promise.all(pictureSizeKeys(name).map(findFileSize))).toEqual([undefined, undefined]);
  expect((await fetchFile(undefined, avatar_url)).status).toBe(404);
});

test("an unknown picture returns 404", async () => {
  const zeros = "0".repeat(40);
  for (const file of [`${zeros}.png`, `${zeros}-medium.png`, `${zeros}-small.png`, "x.png", "..%2f..%2fuploads"])
    expect(await fetchFile(undefined, `/user_avatars/1/${file}`)).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
});
