import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { addUpload } from "../../shared/messaging/uploads/actions.ts";
import { fileInMemory } from "../../shared/services/http/uploaded-files.ts";
import { attachmentsOf, fetchFile, multipart, png, sendFile, upload } from "../support/files.ts";
import { send } from "../support/http.ts";
import { listen } from "../support/listener.ts";
import { ownEventsOf } from "../support/log.ts";
import { target } from "../support/target.ts";
import { aPerson, call, costTest, isLocal, type Person } from "../support/world.ts";

test("an uploaded file is served to its owner at its URL", async () => {
  const prospero = await aPerson("Prospero");

  const sent = await sendFile(prospero, "book.png", png);

  expect(sent.body).toEqual({
    result: "success",
    msg: "",
    url: expect.stringMatching(/^\/user_uploads\/1\/[0-9a-f]{2}\/[\w-]{24}\/book\.png$/),
    uri: sent.body.url,
    filename: "book.png",
  });
  const served = await fetchFile(prospero, sent.body.url);
  expect(served.status).toBe(200);
  expect(served.bytes.equals(png)).toBe(true);
  expect(served.headers["content-type"]).toBe("image/png");
});

test("an uploaded file is in the owner's list and in an event", async () => {
  const prospero = await aPerson("Prospero");
  let url = "";
  const before = Date.now();

  const events = await ownEventsOf(prospero, "attachment", async () => {
    url = await upload(prospero, "book.txt", "drowned");
  });

  const { body } = await prospero.call("GET", "/attachments");
  const record = {
    id: expect.any(Number),
    name: "book.txt",
    path_id: url.slice("/user_uploads/".length),
    size: 7,
    create_time: expect.any(Number),
    messages: [],
  };
  expect(body).toEqual({ result: "success", msg: "", attachments: [record], upload_space_used: expect.any(Number) });
  expect(body.attachments[0].create_time).toBeGreaterThanOrEqual(before);
  expect(body.upload_space_used).toBeGreaterThanOrEqual(7);
  expect(events).toEqual([
    { type: "attachment", op: "add", attachment: record, upload_space_used: expect.any(Number) },
  ]);
});

test.each(["file", "x", "", "filename"])("the part of the form may be called %j", async (name) => {
  const prospero = await aPerson("Prospero");

  const sent = await prospero.call(
    "POST",
    "/user_uploads",
    {},
    { credentials: prospero, ...multipart([{ name, filename: "a.txt", content: "a" }]) },
  );

  expect(sent.body).toMatchObject({ result: "success", filename: "a.txt" });
});

test("other fields than the file are reported as ignored", async () => {
  const prospero = await aPerson("Prospero");
  const parts = [
    { filename: "a.txt", content: "a" },
    { name: "topic", content: "b" },
  ];

  const sent = await prospero.call("POST", "/user_uploads", {}, { credentials: prospero, ...multipart(parts) });

  expect(sent.body).toMatchObject({ result: "success", ignored_parameters_unsupported: ["topic"] });
});

test("an upload without a file, with two files, or with an invalid form is refused", async () => {
  const prospero = await aPerson("Prospero");
  const one = { filename: "a.txt", content: "a" };
  const post = (options: object) => prospero.call("POST", "/user_uploads", {}, { credentials: prospero, ...options });

  const emptyForm = await post({});
  const onlyFields = await post(multipart([{ name: "a", content: "b" }]));
  const twoFiles = await post(multipart([one, one]));
  const invalidForm = await post({ ...multipart([one]), body: Buffer.from("no form at all") });

  const missing = { status: 400, body: { code: "BAD_REQUEST", msg: "You must specify a file to upload" } };
  expect(emptyForm).toMatchObject(missing);
  expect(onlyFields).toMatchObject(missing);
  expect(twoFiles).toMatchObject({ status: 400, body: { msg: "You may only upload one file at a time" } });
  const msg = "The request body is not valid multipart/form-data.";
  expect(invalidForm).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
  expect(await attachmentsOf(prospero)).toEqual([]);
});

test.skipIf(isLocal())(
  "a file that is too large for a function is refused, with a hint about presigned uploads",
  async () => {
    const prospero = await aPerson("Prospero");

    const sent = await sendFile(prospero, "large.bin", Buffer.alloc(4_400_001));

    expect(sent).toMatchObject({
      status: 413,
      body: {
        code: "BAD_REQUEST",
        msg: "Files of this size are uploaded by a link: see POST /user_uploads/presigned.",
      },
    });
    expect(await attachmentsOf(prospero)).toEqual([]);
  },
);

