import { expect, test } from "vitest";
import { attachmentsOf, fetchFile, png, upload } from "../support/files.ts";
import { aPerson, call } from "../support/world.ts";

test("a file that no message links to can only be read by its owner", async () => {
  const [ariel, caliban] = [await aPerson("Ariel"), await aPerson("Caliban")];
  const url = await upload(ariel);

  const byAnotherUser = await fetchFile(caliban, url);
  const unknown = await fetchFile(caliban, "/user_uploads/1/00/nothing/text.txt");
  const anonymous = await fetchFile(undefined, url);

  expect(byAnotherUser).toMatchObject({ status: 404, body: { code: "BAD_REQUEST", msg: "File not found." } });
  expect([unknown.status, unknown.body]).toEqual([404, byAnotherUser.body]);
  expect(anonymous).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(anonymous.headers["www-authenticate"]).toContain("Basic");
});

test.each([
  ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
  ["bytes=7-", 206, "789", "bytes 7-9/10"],
  ["bytes=-2", 206, "89", "bytes 8-9/10"],
  ["bytes=8-100", 206, "89", "bytes 8-9/10"],
  ["bytes=3-1", 200, "0123456789", undefined],
  ["bytes=0-1,4-5", 200, "0123456789", undefined],
  ["lines=1-2", 200, "0123456789", undefined],
  ["bytes=10-", 416, "", "bytes */10"],
])("a request for the range %j returns %i with the content %j", async (range, status, content, contentRange) => {
  const ariel = await aPerson("Ariel");
  const url = await upload(ariel, "digits.txt", "0123456789");

  const served = await fetchFile(ariel, url, { range });

  expect([served.status, served.bytes.toString()]).toEqual([status, content]);
  expect(served.headers["content-range"]).toBe(contentRange);
});

test("a client that has a file gets a 304 without content, but only while the user may read it", async () => {
  const [ariel, caliban] = [await aPerson("Ariel"), await aPerson("Caliban")];
  const url = await upload(ariel, "digits.txt", "0123456789");
  const { etag = "", "cache-control": caching } = (await fetchFile(ariel, url)).headers as Record<string, string>;
  const asked = { "if-none-match": etag };

  const validated = await fetchFile(ariel, url, { "if-none-match": `"other", W/${etag}` });
  const changed = await fetchFile(ariel, url, { "if-none-match": '"other"' });
  const byAnotherUser = await fetchFile(caliban, url, asked);
  const anonymous = await fetchFile(undefined, url, asked);

  expect([caching, etag]).toEqual(["private, no-cache", expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
  expect([validated.status, validated.bytes.length, validated.headers.etag]).toEqual([304, 0, etag]);
  expect([changed.status, changed.bytes.toString()]).toEqual([200, "0123456789"]);
  expect([byAnotherUser.status, anonymous.status]).toEqual([404, 401]);
  const { id } = (await attachmentsOf(ariel))[0];
  await ariel.do("DELETE", `/attachments/${id}`);
  expect((await fetchFile(ariel, url, asked)).status).toBe(404);
});

test("a browser's copy of a file is valid only until the session for files ends", async () => {
  const ariel = await aPerson("Ariel");
  const url = await upload(ariel);
  const started = await ariel.call("POST", "/users/me/file_session");
  const [cookie = ""] = String([started.headers["set-cookie"]].flat()[0]).split(";");
  const { etag } = (await fetchFile(undefined, url, { cookie })).headers;
  const asked = { cookie, "if-none-match": String(etag) };

  expect((await fetchFile(undefined, url, asked)).status).toBe(304);
  await ariel.do("POST", "/users/me/api_key/regenerate");

  expect((await fetchFile(undefined, url, asked)).status).toBe(401);
});

test("a range of another version is not served: the whole file is", async () => {
  const ariel = await aPerson("Ariel");
  const url = await upload(ariel, "digits.txt", "0123456789");
  const { etag } = (await fetchFile(ariel, url)).headers;

  const sameVersion = await fetchFile(ariel, url, { range: "bytes=0-3", "if-range": String(etag) });
  const otherVersion = await fetchFile(ariel, url, { range: "bytes=0-3", "if-range": '"other"' });

  expect([sameVersion.status, sameVersion.bytes.toString()]).toEqual([206, "0123"]);
  expect([otherVersion.status, otherVersion.bytes.toString()]).toEqual([200, "0123456789"]);
});

test("a temporary link works without credentials, only for its file", async () => {
  const [ariel, caliban] = [await aPerson("Ariel"), await aPerson("Caliban")];
  const url = await upload(ariel, "song.txt", "Full fathom five");

  const link = await ariel.call("GET", url);
  const byAnotherUser = await caliban.call("GET", url);
  const unknown = await ariel.call("GET", "/user_uploads/1/00/nothing/song.txt");

  expect(link.body).toEqual({
    result: "success",
    msg: "",
    url: expect.stringMatching(/^\/user_uploads\/temporary\/[\w.-]+\/song\.txt$/),
  });
  const served = await fetchFile(undefined, link.body.url);
  expect(served.bytes.toString()).toBe("Full fathom five");
  expect(served.headers["content-security-policy"]).toContain("sandbox");
  expect(byAnotherUser).toMatchObject({ status: 404, body: { code: "BAD_REQUEST", msg: "File not found." } });
  expect(unknown.body).toEqual(byAnotherUser.body);
});

test("a forged temporary link is refused", async () => {
  const ariel = await aPerson("Ariel");
  const { body } = await ariel.call("GET", await upload(ariel));
  const [endsAt, path, signature] = body.url.split("/")[3].split(".");
  const prolonged = `/user_uploads/temporary/${Number(endsAt) + 1}.${path}.${signature}/text.txt`;
  const malformed = "/user_uploads/temporary/x/text.txt";

  for (const url of [prolonged, malformed])
    expect(await fetchFile(undefined, url)).toMatchObject({ status: 400, body: { msg: "Invalid token" } });
});

test("a preview is served only to users who may read its picture, and only in the announced format", async () => {
  const [ariel, caliban] = [await aPerson("Ariel"), await aPerson("Caliban")];
  const url = await upload(ariel, "isle.png", png);
  const preview = url.replace("/user_uploads/", "/user_uploads/thumbnail/");

  const served = await fetchFile(ariel, `${preview}/840x560.webp`);
  const byAnotherUser = await fetchFile(caliban, `${preview}/840x560.webp`);
  const unknownFormat = await fetchFile(ariel, `${preview}/9x9.exe`);
  const textPreview = (await upload(ariel)).replace("/user_uploads/", "/user_uploads/thumbnail/");

  expect(served.headers["content-type"]).toMatch(/^image\/(png|webp)$/);
  expect([byAnotherUser.status, unknownFormat.status]).toEqual([404, 404]);
  expect((await fetchFile(ariel, `${textPreview}/840x560.webp`)).status).toBe(404);
});

test("a POST to the URL of a file returns 405 with the allowed method", async () => {
  expect(await call("POST", "/user_uploads/1/00/nothing/a.txt")).toMatchObject({
    status: 405,
    body: { allowed_methods: ["GET"] },
  });
});
