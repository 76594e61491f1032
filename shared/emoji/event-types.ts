import { literal, mapOf, strictObject, type Value } from "../schema/params.ts";
import { emojiObject } from "./wire.ts";

/** All of the organization's emoji, by ID. */
export const realmEmojiEvent = strictObject({
  type: literal("realm_emoji"),
  op: literal("update"),
  realm_emoji: mapOf(emojiObject),
});

declare module "../schema/event-types.ts" {
  interface UnchangedEvents {
    realmEmoji: Value<typeof realmEmojiEvent>;
  }
}
