/** A picture's size in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** The size in a picture's header; undefined for an unsupported format or a truncated picture. */
export function sizeOfImage(contentType: string, content: Uint8Array): ImageSize | undefined {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  try {
    const size = readers[contentType]?.(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers: Record<string, (view: DataView) => ImageSize | undefined> = {
  "image/png": (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/webp": webpSize,
  "image/jpeg": jpegSize,
};

function webpSize(view: DataView): ImageSize | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === "VP8X") return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (kind === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Takes the Exif orientation into account, by which browsers rotate a photograph. */
function jpegSize(view: DataView): ImageSize | undefined {
  let isRotated = false;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    // APP1, the segment with Exif data.
    if (marker === 0xe1) isRotated = hasRotation(view, at + 4, length - 2);
    // A frame header (SOF) of any encoding; c4, c8 and cc are other segments.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return isRotated ? { width: height, height: width } : { width, height };
    }
    at += 2 + length;
  }
}

/** The letters "Exif", with which the segment begins. */
const exifMagic = 0x45786966;
const orientationTag = 0x0112;

/** Whether a segment's Exif data has an orientation that swaps width and height (5 to 8). */
function hasRotation(view: DataView, start: number, length: number): boolean {
  if (length < 14 || view.getUint32(start) !== exifMagic) return false;
  const tiff = start + 6;
  const isLittleEndian = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, isLittleEndian);
  const entries = Math.min(view.getUint16(directory, isLittleEndian), 100);
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + 12 * index;
    if (view.getUint16(entry, isLittleEndian) === orientationTag) return view.getUint16(entry + 8, isLittleEndian) >= 5;
  }
  return false;
}
