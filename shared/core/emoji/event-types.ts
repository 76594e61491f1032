import { literal, mapOf, strictObject, type Value } from "../../base/schema/params.ts";
import { emojiObject } from "./wire.ts";

/** All of the organization's emoji, by ID. */
export const realmEmojiEvent = strictObject({
  type: literal("realm_emoji"),
  op: literal("update"),
  realm_emoji: mapOf(emojiObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_emoji: Value<typeof realmEmojiEvent>;
  }
}
