import { realmId } from "../settings.ts";

/** Where a picture of a person or of the organization is found: open to all, under a name that nobody can guess. */
export const pictureAddress = (name: string, size: "small" | "medium" = "small") =>
  `/user_avatars/${realmId}/${name}${size === "medium" ? "-medium" : ""}.png`;

/** The name in the last part of a picture's address; undefined when it is none. */
export const nameOfPicture = (part: string): string | undefined => /^([0-9a-f]{40})(?:-medium)?\.png$/.exec(part)?.[1];

/** The key of an upload's preview in the bucket. */
export const previewFile = (name: string) => `previews/${name}`;

/** The key of a picture in the bucket. */
export const pictureFile = (name: string) => `avatars/${name}`;
