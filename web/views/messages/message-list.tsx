import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { fetchMessages, markRead, tryTo } from "../../actions.ts";
import { dayKey, dayName } from "../../lib/time.ts";
import { openNarrows, registrations, self, state } from "../../session.ts";
import { conversationKey, conversationOf, type Message, type State } from "../../state/model.ts";
import { conversationIn, type Narrow, narrowKey } from "../../state/narrow.ts";
import { compose } from "../compose/compose-state.ts";
import { MessageRow, OutgoingRow, RecipientHeader } from "./message.tsx";
import { selected } from "./selection.ts";

/**
 * The messages of a narrow. Only a window of the history is in the DOM: scrolling moves the window and fetches missing
 * messages, while the visible messages keep their position on the screen.
 */

/** The size of the window, and the number of messages by which it moves. */
const maxShown = 240;
const step = 80;
const pageSize = 100;

export function MessageList({ narrow, near }: { narrow: Narrow; near: number | undefined }) {
  const key = narrowKey(narrow);
  const scroller = useRef<HTMLDivElement>(null);
  /** The index of the window's first message; undefined if the window is at the end of the list. */
  const first = useSignal<number | undefined>(undefined);
  const problem = useSignal("");
  const loading = useRef<Promise<unknown> | undefined>(undefined);
  /** The scroll anchor: a message and its position on the screen. */
  const held = useRef<{ id: number; top: number } | "end" | undefined>(undefined);

  const list = useComputed(() => state.value?.lists.get(key)).value;
  const messages = useComputed(() => state.value?.messages).value;
  const outgoing = useComputed(() => state.value?.outgoing).value ?? [];
  const generation = registrations.value;
  const ids = list?.ids ?? [];

  useEffect(() => {
    openNarrows.value = [narrow];
    return () => {
      openNarrows.value = [];
    };
  }, [key]);

  useEffect(() => {
    let ended = false;
    first.value = undefined;
    problem.value = "";
    held.current = near === undefined ? undefined : { id: near, top: 120 };
    const known = state.peek()?.lists.get(key);
    if (known?.foundNewest && near === undefined && known.ids.length > 0 && firstUnread(known.ids, state.peek()) < 0) {
      held.current = "end";
      restoreScroll();
      return;
    }
    const anchor = near ?? ("first_unread" as const);
    loading.current = fetchMessages(narrow, { anchor, before: pageSize, after: pageSize })
      .then((found) => {
        if (ended) return;
        const now = state.value?.lists.get(key);
        const at = now ? firstUnread(now.ids, state.value) : -1;
        const target = near ?? (at < 0 ? undefined : now?.ids[at]);
        held.current = target === undefined ? "end" : { id: target, top: near === undefined ? 80 : 120 };
        const position = now && target !== undefined ? now.ids.indexOf(target) : -1;
        first.value = position < 0 ? undefined : Math.max(0, position - maxShown / 2);
        if (found !== undefined && near !== undefined) selected.value = near;
        restoreScroll();
      })
      .catch((error: Error) => {
        problem.value = error.message;
      })
      .finally(() => {
        loading.current = undefined;
      });
    return () => {
      ended = true;
    };
  }, [key, near, generation]);

  const start = Math.max(0, Math.min(first.value ?? ids.length - maxShown, Math.max(0, ids.length - step)));
  const shownIds = useMemo(() => ids.slice(start, start + maxShown), [ids, start]);
  const atEnd = start + maxShown >= ids.length;

  /** Restores the scroll anchor's position on the screen. */
  function restoreScroll() {
    const frame = scroller.current;
    if (!frame || held.current === undefined) return;
    if (held.current === "end") {
      frame.scrollTop = frame.scrollHeight;
      return;
    }
    const row = frame.querySelector<HTMLElement>(`[data-message-id="${held.current.id}"]`);
    if (row) frame.scrollTop += row.getBoundingClientRect().top - frame.getBoundingClientRect().top - held.current.top;
  }

  useLayoutEffect(restoreScroll, [shownIds, outgoing.length]);

  // Pictures and formulas change their size after they were rendered, and the frame shrinks when the compose box opens.
  useEffect(() => {
    const frame = scroller.current;
    if (!frame?.firstElementChild) return;
    const watch = new ResizeObserver(restoreScroll);
    watch.observe(frame);
    watch.observe(frame.firstElementChild);
    return () => watch.disconnect();
  }, [key]);

  const hold = () => {
    const frame = scroller.current;
    if (!frame) return;
    const distance = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    if (distance < 40 && atEnd && list?.foundNewest) {
      held.current = "end";
      return;
    }
    const top = frame.getBoundingClientRect().top;
    for (const row of frame.querySelectorAll<HTMLElement>("[data-message-id]")) {
      const box = row.getBoundingClientRect();
      if (box.bottom < top) continue;
      held.current = { id: Number(row.dataset.messageId), top: box.top - top };
      return;
    }
  };

  const load = (anchor: number, older: boolean) => {
    if (loading.current) return;
    loading.current = tryTo(() =>
      fetchMessages(narrow, { anchor, before: older ? pageSize : 0, after: older ? 0 : pageSize }),
    ).finally(() => {
      loading.current = undefined;
    });
  };

  const onScroll = () => {
    const frame = scroller.current;
    if (!frame || !list) return;
    hold();
    const above = frame.scrollTop;
    const below = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    if (above < 800) {
      if (start > 0) first.value = Math.max(0, start - step);
      else if (!list.foundOldest && ids[0] !== undefined) load(ids[0], true);
    }
    if (below < 800) {
      if (!atEnd) first.value = start + step;
      else if (!list.foundNewest && ids.at(-1) !== undefined) load(ids.at(-1) as number, false);
      else first.value = undefined;
    }
    // Messages fetched above shift everything below.
  };

  // Fetching older messages shifts indexes: keep the window at the same first message.
  const firstShown = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const before = firstShown.current;
    if (before !== undefined && first.value !== undefined && shownIds[0] !== before) {
      const at = ids.indexOf(before);
      if (at >= 0 && at !== start && at - start >= pageSize / 2) first.value = Math.max(0, at - step);
    }
    firstShown.current = shownIds[0];
  }, [ids]);

  useReadMarks(scroller, shownIds, messages);

  const conversation = conversationIn(narrow);
  const sending = conversation
    ? outgoing.filter((one) => conversationKey(one.conversation) === conversationKey(conversation))
    : outgoing;

  return (
    <div class="messages" ref={scroller} onScroll={onScroll} tabIndex={-1} id="messages">
      <div class="messages-inner" role="region" aria-label="Messages" aria-busy={list === undefined}>
        {problem.value && (
          <p class="notice problem" role="alert">
            {problem.value}
          </p>
        )}
        {!list && !problem.value && <p class="notice">Loading …</p>}
        {list?.foundOldest && start === 0 && ids.length > 0 && <p class="notice quiet">This is the beginning.</p>}
        {list && ids.length === 0 && sending.length === 0 && <Empty narrow={narrow} />}
        {messages && rows(shownIds, messages, narrow)}
        {atEnd && sending.map((one) => <OutgoingRow key={one.localId} outgoing={one} />)}
        {list && !list.foundNewest && atEnd && ids.length > 0 && <p class="notice quiet">Loading newer messages …</p>}
      </div>
      {(!atEnd || (list && !list.foundNewest)) && ids.length > 0 && (
        <button
          type="button"
          class="to-end"
          onClick={() => {
            void tryTo(async () => {
              if (!list?.foundNewest) await fetchMessages(narrow, { anchor: "newest", before: pageSize, after: 0 });
              held.current = "end";
              first.value = undefined;
              restoreScroll();
            });
          }}
        >
          Go to the newest
        </button>
      )}
    </div>
  );
}

