import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { onScreen, scrollRequest } from "../../navigation/selection.ts";
import { Icon } from "../../parts/parts.tsx";
import { state, unread } from "../../session/store.ts";
import type { State } from "../../state/model.ts";
import type { Narrow } from "../../state/narrow.ts";
import { type Place, unreadIdsIn } from "../../state/unread.ts";
import { indexOfId } from "./row-window.ts";

/** Where unread messages begin in a list, and how many are outside the screen. */

const placeOf = (narrow: Narrow): Place | undefined =>
  narrow.kind === "topic" || narrow.kind === "direct" || narrow.kind === "channel" ? narrow : undefined;

/** The index of the first unread message; -1 if all are read. */
export function firstUnread(ids: readonly number[], current: State | undefined): number {
  return ids.findIndex((id) => current?.messages.get(id)?.flags.includes("read") === false);
}

/**
 * The message above which the line is that says where unread messages begin. It stays while they are read. It moves to the next
 * message that comes while nobody looks, once all are read, and to messages that the user marks as unread. `isWatched` says whether
 * the user looks at the end of the list, and `isLoaded` whether the first messages are there.
 */
export function useUnreadLine(ids: readonly number[], isLoaded: boolean, isWatched: () => boolean): number | undefined {
  const line = useSignal<number | undefined>(undefined);
  const former = useRef<{ firstUnread: number | undefined; newest: number } | undefined>(undefined);
  const messages = useComputed(() => state.value?.messages).value;
  useLayoutEffect(() => {
    if (!isLoaded) return;
    const before = former.current;
    const id = ids[firstUnread(ids, state.peek())];
    former.current = { firstUnread: id, newest: ids.at(-1) ?? 0 };
    if (id === undefined || id === before?.firstUnread) return;
    const isMarked = id <= (before?.newest ?? 0);
    if (!before || (before.firstUnread === undefined ? isMarked || !isWatched() : id < before.firstUnread))
      line.value = id;
  }, [ids, messages, isLoaded]);
  return line.value;
}

export const UnreadLine = () => (
  <div class="unread-line" role="separator" aria-label={t("Unread messages begin here")}>
    <span aria-hidden="true">{t("New")}</span>
  </div>
);

const countText = (count: number) => t("{count} new", { count: count > 999 ? "999+" : count });

/** Buttons that go to unread messages above and below the screen, and to the end of the list. */
export function Pills({ narrow, isAtEnd, onEnd }: { narrow: Narrow; isAtEnd: boolean; onEnd: () => void }) {
  const place = placeOf(narrow);
  const ids: ReadonlySignal<readonly number[]> = useComputed(() =>
    place && unread.value ? unreadIdsIn(unread.value, place) : [],
  );
  const visible = onScreen.value;
  const unreadIds = ids.value;
  const above = visible ? indexOfId(unreadIds, visible.first) : 0;
  const belowStart = visible ? indexOfId(unreadIds, visible.last + 1) : 0;
  const below = visible ? unreadIds.length - belowStart : 0;
  const goTo = (id: number | undefined) => {
    scrollRequest.value = id;
  };
  return (
    <div class="pills">
      {above > 0 && (
        <button type="button" class="pill up" onClick={() => goTo(unreadIds[0])}>
          <Icon name="down" size={14} /> {countText(above)}
          <span class="unseen"> {t("above")}</span>
        </button>
      )}
      {below > 0 && (
        <button type="button" class="pill" onClick={() => goTo(unreadIds[belowStart])}>
          <Icon name="down" size={14} /> {countText(below)}
          <span class="unseen"> {t("below")}</span>
        </button>
      )}
      {!isAtEnd && (
        <button type="button" class="pill" onClick={onEnd}>
          {t("Go to the newest")}
        </button>
      )}
    </div>
  );
}
