import { findFileSize, putFile } from "../../shared/services/blobs/bucket.ts";
import type { PictureKind } from "../../shared/services/pictures/kinds.ts";
import { addSizes } from "../../shared/services/pictures/sizes.ts";
import { pictureSizeKey } from "../../shared/services/pictures/urls.ts";

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
