import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { answeredBy, type ContractTarget, caseFor, clientFor, linkTo, unique } from "./target.ts";

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/** The behaviour of S3 on which the fleet relies. */
export function filesContract(target: ContractTarget): void {
  describe("files", () => {
    const it = caseFor(target);
    const Bucket = unique("files");
    let s3: S3Client;
    beforeAll(async () => {
      s3 = answeredBy(target, new S3Client({ ...clientFor(target), forcePathStyle: true }));
      await s3.send(new CreateBucketCommand({ Bucket }));
    });
    afterAll(() => s3.destroy());

    const put = (Key: string, Body: string | Uint8Array) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    const read = async (Key: string, Range?: string) => {
      const { Body, ContentRange } = await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }));
      return { bytes: Buffer.from(await Body!.transformToByteArray()), ContentRange };
    };
    const readText = async (Key: string) => (await read(Key)).bytes.toString();
    const list = async (options: object) => s3.send(new ListObjectsV2Command({ Bucket, ...options }));
    const downloadLink = (Key: string, options: object = {}, ageSeconds = 0) =>
      linkTo(target, s3, new GetObjectCommand({ Bucket, Key, ...options }), 60, ageSeconds);

    it("stores a file", async () => {
      const { ETag } = await put("a.png", "content");

      expect(await readText("a.png")).toBe("content");
      expect(ETag).toBe(`"${md5(Buffer.from("content"))}"`);
      expect(await s3.send(new HeadObjectCommand({ Bucket, Key: "a.png" }))).toMatchObject({ ContentLength: 7 });
    });

    it("replaces a file as a whole", async () => {
      await put("replaced", "old content");
      await put("replaced", "new");

      expect(await readText("replaced")).toBe("new");
    });

    it("returns a range", async () => {
      await put("range", "0123456789");
      const range = async (Range: string) => {
        const { bytes, ContentRange } = await read("range", Range);
        return [bytes.toString(), ContentRange];
      };

      expect(await range("bytes=2-4")).toEqual(["234", "bytes 2-4/10"]);
      expect(await range("bytes=7-")).toEqual(["789", "bytes 7-9/10"]);
      expect(await range("bytes=-3")).toEqual(["789", "bytes 7-9/10"]);
      await expect(range("bytes=10-")).rejects.toMatchObject({ name: "InvalidRange" });
    });

    it("stores an empty file", async () => {
      await put("empty", "");

      expect(await readText("empty")).toBe("");
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: "empty" }))).ContentLength).toBe(0);
    });

    it("keeps keys with odd characters apart", async () => {
      const keys = ["odd/ä ö?&=+#%25.txt", "odd/日本/'(*)!~.txt", "odd/a+b", "odd/a b", "odd/<&>\"'"];
      for (const key of keys) await put(key, key);

      for (const key of keys) expect(await readText(key)).toBe(key);
      expect((await list({ Prefix: "odd/" })).Contents!.map(({ Key }) => Key).sort()).toEqual([...keys].sort());
    });

    it("stores a file of 25 MB", async () => {
      const bytes = Buffer.alloc(25 * 1024 * 1024, "0123456789abcdef~");
      await put("large", bytes);

      expect(md5((await read("large")).bytes)).toBe(md5(bytes));
    }, 15_000);

    it("joins the parts of a multipart upload", async () => {
      const Key = "parts";
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: "text/plain" }));
      const bodies = [Buffer.alloc(5 * 1024 * 1024, "a"), Buffer.from("the end")];
      const Parts = [];
      for (const [index, Body] of bodies.entries()) {
        const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: index + 1, Body }));
        Parts.push({ ETag, PartNumber: index + 1 });
      }
      await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

      expect(md5((await read(Key)).bytes)).toBe(md5(Buffer.concat(bodies)));
      expect((await fetch(await downloadLink(Key))).headers.get("content-type")).toBe("text/plain");
    });

    it("forgets an aborted multipart upload", async () => {
      const upload = {
        Bucket,
        Key: "aborted",
        UploadId: (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "aborted" }))).UploadId,
      };
      await s3.send(new AbortMultipartUploadCommand(upload));

      const part = s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: Buffer.from("late") }));

      await expect(part).rejects.toMatchObject({ name: "NoSuchUpload" });
    });

    it("lists by prefix", async () => {
      for (const key of ["list/1", "list/2", "list/3/a", "lists"]) await put(key, "x");

      expect((await list({ Prefix: "list/" })).Contents!.map(({ Key }) => Key)).toEqual([
        "list/1",
        "list/2",
        "list/3/a",
      ]);
      expect((await list({ Prefix: "none/" })).Contents ?? []).toEqual([]);
    });

    it("deletes a file, and succeeds if it does not exist", async () => {
      await put("d1", "x");
      for (const _ of ["existing", "deleted"]) await s3.send(new DeleteObjectCommand({ Bucket, Key: "d1" }));

      await expect(readText("d1")).rejects.toBeInstanceOf(NoSuchKey);
    });

    it("reports what does not exist", async () => {
      await expect(readText("nothing")).rejects.toBeInstanceOf(NoSuchKey);
      await expect(s3.send(new HeadObjectCommand({ Bucket, Key: "nothing" }))).rejects.toMatchObject({
        $metadata: { httpStatusCode: 404 },
      });
    });

    it("serves a presigned link with its response headers", async () => {
      await put("linked ä", "for you");
      const reply = await fetch(
        await downloadLink("linked ä", { ResponseContentDisposition: "attachment", ResponseContentType: "text/plain" }),
      );

      expect([reply.status, await reply.text()]).toEqual([200, "for you"]);
      expect([reply.headers.get("content-disposition"), reply.headers.get("content-type")]).toEqual([
        "attachment",
        "text/plain",
      ]);
    });

    it("accepts a file through a presigned link", async () => {
      const command = new PutObjectCommand({ Bucket, Key: "uploaded", ContentLength: 7, IfNoneMatch: "*" });
      const headers = { "if-none-match": "*" };
      const reply = await fetch(await linkTo(target, s3, command, 60), { method: "PUT", headers, body: "by link" });

      expect(reply.status).toBe(200);
      expect(await readText("uploaded")).toBe("by link");
    });

    it("refuses a presigned link that was changed", async () => {
      await put("mine", "mine");
      await put("yours", "yours");
      const link = await downloadLink("mine");

      for (const forged of [
        link.replace("/mine?", "/yours?"),
        link.replace(/(expires=\d+)/i, "$10"),
        `${link}&response-content-type=text%2Fhtml`,
      ]) {
        expect((await fetch(forged)).status, forged).toBe(403);
      }
      expect((await fetch(link, { method: "DELETE" })).status).toBe(403);
    });

    it("refuses a presigned link that has expired", async () => {
      await put("late", "late");

      expect((await fetch(await downloadLink("late", {}, 61))).status).toBe(403);
    });

    it("refuses a request without a signature", async () => {
      await put("private", "private");

      expect((await fetch(`${target.endpoint()}/${Bucket}/private`)).status).toBe(403);
    });
  });
}
