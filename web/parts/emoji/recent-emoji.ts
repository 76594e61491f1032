import { computed } from "@preact/signals";
import { popularEmoji } from "../../base/lib/emoji.ts";
import { asList, asMap, asText } from "../../base/lib/json.ts";
import { onSession, sessionSignal } from "../../session/session.ts";
import { realmEmoji } from "../../session/store.ts";
import { onOtherWindow, readRecord, writeRecord } from "../../session/unsent/storage.ts";
import { account } from "../../session/unsent/unsent-messages.ts";
import type { PickedEmoji } from "../../state/model.ts";

/** The emoji that the user has picked, the newest first. They are kept in this browser until the user signs out. */

const recordId = "recent-emoji";
const maxKept = 24;
/** How many emoji each message offers at one click. */
const quickCount = 3;

const kept = sessionSignal<readonly PickedEmoji[]>([]);

const keyOf = ({ reaction_type, emoji_code }: PickedEmoji) => `${reaction_type}:${emoji_code}`;

/** Those that still exist. */
export const recentEmoji = computed(() =>
  kept.value.filter(
    ({ reaction_type, emoji_code }) =>
      reaction_type !== "realm_emoji" || realmEmoji.value?.get(emoji_code)?.deactivated === false,
  ),
);

/** The emoji that each message offers: recent ones, and popular ones until there are enough. */
export const quickEmoji = computed(() => {
  const popular = popularEmoji.map(
    ({ name, code }): PickedEmoji => ({ emoji_name: name, emoji_code: code, reaction_type: "unicode_emoji" }),
  );
  const byKey = Map.groupBy([...recentEmoji.value, ...popular], keyOf);
  return [...byKey.values()].flatMap(([emoji]) => emoji ?? []).slice(0, quickCount);
});

/** Puts an emoji first, unless it is at one click already: buttons do not move for no gain. */
export function rememberEmoji(picked: PickedEmoji): void {
  const isPicked = (other: PickedEmoji) => keyOf(other) === keyOf(picked);
  if (kept.peek().slice(0, quickCount).some(isPicked)) return;
  kept.value = [picked, ...kept.peek().filter((other) => !isPicked(other))].slice(0, maxKept);
  const current = account.peek();
  if (current !== undefined) writeRecord(current, recordId, kept.peek());
}

/** Reads a record, which another version of this page may have written. */
function emojiIn(record: unknown): PickedEmoji[] {
  return asList(record).flatMap((entry) => {
    const members = asMap(entry);
    const [emoji_name, emoji_code] = [asText(members.get("emoji_name")), asText(members.get("emoji_code"))];
    const reaction_type = members.get("reaction_type");
    const isKnown = reaction_type === "unicode_emoji" || reaction_type === "realm_emoji";
    return isKnown && emoji_name && emoji_code ? [{ emoji_name, emoji_code, reaction_type }] : [];
  });
}

const load = () => {
  const current = account.value;
  kept.value = current === undefined ? [] : emojiIn(readRecord(current, recordId));
};
onSession((session) => {
  session.effect(load);
  onOtherWindow(
    () => account.peek(),
    (id) => {
      if (id === recordId) load();
    },
    session.end,
  );
});
