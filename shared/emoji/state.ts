import { listEmoji } from "../store/emoji.ts";
import { wireEmojiMap } from "./wire.ts";

/** What a client that registers is told of the organization's emoji, the deactivated ones too. */
export const realmEmojiState = async () => ({ realm_emoji: wireEmojiMap(await listEmoji()) });
