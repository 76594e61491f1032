import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { fetchMessages, markRead, tryTo } from "../../actions.ts";
import { dayKey, dayName } from "../../lib/time.ts";
import { firstOnScreen, openNarrows, registrations, self, state } from "../../session.ts";
import { conversationKey, conversationOf, type Message, type State } from "../../state/model.ts";
import { conversationIn, type Narrow, narrowKey } from "../../state/narrow.ts";
import { compose } from "../compose/compose-state.ts";
import { MessageRow, OutgoingRow, RecipientHeader } from "./message.tsx";
import {
  aheadOf,
  idsWithin,
  indexOfId,
  keptAround,
  nextWindow,
  type RowWindow,
  windowAround,
  windowAtEnd,
} from "./row-window.ts";
import { selected } from "./selection.ts";

/**
 * The messages of a narrow. Only a window of the history is in the DOM (`row-window.ts`): scrolling moves the window and
 * fetches missing messages, while the visible messages keep their position on the screen.
 */

const pageSize = 100;
const none: readonly number[] = [];

/** A message and its position on the screen. */
interface Anchor {
  id: number;
  top: number;
  row?: HTMLElement;
}

export function MessageList({ narrow, near }: { narrow: Narrow; near: number | undefined }) {
  const key = narrowKey(narrow);
  const scroller = useRef<HTMLDivElement>(null);
  /** Undefined until it is known where to begin. */
  const shown = useSignal<RowWindow | undefined>(undefined);
  const problem = useSignal("");
  const loading = useRef<Promise<unknown> | undefined>(undefined);
  const held = useRef<Anchor | "end" | undefined>(undefined);
  /** The rows in the DOM, from top to bottom. */
  const rendered = useRef<HTMLElement[]>([]);
  const frameRequest = useRef(0);

  const list = useComputed(() => state.value?.lists.get(key)).value;
  const messages = useComputed(() => state.value?.messages).value;
  const outgoing = useComputed(() => state.value?.outgoing).value ?? [];
  const generation = registrations.value;
  const ids = list?.ids ?? none;

  const height = () => scroller.current?.clientHeight ?? innerHeight;
  const latest = () => state.peek()?.lists.get(key);

  const holdAt = (anchor: Anchor | "end") => {
    held.current = anchor;
    firstOnScreen.value = anchor === "end" ? undefined : anchor.id;
  };

  useEffect(() => {
    openNarrows.value = [narrow];
    return () => {
      openNarrows.value = [];
      firstOnScreen.value = undefined;
    };
  }, [key]);

  useLayoutEffect(() => {
    let ended = false;
    problem.value = "";
    holdAt(near === undefined ? "end" : { id: near, top: 120 });
    const known = latest();
    shown.value = known && known.ids.length > 0 ? windowAtEnd(known, height()) : undefined;
    if (known?.foundNewest && near === undefined && known.ids.length > 0 && firstUnread(known.ids, state.peek()) < 0)
      return;
    const anchor = near ?? ("first_unread" as const);
    loading.current = fetchMessages(narrow, { anchor, before: pageSize, after: pageSize })
      .then(() => {
        const current = latest();
        if (ended || !current) return;
        const target = near ?? current.ids[firstUnread(current.ids, state.peek())];
        holdAt(target === undefined ? "end" : { id: target, top: near === undefined ? 80 : 120 });
        shown.value = target === undefined ? windowAtEnd(current, height()) : windowAround(current, target, height());
        if (near !== undefined) selected.value = near;
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

  const window = shown.value;
  const shownIds = useMemo(() => (window ? idsWithin(ids, window) : none), [ids, window]);
  const atEnd = shownIds.at(-1) === ids.at(-1);
  const atStart = shownIds[0] === ids[0];

  /** Restores the scroll anchor's position on the screen. */
  function restoreScroll() {
    const frame = scroller.current;
    const anchor = held.current;
    if (!frame || anchor === undefined) return;
    if (anchor === "end") {
      frame.scrollTop = frame.scrollHeight;
      return;
    }
    if (!anchor.row?.isConnected) {
      const row = rendered.current.find(({ dataset }) => Number(dataset.messageId) === anchor.id);
      if (!row) return;
      anchor.row = row;
    }
    const shift = anchor.row.getBoundingClientRect().top - frame.getBoundingClientRect().top - anchor.top;
    if (Math.abs(shift) > 0.5) frame.scrollTop += shift;
  }

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
      holdAt("end");
      return;
    }
    const { top } = frame.getBoundingClientRect();
    const row = rendered.current[firstBelow(rendered.current, top)];
    if (row) holdAt({ id: Number(row.dataset.messageId), top: row.getBoundingClientRect().top - top, row });
  };

  const load = (anchor: number | undefined, older: boolean) => {
    if (loading.current || anchor === undefined) return;
    loading.current = tryTo(() =>
      fetchMessages(narrow, { anchor, before: older ? pageSize : 0, after: older ? 0 : pageSize }),
    ).finally(() => {
      loading.current = undefined;
    });
  };

  /** Moves the window by a few rows, and fetches what it is about to reach. */
  const advance = () => {
    const frame = scroller.current;
    const current = latest();
    if (!frame || !current || current.ids.length === 0 || !shown.value) return;
    // Another part of the history has taken the place of this one.
    if (shownIds.length === 0) shown.value = windowAtEnd(current, height());
    if (shownIds.length === 0) return;
    const view = {
      height: frame.clientHeight,
      above: frame.scrollTop,
      below: frame.scrollHeight - frame.scrollTop - frame.clientHeight,
    };
    const { top, bottom } = frame.getBoundingClientRect();
    const kept = keptAround(view);
    const rows = rendered.current;
    const spare = {
      above: firstBelow(rows, top - kept),
      below: rows.length - Math.min(rows.length, firstBelow(rows, bottom + kept) + 1),
    };
    shown.value = nextWindow(shown.value, current, view, spare);
    const rowHeight = frame.scrollHeight / shownIds.length;
    const reach = 2 * aheadOf(view);
    const left = (count: number, pixels: number) => count * rowHeight + pixels < reach;
    const { ids: latestIds, foundOldest, foundNewest } = current;
    if (!foundOldest && left(indexOfId(latestIds, shownIds[0] as number), view.above)) load(latestIds[0], true);
    if (!foundNewest && left(latestIds.length - indexOfId(latestIds, shownIds.at(-1) as number), view.below))
      load(latestIds.at(-1), false);
  };

  const noteSeen = useReadMarks(scroller, rendered);

  /** At most one step per frame; each step that changes something plans the next. */
  const planned = useRef(() => {});
  planned.current = () => {
    frameRequest.current = 0;
    advance();
    noteSeen();
  };
  const plan = () => {
    frameRequest.current ||= requestAnimationFrame(() => planned.current());
  };
  useEffect(() => () => cancelAnimationFrame(frameRequest.current), []);

  useLayoutEffect(() => {
    const inner = scroller.current?.firstElementChild;
    rendered.current = ([...(inner?.children ?? [])] as HTMLElement[]).filter(({ dataset }) => dataset.messageId);
    restoreScroll();
  }, [shownIds, outgoing.length]);
  useEffect(plan, [shownIds, messages]);

  const onScroll = () => {
    hold();
    plan();
  };

  const conversation = conversationIn(narrow);
  const sending = conversation
    ? outgoing.filter((one) => conversationKey(one.conversation) === conversationKey(conversation))
    : outgoing;

  return (
    <div class="messages" ref={scroller} onScroll={onScroll} tabIndex={-1} id="messages">
      <div class="messages-inner" role="region" aria-label="Messages" aria-busy={window === undefined}>
        {problem.value && (
          <p class="notice problem" role="alert">
            {problem.value}
          </p>
        )}
        {!window && !problem.value && <p class="notice">Loading …</p>}
        {list?.foundOldest && atStart && ids.length > 0 && <p class="notice quiet">This is the beginning.</p>}
        {window && list && ids.length === 0 && sending.length === 0 && <Empty narrow={narrow} />}
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
              holdAt("end");
              const current = latest();
              if (current) shown.value = windowAtEnd(current, height());
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

/** The index of the first row that ends below a place on the screen. */
function firstBelow(rows: readonly HTMLElement[], y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as HTMLElement).getBoundingClientRect().bottom < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a function that marks the visible messages as read, unless the user keeps them unread or looks elsewhere. */
function useReadMarks(scroller: { current: HTMLDivElement | null }, rendered: { current: readonly HTMLElement[] }) {
  const keptUnread = useRef(new Set<number>());
  const noteSeen = () => {
    const frame = scroller.current;
    if (!frame || document.visibilityState !== "visible" || !document.hasFocus()) return;
    const { top, bottom, height } = frame.getBoundingClientRect();
    const seen: number[] = [];
    for (let at = firstBelow(rendered.current, top); at < rendered.current.length; at++) {
      const row = rendered.current[at] as HTMLElement;
      const box = row.getBoundingClientRect();
      if (box.top >= bottom) break;
      // A glimpse of a message is not enough; of one that is longer than the screen it is.
      const visible = Math.min(box.bottom, bottom) - Math.max(box.top, top);
      if (visible < 0.3 * Math.min(box.height, height)) continue;
      const id = Number(row.dataset.messageId);
      if (!keptUnread.current.has(id) && state.peek()?.messages.get(id)?.flags.includes("read") === false)
        seen.push(id);
    }
    if (seen.length > 0) markRead(seen);
  };
  useEffect(() => {
    const onKept = (event: Event) => {
      for (const id of (event as CustomEvent<number[]>).detail) keptUnread.current.add(id);
    };
    addEventListener("skein-kept-unread", onKept);
    addEventListener("focus", noteSeen);
    document.addEventListener("visibilitychange", noteSeen);
    return () => {
      removeEventListener("skein-kept-unread", onKept);
      removeEventListener("focus", noteSeen);
      document.removeEventListener("visibilitychange", noteSeen);
    };
  }, []);
  return noteSeen;
}
