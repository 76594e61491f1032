import { literal, mapOf, strictObject, type Value } from "../schema/params.ts";
import { emojiObject } from "./wire.ts";

/** All of the organization's emoji, by ID. */
export const realmEmojiEvent = strictObject({
  type: literal("realm_emoji"),
  op: literal("update"),
  realm_emoji: mapOf(emojiObject),
});
export type RealmEmojiEvent = Value<typeof realmEmojiEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    realmEmoji: RealmEmojiEvent;
  }
  interface ClientEvents {
    realmEmoji: RealmEmojiEvent;
  }
}
