import { expect, test } from "vitest";
import { attachmentsOf, fetchFile, png, sendFile, upload } from "../support/files.ts";
import { aPerson } from "../support/world.ts";

/** Headers that keep a browser from running a file's scripts. */
const safeHeaders = {
  "content-security-policy": expect.stringMatching(/default-src 'none';.*sandbox$/),
  "x-content-type-options": "nosniff",
};

const script = "<script>alert(document.cookie)</script>";
const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`;

test.each([
  ["page.html", `<!DOCTYPE html><html><body>${script}</body></html>`],
  ["picture.svg", svg],
  ["picture.png", svg],
  ["page.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
  ["script.js", "alert(1)"],
])("%s is served as plain text", async (name, content) => {
  const trinculo = await aPerson("Trinculo");

  const served = await fetchFile(trinculo, await upload(trinculo, name, content));

  expect(served.headers).toMatchObject({ ...safeHeaders, "content-type": "text/plain; charset=utf-8" });
  expect(served.bytes.toString()).toBe(content);
});

test.each<[string, string | Buffer, string]>([
  ["page.html", Buffer.from(`\ufeff<html>${script}</html>`, "utf16le"), "application/octet-stream"],
  ["null.html", `<html>\0${script}</html>`, "application/octet-stream"],
  ["page.html", Buffer.from(`PK\x03\x04${script}`, "latin1"), "application/zip"],
  ["paper.pdf", `%PDF-1.7 ${script}`, "application/pdf"],
  ["empty.html", "", "application/octet-stream"],
])("%s with content of another kind can only be downloaded", async (name, content, type) => {
  const trinculo = await aPerson("Trinculo");

  const served = await fetchFile(trinculo, await upload(trinculo, name, content));

  expect(served.headers).toMatchObject({ ...safeHeaders, "content-type": type });
  expect(served.headers["content-disposition"]).toMatch(/^attachment; /);
  expect(served.bytes.equals(Buffer.from(content))).toBe(true);
});

test("a file that is both a picture and an HTML page is served as the picture", async () => {
  const trinculo = await aPerson("Trinculo");
  const polyglot = Buffer.concat([Buffer.from(`GIF89a\x01\0\x01\0/*`, "latin1"), Buffer.from(script)]);

  const served = await fetchFile(trinculo, await upload(trinculo, "both.html", polyglot));

  expect(served.headers).toMatchObject({ ...safeHeaders, "content-type": "image/gif" });
});

test("a zip bomb is stored without being unpacked", async () => {
  const trinculo = await aPerson("Trinculo");
  const bomb = Buffer.from(`504b0304140000000800${"ff".repeat(16)}`, "hex");

  const served = await fetchFile(trinculo, await upload(trinculo, "bomb.zip", bomb));

  expect(served.headers["content-type"]).toBe("application/zip");
  expect(served.bytes.equals(bomb)).toBe(true);
});

test.each([
  ["../../../etc/passwd", "passwd", "passwd"],
  ["..\\..\\windows\\system.ini", "system.ini", "system.ini"],
  ["..", "uploaded-file", "uploaded-file"],
  ["/", "uploaded-file", "uploaded-file"],
  ["a/b/..", "uploaded-file", "uploaded-file"],
  ["%2e%2e%2fsecret.txt", "%2e%2e%2fsecret.txt", "2e2e2fsecret.txt"],
  ["report final (1).txt", "report final (1).txt", "report-final-1.txt"],
  ["<img src=x onerror=alert(1)>.png", "<img src=x onerror=alert(1)>.png", "img-srcx-onerroralert1.png"],
  ["Überraschung – 日本.txt", "Überraschung – 日本.txt", "Überraschung-日本.txt"],
  ["tab\tand\u202eright.txt", "tabandright.txt", "tabandright.txt"],
  [".htaccess", ".htaccess", ".htaccess"],
])("the name %j is sanitized to %j, and to %j in the URL", async (sentName, filename, urlName) => {
  const trinculo = await aPerson("Trinculo");

  const sent = await sendFile(trinculo, sentName, png);

  expect(sent.body.filename).toBe(filename);
  expect(sent.body.url.split("/")).toHaveLength(6);
  expect(sent.body.url.split("/").at(-1)).toBe(urlName);
  const served = await fetchFile(trinculo, sent.body.url);
  expect(served.status).toBe(200);
  expect(served.headers["content-disposition"]).toMatch(/^inline; filename="[ -~]*"; filename\*=UTF-8''[\w.%~!*-]+$/);
  expect((await attachmentsOf(trinculo))[0].name).toBe(filename);
});

test("a name of a thousand letters is truncated, and keeps its extension", async () => {
  const trinculo = await aPerson("Trinculo");

  const { body } = await sendFile(trinculo, `${"é".repeat(1000)}.png`, png);

  expect([...body.filename]).toHaveLength(150);
  expect(body.filename.endsWith("é.png")).toBe(true);
});
