import { gifBlocks, pngChunks } from "../../services/pictures/frames.ts";

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

/** The GIF up to the end of its first frame; undefined when there is no second. */
function stillOfGif(content: Buffer): Buffer | undefined {
  let firstEnd: number | undefined;
  for (const { frame, end } of gifBlocks(content)) {
    if (!frame) continue;
    if (firstEnd !== undefined) return Buffer.concat([content.subarray(0, firstEnd), Buffer.from([0x3b])]);
    firstEnd = end;
  }
  return undefined;
}

const animationChunks = new Set(["acTL", "fcTL", "fdAT"]);

/** The PNG without its animation, which leaves its default picture; undefined when it has none. */
function stillOfPng(content: Buffer): Buffer | undefined {
  const chunks = [...pngChunks(content)];
  if (!chunks.some(({ kind }) => kind === "acTL")) return undefined;
  const kept = chunks.filter(({ kind }) => !animationChunks.has(kind));
  return Buffer.concat([content.subarray(0, 8), ...kept.map(({ at, end }) => content.subarray(at, end))]);
}
