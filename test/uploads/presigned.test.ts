import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { attachmentsOf, fetchFile, png, put, sendFile } from "../support/files.ts";
import { ownEventsOf } from "../support/log.ts";
import { aPerson, call, isLocal, type Person } from "../support/world.ts";

/** Requests a presigned link for a file. */
const presign = async (person: Person, filename: string, size: number) =>
  (await person.call("POST", "/user_uploads/presigned", { filename, size })).body;
const complete = (person: Person, upload_id: string) =>
  person.call("POST", "/user_uploads/presigned/complete", { upload_id });

const mib = 1024 * 1024;

test("a file of 25 MiB can be uploaded to a presigned link, is listed on completion, and is served unchanged", async () => {
  const gonzalo = await aPerson("Gonzalo");
  const content = randomBytes(25 * mib);

  const presigned = await presign(gonzalo, "isle.bin", content.length);
  expect(presigned).toEqual({
    result: "success",
    msg: "",
    upload_id: expect.stringMatching(/^1\/[0-9a-f]{2}\/[\w-]{24}\/isle\.bin$/),
    upload_url: expect.stringMatching(/^https?:/),
    upload_headers: { "content-length": String(content.length), "if-none-match": "*" },
    expires: expect.any(Number),
  });
  expect(await put(presigned.upload_url, presigned.upload_headers, content)).toBe(200);
  expect(await attachmentsOf(gonzalo)).toEqual([]);

  const url = `/user_uploads/${presigned.upload_id}`;
  const events = await ownEventsOf(gonzalo, "attachment", async () => {
    expect((await complete(gonzalo, presigned.upload_id)).body).toEqual({
      result: "success",
      msg: "",
      url,
      uri: url,
      filename: "isle.bin",
    });
  });

  expect(events).toMatchObject([{ op: "add", attachment: { size: content.length, path_id: presigned.upload_id } }]);
  expect(await attachmentsOf(gonzalo)).toHaveLength(1);
  const redirect = await fetchFile(gonzalo, url);
  expect(redirect.status).toBe(302);
  const served = await fetch(String(redirect.headers.location));
  expect(served.headers.get("content-type")).toBe("application/octet-stream");
  expect([redirect.headers["cache-control"], served.headers.get("cache-control")]).toEqual([
    "private, no-store",
    "private, no-cache",
  ]);
  expect(served.headers.get("content-disposition")).toMatch(/^attachment; filename="isle.bin"/);
  expect(Buffer.from(await served.arrayBuffer()).equals(content)).toBe(true);
});

test.each<[string, Buffer, string]>([
  ["isle.png", png, "image/png"],
  ["page.html", Buffer.from("<script>alert(1)</script>"), "text/plain; charset=utf-8"],
  ["nothing.html", Buffer.alloc(0), "application/octet-stream"],
])("the type of a stored %s is detected from its content", async (name, content, type) => {
  const gonzalo = await aPerson("Gonzalo");
  const { upload_id, upload_url, upload_headers } = await presign(gonzalo, name, content.length);
  await put(upload_url, upload_headers, content);

  const completed = await complete(gonzalo, upload_id);

  expect(completed.status).toBe(200);
  const served = await fetchFile(gonzalo, completed.body.url);
  expect(served.headers["content-type"]).toBe(type);
  expect(served.bytes.equals(content)).toBe(true);
});

test("completing an upload returns 400 if the file is missing, another user's or already listed", async () => {
  const [gonzalo, adrian] = [await aPerson("Gonzalo"), await aPerson("Adrian")];
  const { upload_id, upload_url, upload_headers } = await presign(gonzalo, "isle.png", png.length);

  const beforeUpload = await complete(gonzalo, upload_id);
  await put(upload_url, upload_headers, png);
  const byAnotherUser = await complete(adrian, upload_id);
  const unknown = await complete(adrian, "1/00/nothing/isle.png");
  const completed = await complete(gonzalo, upload_id);
  const repeated = await complete(gonzalo, upload_id);

  expect(beforeUpload).toMatchObject({ status: 400, body: { msg: "The file has not been stored yet." } });
  expect(byAnotherUser).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid upload" } });
  expect(completed.status).toBe(200);
  expect([unknown.body, repeated.body]).toEqual([byAnotherUser.body, byAnotherUser.body]);
  expect(await attachmentsOf(gonzalo)).toHaveLength(1);
});

