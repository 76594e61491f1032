import { literal, mapOf, strictObject } from "../../base/schema/params.ts";
import { emojiObject } from "./wire.ts";

/** All of the organization's emoji, by ID. */
export const realmEmojiEvent = strictObject({
  type: literal("realm_emoji"),
  op: literal("update"),
  realm_emoji: mapOf(emojiObject),
});
