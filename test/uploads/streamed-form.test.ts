import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FormTooLarge, MalformedForm, readStreamedForm } from "../../infra/local/forms/streamed-form.ts";
import { multipartForm } from "../../shared/services/http/read-params.ts";
import { fc } from "../support/random.ts";

/** A form that is read while it arrives is the one that is read as a whole, however it is cut. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-form-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const boundary = "QQ-QQ";
const contentType = `multipart/form-data; boundary=${boundary}`;
const read = (chunks: readonly Buffer[], maxBytes = 1_000_000) =>
  readStreamedForm(
    (async function* (): AsyncGenerator<Buffer, undefined> {
      yield* chunks;
    })(),
    { contentType, folder, maxBytes },
  );

/** Content that often has what looks like a delimiter. */
const content = fc
  .array(fc.oneof(fc.constantFrom("\r\n", "--", "QQ", "\r\n--QQ-", "-", "\r", "\0"), fc.string()), { maxLength: 12 })
  .map((pieces) => pieces.join(""))
  .filter((text) => !text.includes(boundary));
const part = fc.record({
  name: fc.constantFrom("file", "a", "b c", "ü"),
  filename: fc.constantFrom(undefined, "a.txt", "%22a%22.txt", "ü \u2013.bin", ""),
  content,
});

const bodyOf = (parts: readonly { name: string; filename: string | undefined; content: string }[]) =>
  Buffer.from(
    `${parts
      .map(
        ({ name, filename, content }) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n` +
          `${filename === undefined ? "" : "Content-Type: application/octet-stream\r\n"}\r\n${content}\r\n`,
      )
      .join("")}--${boundary}--\r\n`,
  );

function cut(body: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, n = 0; at < body.length; n++) {
    const size = sizes[n % sizes.length] as number;
    chunks.push(body.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test("fields and files are those of the whole form, wherever it is cut, and nothing is left on the disk", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (parts, sizes) => {
        const body = bodyOf(parts);
        const whole = [...(await multipartForm(body, contentType))] as [string, string | File][];

        const form = await read(cut(body, sizes));

        const files = await Promise.all(
          form.files.map(async ({ name, size, read }) => [name, Buffer.from(await read(0, size)).toString("utf8")]),
        );
        await form.release();
        expect(form.fields).toEqual(whole.filter(([, value]) => typeof value === "string"));
        const wholeFiles = whole.map(([, value]) => value).filter((value) => typeof value !== "string");
        expect(files).toEqual(await Promise.all(wholeFiles.map(async (file) => [file.name, await file.text()])));
      },
    ),
    { numRuns: 300 },
  );
  expect(await readdir(folder)).toEqual([]);
});

test.each<[string, Buffer, typeof FormTooLarge]>([
  ["without an end", Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb`), MalformedForm],
  ["that is none", Buffer.alloc(5000), MalformedForm],
  ["with endless headers", Buffer.from(`--${boundary}\r\n${"a".repeat(100_000)}`), FormTooLarge],
  ["with much text", bodyOf([{ name: "a", filename: undefined, content: "b".repeat(300_000) }]), FormTooLarge],
  [
    "with many empty parts",
    bodyOf(
      Array.from({ length: 101 }, (_, index) => ({ name: "a", filename: index % 2 ? "b" : undefined, content: "" })),
    ),
    FormTooLarge,
  ],
  ["above the limit", bodyOf([{ name: "a", filename: "b", content: "b".repeat(1_100_000) }]), FormTooLarge],
  ["with endless text after it", Buffer.concat([bodyOf([]), Buffer.alloc(1_100_000)]), FormTooLarge],
])("a form %s is refused, and nothing is left on the disk", async (_, body, error) => {
  await expect(read(cut(body, [16_384]))).rejects.toThrow(error);

  expect(await readdir(folder)).toEqual([]);
});