test.skipIf(!isLocal())("a link stores exactly the announced file, once (MiniStack does not check this)", async () => {
  const gonzalo = await aPerson("Gonzalo");
  const { upload_id, upload_url, upload_headers } = await presign(gonzalo, "isle.png", png.length);
  const larger = Buffer.concat([png, png]);

  const tooMuch = await put(upload_url, { ...upload_headers, "content-length": String(larger.length) }, larger);
  const first = await put(upload_url, upload_headers, png);
  const second = await put(upload_url, upload_headers, Buffer.alloc(png.length));
  await complete(gonzalo, upload_id);

  expect([tooMuch, first, second]).toEqual([403, 200, 412]);
  expect((await fetchFile(gonzalo, `/user_uploads/${upload_id}`)).bytes.equals(png)).toBe(true);
});

test.each([
  ["no name", { size: 1 }, { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: "filename" } }],
  ["a blank name", { filename: " ", size: 1 }, { status: 400, body: { msg: "filename cannot be blank" } }],
  ["no size", { filename: "a" }, { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: "size" } }],
  ["a negative size", { filename: "a", size: -1 }, { status: 400, body: { msg: "size is too small" } }],
  ["a non-numeric size", { filename: "a", size: "x" }, { status: 400, body: { msg: "size is not an integer" } }],
  [
    "more than 100 MiB",
    { filename: "a", size: 100 * mib + 1 },
    {
      status: 413,
      body: {
        code: "BAD_REQUEST",
        msg: "File is larger than this server's configured maximum upload size (100 MiB).",
      },
    },
  ],
  [
    "a name of more than 1,000 characters",
    { filename: "x".repeat(1001), size: 1 },
    { status: 400, body: { code: "BAD_REQUEST", msg: "filename is too long (limit: 1000 characters)" } },
  ],
])("a request for a presigned link with %s is refused", async (_, params, expected) => {
  const gonzalo = await aPerson("Gonzalo");

  expect(await gonzalo.call("POST", "/user_uploads/presigned", params)).toMatchObject(expected);
});

test("completing requires the upload's ID", async () => {
  const gonzalo = await aPerson("Gonzalo");

  const { body } = await gonzalo.call("POST", "/user_uploads/presigned/complete");

  expect(body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "upload_id" });
  expect(await complete(gonzalo, "x".repeat(1001))).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "upload_id is too long (limit: 1000 characters)" },
  });
});

test.each(["/user_uploads/presigned", "/user_uploads/presigned/complete"])("%s requires an account", async (path) => {
  expect(await call("POST", path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test("POST /register returns the size limits of direct and of presigned uploads, which both apply", async () => {
  const gonzalo = await aPerson("Gonzalo");
  const { body } = await gonzalo.call("POST", "/register", { event_types: ["realm"] });

  const [directMib, presignedMib] = [body.max_file_upload_size_mib, body.max_presigned_file_upload_size_mib];

  expect([directMib, presignedMib]).toEqual([isLocal() ? 100 : 4, 100]);
  expect((await sendFile(gonzalo, "isle.bin", Buffer.alloc(4 * mib))).status).toBe(200);
  expect(await presign(gonzalo, "isle.bin", presignedMib * mib)).toMatchObject({ result: "success" });
  expect(
    (await gonzalo.call("POST", "/user_uploads/presigned", { filename: "a", size: presignedMib * mib + 1 })).status,
  ).toBe(413);
});
