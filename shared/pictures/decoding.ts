import type Vips from "wasm-vips";
import type { Box, Fit } from "./kinds.ts";

/** Pictures made smaller: the only file that decodes what strangers have sent, in a sandbox of WebAssembly. */

type Library = Awaited<ReturnType<typeof Vips>>;

let library: Promise<Library> | undefined;

/** Loaded on first use: 90 KB of program and 5 MB of WebAssembly. Only PNG, JPEG, GIF and WebP can be opened. */
const load = () =>
  (library ??= (async () => {
    const { default: start } = await import("wasm-vips");
    // What it has to say of a picture is said by its exception, too.
    const quiet = (module: { ENV: Record<string, string> }) => {
      module.ENV.VIPS_WARNING = "0";
    };
    const vips = await start({ dynamicLibraries: [], preRun: quiet });
    vips.concurrency(1);
    vips.Cache.max(0);
    vips.operationBlock("VipsForeignLoad", true);
    for (const kind of ["Jpeg", "Png", "Nsgif", "Webp"]) vips.operationBlock(`VipsForeignLoad${kind}`, false);
    return vips;
  })());

export interface Scaled {
  still: Uint8Array;
  /** Of a picture that moves. */
  moving?: Uint8Array;
}

/**
 * A picture as WebP of at most `width` by `height` pixels, turned as it is to be shown and without its metadata. Nothing
 * for what cannot be decoded, or has more than `maxPixels` (with all frames: then it stands still): what it says of its
 * size is looked at before anything else.
 */
export async function scaledDown(
  content: Uint8Array,
  { width, height, maxPixels }: Box & { maxPixels: number },
): Promise<Scaled | undefined> {
  const vips = await load();
  const reduced = (options: Record<string, string>): Uint8Array => {
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
    const still = reduced({});
    return frames > 1 && pixels * frames <= maxPixels
      ? { still, moving: reduced({ option_string: "n=-1" }) }
      : { still };
  });
}

/**
 * A picture as a PNG for each of the boxes, standing still, turned as it is to be shown and without its metadata; nothing
 * for what cannot be decoded or has more than `maxPixels`.
 */
export async function fitted(
  content: Uint8Array,
  { boxes, fit, maxPixels }: { boxes: readonly Box[]; fit: Fit; maxPixels: number },
): Promise<Uint8Array[] | undefined> {
  const vips = await load();
  const manner = fit === "fill" ? ({ crop: "centre" } as const) : ({ size: "down" } as const);
  return unlessBroken(() => {
    if (sizeOf(vips, content).pixels > maxPixels) return undefined;
    return boxes.map(({ width, height }) => {
      const image = vips.Image.thumbnailBuffer(content, width, { height, fail_on: "error", ...manner });
      try {
        return image.pngsaveBuffer({ keep: "none" });
      } finally {
        image.delete();
      }
    });
  });
}

/** The library's own errors are about the picture; anything else is about us. */
function unlessBroken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (/^vips::Error/.test(String((error as { message?: unknown }).message))) return undefined;
    throw error;
  }
}

/** As the picture's header says: no pixel is decoded. */
function sizeOf(vips: Library, content: Uint8Array): { pixels: number; frames: number } {
  const image = vips.Image.newFromBuffer(content);
  try {
    const frames = image.getTypeof("n-pages") === 0 ? 1 : image.getInt("n-pages");
    return { pixels: image.width * image.height, frames };
  } finally {
    image.delete();
  }
}
