import { crc32, deflateSync } from "node:zlib";

/** Generates pictures. */

function chunk(kind: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG with the given size in its header and `rows` rows of data: a grey gradient, or the columns that `grey` gives. */
export function aPng(width: number, height: number, rows = height, grey = (x: number) => (x + 1) % 256): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Bit depth 8, greyscale.
  head[8] = 8;
  const row = Buffer.from(Array.from({ length: width + 1 }, (_, index) => (index === 0 ? 0 : grey(index - 1))));
  const content = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", content), chunk("IEND", Buffer.alloc(0))]);
}

/** An animated GIF of one pixel that alternates between black and white. */
export const aGif = (frames: number): Buffer => {
  const frame = (index: number) => `21f90400000000002c0000000001000100000202${index % 2 ? "4c" : "44"}0100`;
  const allFrames = Array.from({ length: frames }, (_, index) => frame(index)).join("");
  return Buffer.from(`47494638396101000100800000000000ffffff${allFrames}3b`, "hex");
};

const sizedGifHead = (width: number, height: number) => {
  // Version, size, and a color table of 128 greys.
  const head = Buffer.from("GIF89a\0\0\0\0\xf6\0\0", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return Buffer.concat([head, Buffer.from(Array.from({ length: 3 * 128 }, (_, index) => Math.floor(index / 3) * 2))]);
};

/** A frame of a GIF: its header, and its pixels as the blocks `content` of LZW data with codes of 7 bits. */
const gifFrame = (width: number, height: number, content: Buffer) => {
  const head = Buffer.from("21f904000a0000002c00000000000000000007", "hex");
  head.writeUInt16LE(width, 13);
  head.writeUInt16LE(height, 15);
  return Buffer.concat([head, content, Buffer.from([0])]);
};

/** An animated GIF of any size in which each frame has another grey; needs about a byte for each pixel. */
export function aSizedGif(frames: number, width: number, height: number): Buffer {
  const [clear, end, codesPerTable] = [0x80, 0x81, 120];
  const content = (grey: number) => {
    const codes: number[] = [];
    for (let left = width * height; left > 0; left -= codesPerTable)
      codes.push(clear, ...Array(Math.min(left, codesPerTable)).fill(grey));
    codes.push(end);
    const blocks: number[] = [];
    for (let at = 0; at < codes.length; at += 255) {
      const block = codes.slice(at, at + 255);
      blocks.push(block.length, ...block);
    }
    return Buffer.from(blocks);
  };
  const all = Array.from({ length: frames }, (_, index) => gifFrame(width, height, content((index * 40) % 128)));
  return Buffer.concat([sizedGifHead(width, height), ...all, Buffer.from([0x3b])]);
}

/** An animated GIF whose frames claim to be large and contain no pixels, with the size `head` in its header. */
export const aGifBomb = (frames: number, width: number, height: number, head = { width, height }): Buffer =>
  Buffer.concat([
    sizedGifHead(head.width, head.height),
    ...Array(frames).fill(gifFrame(width, height, Buffer.from([2, 0x80, 0x81]))),
    Buffer.from([0x3b]),
  ]);

/** An animated PNG whose frames claim to be large and contain no pixels. */
export function anApngBomb(frames: number, width: number, height: number): Buffer {
  const png = aPng(width, height, 1);
  const frame = Buffer.alloc(26);
  frame.writeUInt32BE(width, 4);
  frame.writeUInt32BE(height, 8);
  const count = Buffer.alloc(8);
  count.writeUInt32BE(frames);
  const animation = [chunk("acTL", count), ...Array(frames).fill(chunk("fcTL", frame))];
  // Behind the signature and the header.
  return Buffer.concat([png.subarray(0, 33), ...animation, png.subarray(33)]);
}

/** An animated WebP whose frames claim to be large and contain no pixels. */
export function aWebpBomb(frames: number, width: number, height: number): Buffer {
  const riff = (kind: string, content: Buffer) => {
    const head = Buffer.from(`${kind}\0\0\0\0`, "latin1");
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const extended = Buffer.alloc(10);
  extended[0] = 2;
  extended.writeUIntLE(width - 1, 4, 3);
  extended.writeUIntLE(height - 1, 7, 3);
  const frame = Buffer.alloc(16);
  frame.writeUIntLE(width - 1, 6, 3);
  frame.writeUIntLE(height - 1, 9, 3);
  const chunks = [riff("VP8X", extended), riff("ANIM", Buffer.alloc(6)), ...Array(frames).fill(riff("ANMF", frame))];
  return riff("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks]));
}
