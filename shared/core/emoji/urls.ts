import { realmId } from "../../base/limits.ts";

export const emojiUrl = (path: string): string => `/user_avatars/${realmId}/emoji/images/${path}`;

/** The S3 key of a custom emoji's image. */
export const emojiFile = (path: string): string => `emoji/${realmId}/${path}`;
