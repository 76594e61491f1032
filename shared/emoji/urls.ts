import { realmId } from "../limits.ts";

/** Where a client finds an organization emoji's picture, relative to the server. */
export const emojiUrl = (path: string): string => `/user_avatars/${realmId}/emoji/images/${path}`;

/** The key of a picture's content in the bucket. */
export const emojiFile = (path: string): string => `emoji/${realmId}/${path}`;
