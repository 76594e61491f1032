import type { ImageSize } from "../blobs/image-sizes.ts";

/** Reads the structure of animated pictures (GIF, PNG and WebP) without decoding pixels. */

/**
 * The size of each frame that a picture contains, up to the place where it is truncated; nothing for a still PNG, WebP or JPEG.
 * A GIF's frame may be larger than the size in its header: browsers then enlarge the picture.
 */
export function* framesOf(contentType: string, content: Buffer): Generator<ImageSize> {
  try {
    yield* (readers[contentType] ?? noFrames)(content);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

const readers: Record<string, (content: Buffer) => Iterable<ImageSize>> = {
  "image/gif": framesOfGif,
  "image/png": framesOfPng,
  "image/webp": framesOfWebp,
};
const noFrames = () => [];

function* framesOfGif(content: Buffer): Generator<ImageSize> {
  for (const { frame } of gifBlocks(content)) if (frame) yield frame;
}

/** A block of a GIF: a frame, or an extension. */
interface GifBlock {
  /** The position after the block. */
  end: number;
  frame?: ImageSize;
}

/** The blocks of a GIF up to its trailer. Throws RangeError where it is truncated. */
export function* gifBlocks(content: Buffer): Generator<GifBlock> {
  let at = 13 + colorTableBytes(content.readUInt8(10));
  for (let block = content.readUInt8(at); block !== 0x3b; block = content.readUInt8(at)) {
    const isFrame = block === 0x2c;
    const frame = isFrame && { width: content.readUInt16LE(at + 5), height: content.readUInt16LE(at + 7) };
    at = afterSubBlocks(content, isFrame ? at + 11 + colorTableBytes(content.readUInt8(at + 9)) : at + 2);
    yield frame ? { end: at, frame } : { end: at };
  }
}

/** The length in bytes of a GIF's color table, which its flags byte encodes. */
const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function afterSubBlocks(content: Buffer, start: number): number {
  let at = start;
  for (let size = content.readUInt8(at); size > 0; size = content.readUInt8(at)) at += size + 1;
  return at + 1;
}

function* framesOfPng(content: Buffer): Generator<ImageSize> {
  for (const { kind, at } of pngChunks(content))
    if (kind === "fcTL") yield { width: content.readUInt32BE(at + 12), height: content.readUInt32BE(at + 16) };
}

/** The chunks of a PNG, each from `at` to `end`. The last may be truncated. */
export function* pngChunks(content: Buffer): Generator<{ kind: string; at: number; end: number }> {
  for (let at = 8; at < content.length; ) {
    const end = at + 12 + content.readUInt32BE(at);
    yield { kind: content.toString("latin1", at + 4, at + 8), at, end };
    at = end;
  }
}

function* framesOfWebp(content: Buffer): Generator<ImageSize> {
  for (let at = 12; at < content.length; ) {
    if (content.toString("latin1", at, at + 4) === "ANMF")
      yield { width: content.readUIntLE(at + 14, 3) + 1, height: content.readUIntLE(at + 17, 3) + 1 };
    const length = content.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
}
