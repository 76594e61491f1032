/** The first frame of an animated image, made by cutting out the animation's blocks without decoding pixels. */
export function stillOf(contentType: string, content: Buffer): Buffer | undefined {
  try {
    if (contentType === "image/gif") return stillOfGif(content);
    if (contentType === "image/png") return stillOfPng(content);
  } catch (error) {
    // A truncated image has no still.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** The length in bytes of a GIF's color table, which its flags byte encodes. */
const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The GIF up to the end of its first frame; undefined when there is no second. */
function stillOfGif(content: Buffer): Buffer | undefined {
  let at = 13 + colorTableBytes(content.readUInt8(10));
  let end: number | undefined;
  for (;;) {
    const block = content.readUInt8(at);
    if (block === 0x3b) return undefined;
    if (block === 0x2c) {
      if (end !== undefined) return Buffer.concat([content.subarray(0, end), Buffer.from([0x3b])]);
      at = afterSubBlocks(content, at + 11 + colorTableBytes(content.readUInt8(at + 9)));
      end = at;
    } else at = afterSubBlocks(content, at + 2);
  }
}

function afterSubBlocks(content: Buffer, start: number): number {
  let at = start;
  for (let size = content.readUInt8(at); size > 0; size = content.readUInt8(at)) at += size + 1;
  return at + 1;
}

const animationChunks = new Set(["acTL", "fcTL", "fdAT"]);

/** The PNG without its animation, which leaves its default picture; undefined when it has none. */
function stillOfPng(content: Buffer): Buffer | undefined {
  const kept = [content.subarray(0, 8)];
  let isAnimated = false;
  for (let at = 8; at < content.length; ) {
    const next = at + 12 + content.readUInt32BE(at);
    const kind = content.toString("latin1", at + 4, at + 8);
    isAnimated ||= kind === "acTL";
    if (!animationChunks.has(kind)) kept.push(content.subarray(at, next));
    at = next;
  }
  return isAnimated ? Buffer.concat(kept) : undefined;
}