test.skipIf(isLocal())(
  "a direct upload of 25 MB is refused, whatever its headers claim, and nothing is listed",
  async () => {
    const prospero = await aPerson("Prospero");
    const { body, headers } = multipart([{ filename: "large.bin", content: Buffer.alloc(25_000_000) }]);

    const sent = await send("POST", "/api/v1/user_uploads", body, { credentials: prospero, headers: headers ?? {} });

    expect(sent.status).toBe(413);
    expect(await attachmentsOf(prospero)).toEqual([]);
  },
);

test("the largest direct upload to a function is served unchanged", async () => {
  const prospero = await aPerson("Prospero");
  const content = Buffer.alloc(4_400_000, "storm ");

  const url = await upload(prospero, "large.txt", content);

  const served = await fetchFile(prospero, url);
  expect(served.bytes.equals(content)).toBe(true);
});

describe.runIf(isLocal())("a host that reads requests itself (local host only: Lambda takes 6 MB)", () => {
  /** Sends the head of an upload, and some of its body; returns the status and body of the reply. */
  const begin = (person: Person | undefined, headers: Record<string, string | number>, bytes = Buffer.alloc(70_000)) =>
    new Promise<{ status: number; body: { code: string; msg: string } }>((resolve, reject) => {
      const auth = person && `${person.email}:${person.apiKey}`;
      const type = { "content-type": "multipart/form-data; boundary=x" };
      const outgoing = request(`${target().url}/api/v1/user_uploads`, {
        ...{ method: "POST", headers: { ...type, ...headers } },
        ...(auth && { auth }),
      });
      outgoing.once("error", reject).once("response", async (response) => {
        const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
        resolve({ status: response.statusCode ?? 0, body });
        outgoing.destroy();
      });
      outgoing.write(bytes);
    });

  test("takes a file of 12 MiB, which is listed, told of and served unchanged", async () => {
    const prospero = await aPerson("Prospero");
    const listener = await listen(prospero);
    const content = randomBytes(12 * 1024 * 1024);
    const filename = 'a "storm" – ü.bin';

    const sent = await sendFile(prospero, filename.replaceAll('"', "%22"), content);

    expect(sent.body).toMatchObject({ result: "success", filename: expect.stringContaining("ü.bin") });
    expect(listener.state.max_file_upload_size_mib).toBe(100);
    expect(await listener.next("attachment")).toMatchObject({ op: "add", attachment: { size: content.length } });
    const { headers } = await fetchFile(prospero, sent.body.url);
    const served = await fetch(String(headers.location));
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).toBe(true);
  });

  test("refuses more than 100 MiB before it is sent, and two large files", async () => {
    const prospero = await aPerson("Prospero");
    const part = { filename: "a.bin", content: Buffer.alloc(100_000) };

    const tooLarge = await begin(prospero, { "content-length": 106_000_000 });
    const options = { credentials: prospero, ...multipart([part, part]) };
    const two = await prospero.call("POST", "/user_uploads", {}, options);

    expect(tooLarge).toMatchObject({ status: 413, body: { result: "error", code: "BAD_REQUEST" } });
    expect(two.body.msg).toBe("You may only upload one file at a time");
    expect(await attachmentsOf(prospero)).toEqual([]);
  });

  test("refuses whoever may not upload before the file is sent, and a body that is no form", async () => {
    const prospero = await aPerson("Prospero");

    const anonymous = await begin(undefined, { "content-length": 90_000_000 });
    const withoutKey = await begin({ ...prospero, apiKey: "a".repeat(32) }, { "transfer-encoding": "chunked" });
    const noForm = await prospero.call(
      "POST",
      "/user_uploads",
      {},
      {
        ...{ credentials: prospero, body: Buffer.alloc(100_000) },
        headers: { "content-type": "multipart/form-data; boundary=x" },
      },
    );

    expect(anonymous).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect(withoutKey).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect(noForm).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });
});

test("a file beyond the organization's quota is not listed", async () => {
  const prospero = await aPerson("Prospero");

  const adding = addUpload(prospero.id, fileInMemory({ name: "a.txt", content: Buffer.from("ab") }), 1);

  await expect(adding).rejects.toThrow("upload quota");
  expect(await attachmentsOf(prospero)).toEqual([]);
});

test("an upload without credentials is refused", async () => {
  const sent = await call("POST", "/user_uploads", {}, multipart([{ filename: "a.txt", content: "a" }]));

  expect(sent).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("an upload costs at most 3.5 read and 14 write units", async () => {
  const { cost } = await sendFile(await aPerson("Prospero"), "a.txt", "a");

  expect(cost.readUnits).toBeLessThanOrEqual(3.5);
  expect(cost.writeUnits).toBeLessThanOrEqual(14);
});
