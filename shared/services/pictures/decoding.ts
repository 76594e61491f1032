import type Vips from "wasm-vips";
import type { Box, Fit } from "./kinds.ts";

/** Decodes and scales pictures. Only this module decodes untrusted pictures, in WebAssembly as a sandbox. */

type Library = Awaited<ReturnType<typeof Vips>>;

let library: Promise<Library> | undefined;

/** Loads libvips on first use: 90 KB of JavaScript and 5 MB of WebAssembly. Allows only PNG, JPEG, GIF and WebP. */
const load = () =>
  (library ??= (async () => {
    const { default: start } = await import("wasm-vips");
    // Disables warnings on stderr: exceptions contain the same information.
    const silence = (module: { ENV: Record<string, string> }) => {
      module.ENV.VIPS_WARNING = "0";
    };
    const vips = await start({ dynamicLibraries: [], preRun: silence });
    vips.concurrency(1);
    vips.Cache.max(0);
    vips.operationBlock("VipsForeignLoad", true);
    for (const kind of ["Jpeg", "Png", "Nsgif", "Webp"]) vips.operationBlock(`VipsForeignLoad${kind}`, false);
    return vips;
  })());

/** libvips' option to load all frames of an animation instead of the first. */
const allFrames = "n=-1";

interface Scaled {
  still: Uint8Array;
  /** Only of an animated picture. */
  moving?: Uint8Array;
}

/**
 * A picture as WebP of at most `width` by `height` pixels, rotated by its Exif orientation and without metadata. Undefined if
 * it cannot be decoded or has more than `maxPixels`, which is checked before decoding. There is no animation if all frames
 * together have more than `maxPixels`.
 */
export async function scaleDown(
  content: Uint8Array,
  { width, height, maxPixels }: Box & { maxPixels: number },
): Promise<Scaled | undefined> {
  const vips = await load();
  const render = (options: Record<string, string>): Uint8Array => {
    const image = vips.Image.thumbnailBuffer(content, width, { height, size: "down", fail_on: "error", ...options });
    try {
      return image.webpsaveBuffer({ Q: 80, keep: "none" });
    } finally {
      image.delete();
    }
  };
  return unlessBroken(() => {
    const { pixels, frames } = sizeOf(vips, content);
    if (pixels > maxPixels) return undefined;
    const still = render({});
    return frames > 1 && pixels * frames <= maxPixels
      ? { still, moving: render({ option_string: allFrames }) }
      : { still };
  });
}

/**
 * A still PNG of a picture for each of the boxes, rotated by its Exif orientation and without metadata. Undefined if the
 * picture cannot be decoded or has more than `maxPixels`.
 */
export async function fitToBoxes(
  content: Uint8Array,
  { boxes, fit, maxPixels }: { boxes: readonly Box[]; fit: Fit; maxPixels: number },
): Promise<Uint8Array[] | undefined> {
  const vips = await load();
  const fitOptions = fit === "fill" ? ({ crop: "centre" } as const) : ({ size: "down" } as const);
  return unlessBroken(() => {
    if (sizeOf(vips, content).pixels > maxPixels) return undefined;
    return boxes.map(({ width, height }) => {
      const image = vips.Image.thumbnailBuffer(content, width, { height, fail_on: "error", ...fitOptions });
      try {
        return image.pngsaveBuffer({ keep: "none" });
      } finally {
        image.delete();
      }
    });
  });
}

/**
 * A picture that fits the box, with all its frames and in the same format, without metadata. Undefined if it cannot be decoded,
 * or has more than `maxPixels` in all frames. Of an animated PNG, which libvips does not know, only the default picture remains.
 */
export async function shrinkToBox(
  content: Uint8Array,
  { width, height, extension, maxPixels }: Box & { extension: string; maxPixels: number },
): Promise<Uint8Array | undefined> {
  const vips = await load();
  return unlessBroken(() => {
    const { pixels, frames } = sizeOf(vips, content);
    if (pixels * frames > maxPixels) return undefined;
    const options = frames > 1 ? { option_string: allFrames } : {};
    const image = vips.Image.thumbnailBuffer(content, width, { height, size: "down", fail_on: "error", ...options });
    try {
      // libvips' default effort for GIF takes ten times as long.
      return image.writeToBuffer(`.${extension}`, { keep: "none", ...(extension === "gif" && { effort: 1 }) });
    } finally {
      image.delete();
    }
  });
}

/** Returns undefined for errors of the library, which mean that the picture is broken. Rethrows others, which are bugs. */
function unlessBroken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (/^vips::Error/.test(String((error as { message?: unknown }).message))) return undefined;
    throw error;
  }
}

/** The size in the picture's header, without decoding any pixels. */
function sizeOf(vips: Library, content: Uint8Array): { pixels: number; frames: number } {
  const image = vips.Image.newFromBuffer(content);
  try {
    const frames = image.getTypeof("n-pages") === 0 ? 1 : image.getInt("n-pages");
    return { pixels: image.width * image.height, frames };
  } finally {
    image.delete();
  }
}
