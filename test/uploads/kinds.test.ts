import { expect, test } from "vitest";
import { fetchFile, png, upload } from "../support/files.ts";
import { aPerson } from "../support/world.ts";

/** How files are served: their first bytes determine the type, even if the name's extension is misleading. */

const bytes = (text: string) => Buffer.from(text.padEnd(64, "\0"), "latin1");
const kinds: [type: string, kind: "inline" | "attachment", content: Buffer, name?: string][] = [
  ["image/png", "inline", png],
  ["image/jpeg", "inline", bytes("\xff\xd8\xff\xe0")],
  ["image/gif", "inline", bytes("GIF89a")],
  ["image/webp", "inline", bytes("RIFF\x40\0\0\0WEBPVP8 ")],
  ["image/avif", "inline", bytes("\0\0\0\x20ftypavif")],
  ["video/mp4", "inline", bytes("\0\0\0\x20ftypisom")],
  ["video/webm", "inline", bytes("\x1aE\xdf\xa3")],
  ["audio/mpeg", "inline", bytes("ID3")],
  ["audio/mp4", "inline", bytes("\0\0\0\x20ftypM4A ")],
  ["audio/ogg", "inline", bytes("OggS")],
  ["audio/wav", "inline", bytes("RIFF\x40\0\0\0WAVE")],
  ["audio/flac", "inline", bytes("fLaC")],
  ["audio/aac", "inline", bytes("\xff\xf1")],
  ["text/plain; charset=utf-8", "inline", Buffer.from("<script>alert(1)</script>")],
  ["image/heic", "attachment", bytes("\0\0\0\x20ftypheic")],
  ["image/bmp", "attachment", bytes("BM\x40\0\0\0\0\0\0\0")],
  ["image/tiff", "attachment", bytes("II*\0")],
  ["video/quicktime", "attachment", bytes("\0\0\0\x20ftypqt  ")],
  ["video/x-msvideo", "attachment", bytes("RIFF\x40\0\0\0AVI ")],
  ["application/pdf", "attachment", bytes("%PDF-1.7")],
  ["application/zip", "attachment", bytes("PK\x03\x04")],
  [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "attachment",
    bytes("PK\x03\x04"),
    "a.docx",
  ],
  ["application/gzip", "attachment", bytes("\x1f\x8b")],
  ["application/x-7z-compressed", "attachment", bytes("7z\xbc\xaf\x27\x1c")],
  ["application/vnd.rar", "attachment", bytes("Rar!\x1a\x07")],
  ["application/octet-stream", "attachment", bytes("\x7fELF")],
  ["application/octet-stream", "attachment", bytes("MZ")],
  ["application/octet-stream", "attachment", Buffer.alloc(0)],
];

test.each(kinds)("%s is served as %s, without running scripts", async (type, kind, content, name = "page.html") => {
  const trinculo = await aPerson("Trinculo");

  const served = await fetchFile(trinculo, await upload(trinculo, name, content));

  expect(served.headers).toMatchObject({
    "content-type": type,
    "content-disposition": `${kind}; filename="${name}"; filename*=UTF-8''${name}`,
    "content-security-policy":
      "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  expect(served.bytes.equals(content)).toBe(true);
});
