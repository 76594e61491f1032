import { findFileSize, putFile } from "../../services/blobs/bucket.ts";
import type { PictureKind } from "../../services/pictures/kinds.ts";
import { addSizes } from "../../services/pictures/sizes.ts";
import { pictureSizeKey } from "../../services/pictures/urls.ts";

/** Where an import stores files and pictures. */
export interface StoredFiles {
  /** Whether anything is stored. */
  stores: boolean;
  put(key: string, content: Uint8Array, contentType: string): Promise<void>;
  /** Whether a picture has the sizes in which it is served. */
  hasSizes(pictureName: string): Promise<boolean>;
  addSizes(pictureName: string, kind: PictureKind): Promise<void>;
}

export const storedFiles: StoredFiles = {
  stores: true,
  put: putFile,
  hasSizes: async (name) => (await findFileSize(pictureSizeKey(name, "small"))) !== undefined,
  addSizes,
};

/** Stores nothing. */
export const noFiles: StoredFiles = {
  stores: false,
  put: async () => {},
  hasSizes: async () => true,
  addSizes: async () => {},
};
