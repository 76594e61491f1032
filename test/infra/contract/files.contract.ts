import { createHash } from "node:crypto";
import { Readable } from "node:stream";
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
  NotFound,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/** The behaviour of S3 on which the fleet relies. */
export function filesContract(target: ContractTarget): void {
  describe("files", () => {
    const it = caseFor(target);
    const Bucket = unique("files");
    let s3: S3Client;
    beforeAll(async () => {
      s3 = new S3Client({ ...clientFor(target), forcePathStyle: true });
      await s3.send(new CreateBucketCommand({ Bucket }));
    });
    afterAll(() => s3.destroy());

    const put = (Key: string, Body: PutObjectCommandInput["Body"], options: Partial<PutObjectCommandInput> = {}) =>
      s3.send(new PutObjectCommand({ Bucket, Key, ...(Body !== undefined && { Body }), ...options }));
    const readText = async (Key: string) =>
      (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString();
    const list = async (options: object) => s3.send(new ListObjectsV2Command({ Bucket, ...options }));
    const linkTo = (Key: string, expiresIn: number, options: object = {}) =>
      getSignedUrl(s3, new GetObjectCommand({ Bucket, Key, ...options }), { expiresIn });

    it("stores a file with its headers and metadata", async () => {
      const headers = {
        ContentType: "image/png",
        ContentDisposition: 'inline; filename="a.png"',
        CacheControl: "private",
        Metadata: { user: "7" },
      };
      const { ETag } = await put("a.png", "content", headers);

      const { Body, ...stored } = await s3.send(new GetObjectCommand({ Bucket, Key: "a.png" }));

      expect(await Body!.transformToString()).toBe("content");
      expect(stored).toMatchObject({ ...headers, ETag, ContentLength: 7 });
      expect(ETag).toBe(`"${md5(Buffer.from("content"))}"`);
      expect(await s3.send(new HeadObjectCommand({ Bucket, Key: "a.png" }))).toMatchObject({
        ...headers,
        ETag,
        ContentLength: 7,
      });
    });

    it("replaces a file as a whole", async () => {
      await put("replaced", "old", { Metadata: { old: "1" } });
      await put("replaced", "new");

      const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key: "replaced" }));

      expect(await readText("replaced")).toBe("new");
      expect(Metadata).toEqual({});
    });

    it("returns a range", async () => {
      await put("range", "0123456789");
      const range = async (Range: string) => {
        const { Body, ContentRange } = await s3.send(new GetObjectCommand({ Bucket, Key: "range", Range }));
        return [await Body!.transformToString(), ContentRange];
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

    it("accepts a stream with a trailing checksum", async () => {
      const bytes = Buffer.alloc(300_000, "stream ");
      const { ETag } = await put("stream", Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]), {
        ContentLength: bytes.length,
      });

      expect(ETag).toBe(`"${md5(bytes)}"`);
      const { Body, ContentEncoding } = await s3.send(new GetObjectCommand({ Bucket, Key: "stream" }));
      expect(md5(await Body!.transformToByteArray())).toBe(md5(bytes));
      expect(ContentEncoding ?? "").not.toContain("aws-chunked");
    });

    it("stores a file of 25 MB", async () => {
      const bytes = Buffer.alloc(25 * 1024 * 1024, "0123456789abcdef~");
      await put("large", bytes);

      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: "large" }));

      expect(md5(await Body!.transformToByteArray())).toBe(md5(bytes));
    }, 15_000);

    it("refuses a file that does not match its checksum", async () => {
      await expect(
        put("changed", "content", { ContentMD5: createHash("md5").update("other").digest("base64") }),
      ).rejects.toMatchObject({ name: "BadDigest" });
      await expect(readText("changed")).rejects.toBeInstanceOf(NoSuchKey);
    });

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

      const { Body, ETag, ContentType } = await s3.send(new GetObjectCommand({ Bucket, Key }));

      expect(md5(await Body!.transformToByteArray())).toBe(md5(Buffer.concat(bodies)));
      expect([ETag, ContentType]).toEqual([expect.stringMatching(/^"[0-9a-f]{32}-2"$/), "text/plain"]);
    });

    it("forgets an aborted multipart upload", async () => {
      const upload = {
        Bucket,
        Key: "aborted",
        UploadId: (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "aborted" }))).UploadId,
      };
      await s3.send(new AbortMultipartUploadCommand(upload));

      const part = s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: "late" }));

      await expect(part).rejects.toMatchObject({ name: "NoSuchUpload" });
    });

    it("lists by prefix, a page at a time", async () => {
      for (const key of ["list/1", "list/2", "list/3/a", "list/3/b"]) await put(key, "x");

      const firstPage = await list({ Prefix: "list/", MaxKeys: 3 });
      const secondPage = await list({
        Prefix: "list/",
        MaxKeys: 3,
        ContinuationToken: firstPage.NextContinuationToken,
      });

      expect([firstPage.IsTruncated, firstPage.Contents!.map(({ Key }) => Key)]).toEqual([
        true,
        ["list/1", "list/2", "list/3/a"],
      ]);
      expect([secondPage.IsTruncated, secondPage.Contents!.map(({ Key }) => Key)]).toEqual([false, ["list/3/b"]]);
      expect((await list({ Prefix: "none/" })).KeyCount).toBe(0);
    });

    it("deletes a file, and succeeds if it does not exist", async () => {
      await put("d1", "x");
      for (const _ of ["existing", "deleted"]) await s3.send(new DeleteObjectCommand({ Bucket, Key: "d1" }));

      await expect(readText("d1")).rejects.toBeInstanceOf(NoSuchKey);
    });

    it("reports what does not exist", async () => {
      await expect(readText("nothing")).rejects.toBeInstanceOf(NoSuchKey);
      await expect(s3.send(new HeadObjectCommand({ Bucket, Key: "nothing" }))).rejects.toBeInstanceOf(NotFound);
      await expect(s3.send(new ListObjectsV2Command({ Bucket: unique("no") }))).rejects.toMatchObject({
        name: "NoSuchBucket",
      });
    });

    it("serves a presigned link with its response headers", async () => {
      await put("linked ä", "for you");
      const reply = await fetch(
        await linkTo("linked ä", 60, { ResponseContentDisposition: "attachment", ResponseContentType: "text/plain" }),
      );

      expect([reply.status, await reply.text()]).toEqual([200, "for you"]);
      expect([reply.headers.get("content-disposition"), reply.headers.get("content-type")]).toEqual([
        "attachment",
        "text/plain",
      ]);
    });

    it("accepts a file through a presigned link", async () => {
      const command = new PutObjectCommand({ Bucket, Key: "uploaded", Metadata: { user: "7" } });
      const reply = await fetch(await getSignedUrl(s3, command, { expiresIn: 60 }), { method: "PUT", body: "by link" });

      expect(reply.status).toBe(200);
      expect(await readText("uploaded")).toBe("by link");
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: "uploaded" }))).Metadata).toEqual({ user: "7" });
    });

    it("refuses a presigned link that was changed", async () => {
      await put("mine", "mine");
      await put("yours", "yours");
      const link = await linkTo("mine", 60);

      for (const forged of [
        link.replace("/mine?", "/yours?"),
        link.replace("X-Amz-Expires=60", "X-Amz-Expires=6000"),
        `${link}&response-content-type=text%2Fhtml`,
      ]) {
        expect((await fetch(forged)).status, forged).toBe(403);
      }
      expect((await fetch(link, { method: "DELETE" })).status).toBe(403);
    });

    it("refuses a presigned link that has expired", async () => {
      await put("late", "late");
      const signed = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "late" }), {
        expiresIn: 60,
        signingDate: new Date(Date.now() - 61_000),
      });

      expect((await fetch(signed)).status).toBe(403);
    });

    it("refuses a request without a signature", async () => {
      await put("private", "private");

      expect((await fetch(`${target.endpoint()}/${Bucket}/private`)).status).toBe(403);
    });
  });
}
