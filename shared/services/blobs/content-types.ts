import { sizeOfImage } from "./image-sizes.ts";

/** A file's type, detected from its content. The name and the sender's content type are not trusted. */
export interface DetectedContent {
  contentType: string;
  /** Pixels; only of pictures in a format whose size can be read. */
  width?: number;
  height?: number;
}

/** How much of a file is examined. A photograph's size may follow an embedded preview of 64 KB. */
export const maxSniffedBytes = 256 * 1024;

/** Content types by the bytes at an offset; "?" matches any byte. */
const signatures: [contentType: string, bytes: string, offset?: number][] = [
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

/** Types of zip archives by file extension. Trusting the name is safe for these, because browsers only download them. */
const zipTypes: Record<string, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  epub: "application/epub+zip",
};

/** Detects a file's type from its beginning. Markup and scripts count as plain text, so that browsers do not run them. */
export function detectContent(beginning: Uint8Array, name: string): DetectedContent {
  const contentType = signatures.find(([, bytes, offset = 0]) => matches(beginning, bytes, offset))?.[0];
  if (contentType === "application/zip") return { contentType: zipTypes[extensionOf(name)] ?? contentType };
  if (contentType !== undefined) return { contentType, ...sizeOfImage(contentType, beginning) };
  return { contentType: isText(beginning) ? "text/plain; charset=utf-8" : "application/octet-stream" };
}

const extensionOf = (name: string) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

const matches = (content: Uint8Array, bytes: string, offset: number) =>
  content.length >= offset + bytes.length &&
  [...bytes].every((byte, index) => byte === "?" || byte.charCodeAt(0) === content[offset + index]);

/** Whether the content is UTF-8 without control characters. The last character may be cut off. */
function isText(content: Uint8Array): boolean {
  if (content.length === 0) return false;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this searches for them
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
