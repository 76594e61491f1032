/** What pictures stand for, and the sizes in which each kind is served. */

export const pictureKinds = ["avatar", "icon", "logo"] as const;
export type PictureKind = (typeof pictureKinds)[number];

export const pictureSizes = ["small", "medium"] as const;
export type PictureSize = (typeof pictureSizes)[number];

/** In pixels. */
export interface Box {
  width: number;
  height: number;
}

/** How a picture is made fit a box: its middle fills the box, enlarged if need be, or the whole of it finds room there. */
export type Fit = "fill" | "inside";

interface PictureForm {
  fit: Fit;
  boxes: Partial<Record<PictureSize, Box>>;
}

/** As in the reference. */
export const pictureForms: Record<PictureKind, PictureForm> = {
  avatar: { fit: "fill", boxes: { small: { width: 100, height: 100 }, medium: { width: 500, height: 500 } } },
  icon: { fit: "fill", boxes: { small: { width: 100, height: 100 } } },
  logo: { fit: "inside", boxes: { small: { width: 800, height: 100 } } },
};

/** Pixels that a picture may have, by what it says of itself: what decoding it may take. */
export const maxPixels = 40_000_000;
