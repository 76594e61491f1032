/** The kinds of pictures of users and the organization, and the sizes in which each is served. */

export const pictureKinds = ["avatar", "icon", "logo"] as const;
export type PictureKind = (typeof pictureKinds)[number];

export const pictureSizes = ["small", "medium"] as const;
export type PictureSize = (typeof pictureSizes)[number];

/** In pixels. */
export interface Box {
  width: number;
  height: number;
}

/** How a picture is fitted to a box: "fill" crops it to its center and enlarges it if necessary; "inside" only shrinks it. */
export type Fit = "fill" | "inside";

interface PictureForm {
  fit: Fit;
  boxes: Partial<Record<PictureSize, Box>>;
}

/** The same sizes as Zulip's. */
export const pictureForms: Record<PictureKind, PictureForm> = {
  avatar: { fit: "fill", boxes: { small: { width: 100, height: 100 }, medium: { width: 500, height: 500 } } },
  icon: { fit: "fill", boxes: { small: { width: 100, height: 100 } } },
  logo: { fit: "inside", boxes: { small: { width: 800, height: 100 } } },
};

/**
 * The maximum number of pixels, over all frames of an animation. It bounds the memory and time of decoding, on the server and
 * for everybody who sees the picture.
 */
export const maxPixels = 40_000_000;

export const maxFrames = 1000;
