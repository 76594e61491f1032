import { sizeOfImage } from "./image-sizes.ts";

/** What a file is, found out from its content alone: what its name or its sender says of it is not believed. */
export interface ContentFacts {
  contentType: string;
  /** Of pictures whose kind tells it: pixels. */
  width?: number;
  height?: number;
}

/** How much of a file is looked at, in bytes; a photograph's size may stand behind a preview of 64 KB. */
export const lookedAt = 256 * 1024;

/** A kind of file by the bytes at a place; "?" stands for any byte. */
const signatures: [contentType: string, bytes: string, at?: number][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF????WEBP"],
  ["image/avif", "ftypavif", 4],
  ["image/avif", "ftypavis", 4],
  ["image/heic", "ftyphei", 4],
  ["image/heic", "ftypmif1", 4],
  ["image/bmp", "BM????\0\0\0\0"],
  ["image/tiff", "II*\0"],
  ["image/tiff", "MM\0*"],
  ["video/quicktime", "ftypqt", 4],
  ["audio/mp4", "ftypM4A", 4],
  ["video/mp4", "ftyp", 4],
  ["video/webm", "\x1aE\xdf\xa3"],
  ["video/x-msvideo", "RIFF????AVI "],
  ["audio/wav", "RIFF????WAVE"],
  ["audio/ogg", "OggS"],
  ["audio/flac", "fLaC"],
  ["audio/mpeg", "ID3"],
  ["audio/mpeg", "\xff\xfb"],
  ["audio/mpeg", "\xff\xf3"],
  ["audio/aac", "\xff\xf1"],
  ["audio/aac", "\xff\xf9"],
  ["application/pdf", "%PDF-"],
  ["application/zip", "PK\x03\x04"],
  ["application/zip", "PK\x05\x06"],
  ["application/gzip", "\x1f\x8b"],
  ["application/x-bzip2", "BZh"],
  ["application/x-xz", "\xfd7zXZ\0"],
  ["application/x-7z-compressed", "7z\xbc\xaf\x27\x1c"],
  ["application/vnd.rar", "Rar!\x1a\x07"],
];

/** What a zip archive is by its name's ending: all of these are only ever downloaded. */
const archives: Record<string, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  epub: "application/epub+zip",
};

/** What a file is by the beginning of its content; markup and programs are plain text to us, and shown as such. */
export function contentFacts(beginning: Uint8Array, name: string): ContentFacts {
  const found = signatures.find(([, bytes, at = 0]) => matches(beginning, bytes, at))?.[0];
  if (found === "application/zip") return { contentType: archives[endingOf(name)] ?? found };
  if (found !== undefined) return { contentType: found, ...sizeOfImage(found, beginning) };
  return { contentType: isText(beginning) ? "text/plain; charset=utf-8" : "application/octet-stream" };
}

const endingOf = (name: string) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

const matches = (content: Uint8Array, bytes: string, at: number) =>
  content.length >= at + bytes.length &&
  [...bytes].every((byte, index) => byte === "?" || byte.charCodeAt(0) === content[at + index]);

/** UTF-8 without control characters; the last character may be cut. */
function isText(content: Uint8Array): boolean {
  if (content.length === 0) return false;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