function firstUnread(ids: readonly number[], current: State | undefined): number {
  return ids.findIndex((id) => current?.messages.get(id)?.flags.includes("read") === false);
}

/** Messages with a header for each change of the conversation and of the day. */
function rows(ids: readonly number[], messages: ReadonlyMap<number, Message>, narrow: Narrow) {
  const reader = self.value ?? 0;
  const inConversation = narrow.kind === "topic" || narrow.kind === "direct";
  const result = [];
  let before: Message | undefined;
  let beforeKey = "";
  for (const id of ids) {
    const message = messages.get(id);
    if (!message) continue;
    const conversation = conversationOf(message, reader);
    const key = conversationKey(conversation);
    const newDay = !before || dayKey(before.timestamp) !== dayKey(message.timestamp);
    const newConversation = key !== beforeKey;
    if (newDay)
      result.push(
        <div class="day" key={`day-${id}`}>
          <span>{dayName(message.timestamp)}</span>
        </div>,
      );
    if (newConversation && !inConversation)
      result.push(<RecipientHeader key={`to-${id}`} conversation={conversation} near={id} />);
    const continues =
      !newDay &&
      !newConversation &&
      before?.sender_id === message.sender_id &&
      message.timestamp - (before?.timestamp ?? 0) < 600 &&
      !message.is_me_message;
    result.push(<MessageRow key={id} message={message} continues={continues} />);
    before = message;
    beforeKey = key;
  }
  return result;
}

function Empty({ narrow }: { narrow: Narrow }) {
  const conversation = conversationIn(narrow);
  return (
    <div class="notice">
      <p>{narrow.kind === "search" ? "Nothing was found." : "There are no messages here yet."}</p>
      {conversation && (
        <button type="button" class="primary" onClick={() => compose.open(conversation)}>
          Write the first one
        </button>
      )}
    </div>
  );
}

/** Marks visible messages as read, unless the user keeps them unread or the window is not focused. */
function useReadMarks(
  scroller: { current: HTMLDivElement | null },
  ids: readonly number[],
  messages: ReadonlyMap<number, Message> | undefined,
) {
  const seen = useRef<IntersectionObserver | undefined>(undefined);
  const keptUnread = useRef(new Set<number>());
  useEffect(() => {
    const onKept = (event: Event) => {
      for (const id of (event as CustomEvent<number[]>).detail) keptUnread.current.add(id);
    };
    addEventListener("skein-kept-unread", onKept);
    return () => removeEventListener("skein-kept-unread", onKept);
  }, []);
  useEffect(() => {
    const root = scroller.current;
    if (!root || !messages) return;
    const visible = new Set<number>();
    const flush = () => {
      if (document.visibilityState !== "visible" || !document.hasFocus()) return;
      const unseen = [...visible].filter(
        (id) => !keptUnread.current.has(id) && state.value?.messages.get(id)?.flags.includes("read") === false,
      );
      if (unseen.length > 0) markRead(unseen);
    };
    seen.current = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const id = Number((target as HTMLElement).dataset.messageId);
          if (isIntersecting) visible.add(id);
          else visible.delete(id);
        }
        flush();
      },
      { root, threshold: 0.3, rootMargin: "0px" },
    );
    for (const row of root.querySelectorAll('[data-unread="true"]')) seen.current.observe(row);
    addEventListener("focus", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      seen.current?.disconnect();
      removeEventListener("focus", flush);
      document.removeEventListener("visibilitychange", flush);
    };
  }, [ids, messages]);
}
