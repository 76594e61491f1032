import type { LongReply } from "./long-replies.ts";

/**
 * `storeLongReply` of the endpoints whose replies must be complete although they grow with the organization. The code that
 * writes the file is loaded only when a reply is too long.
 */
export const storeLongReply = async (reply: LongReply): Promise<string> =>
  (await import("./long-replies.ts")).storeLongReply(reply);
