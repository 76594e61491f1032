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
