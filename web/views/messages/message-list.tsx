import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { elementsShownOf } from "../../base/lib/long-html.ts";
import { dayKey, dayName } from "../../base/lib/time.ts";
import { notePlace, placeLeft } from "../../navigation/places.ts";
import { keptUnread, onScreen, openPicker, scrollRequest, selectedId } from "../../navigation/selection.ts";
import { Boundary } from "../../parts/boundary.tsx";
import { lazy } from "../../parts/lazy.tsx";
import { Empty } from "../../parts/parts.tsx";
import { fetchMessages } from "../../session/actions/fetch-messages.ts";
import { perSession } from "../../session/session.ts";
import { firstOnScreen, openNarrows, ownUserId, registrations, state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { outgoingIn } from "../../session/unsent/delivery.ts";
import {
  conversationKey,
  conversationOf,
  type Message,
  type MessageList as MessageListState,
} from "../../state/model.ts";
import { conversationIn, type Narrow, narrowKey } from "../../state/narrow.ts";
import { isSameRecipient } from "../../state/recipient.ts";
import { compose } from "../compose/compose-state.ts";
import { MessageRow, RecipientHeader } from "./message.tsx";
import { OutgoingRow } from "./outgoing-row.tsx";
import { useReadMarks } from "./read-marks.ts";
import {
  firstBelow,
  idsWithin,
  indexOfId,
  nextWindow,
  pixelsAhead,
  pixelsKept,
  type RowWindow,
  rowsInView,
  windowAround,
  windowAtEnd,
} from "./row-window.ts";
import { firstUnread, Pills, UnreadLine, useUnreadLine } from "./unread-marks.tsx";

/**
 * The messages of a narrow. Only a window of the history is in the DOM (`row-window.ts`): scrolling moves the window and
 * fetches missing messages, while the visible messages keep their position on the screen.
 */

const pageSize = 100;
const noIds: readonly number[] = [];

/** Where a linked message and the first unread one appear: the distance from the top of the list, in pixels. */
const nearTop = 120;
const firstUnreadTop = 80;
/** Closer to the end than this many pixels, the list follows the newest messages. */
const endDistance = 40;
/** Messages of one sender that are farther apart get a header each. */
const maxGroupSeconds = 600;

/** A message that keeps its position on the screen when others are added or removed. */
interface Anchor {
  id: number;
  /** The distance from the top of the list, in pixels. */
  top: number;
  row?: HTMLElement;
}

export function MessageList({
  narrow,
  near,
  onRefused,
}: {
  narrow: Narrow;
  near: number | undefined;
  /** Called when the server refuses the narrow. */
  onRefused: (failure: ApiFailure) => void;
}) {
  const key = narrowKey(narrow);
  const scroller = useRef<HTMLDivElement>(null);
  /** Undefined until the first messages are loaded. */
  const rowWindow = useSignal<RowWindow | undefined>(undefined);
  const problem = useSignal("");
  /** Whether the messages were fetched with which the list opens. */
  const isLoaded = useSignal(false);
  /** The linked message, if it is not in the narrow. */
  const missingId = useSignal<number | undefined>(undefined);
  const loading = useRef<Promise<unknown> | undefined>(undefined);
  /** "end" while the list follows the newest messages. */
  const scrollAnchor = useRef<Anchor | "end" | undefined>(undefined);
  /** The rows in the DOM, from top to bottom. */
  const renderedRows = useRef<HTMLElement[]>([]);
  const frameRequest = useRef(0);
  /** Whether the user has sent a message, which is then shown, rather than the first unread one. */
  const isGoingToEnd = useRef(false);
  /** Counts where the list was told to go: a fetch for a former destination, or for a view that was left, changes no place. */
  const destinations = useRef(0);
  /** The size for which the scroll position was restored last. */
  const restoredSize = useRef("");

  const list = useComputed(() => state.value?.lists.get(key)).value;
  const messages = useComputed(() => state.value?.messages).value;
  const sending = useComputed(() => outgoingIn(narrow)).value;
  const registration = registrations.value;
  const ids = list?.ids ?? noIds;

  const height = () => scroller.current?.clientHeight ?? innerHeight;
  const latestList = () => {
    const list = state.peek()?.lists.get(key);
    return list && { ...list, elementsOf };
  };

  const setScrollAnchor = (anchor: Anchor | "end") => {
    scrollAnchor.current = anchor;
    firstOnScreen.value = anchor === "end" ? undefined : anchor.id;
    noteListPlace();
  };

  /** Notes where the user is, for going back. */
  const noteListPlace = () => {
    const anchor = scrollAnchor.current;
    if (anchor === undefined) return;
    const list = anchor === "end" ? anchor : { id: anchor.id, top: anchor.top };
    notePlace({ list, selectedId: selectedId.peek() });
  };
  // At once: later, the next entry of the history may be shown, whose place this is not.
  useLayoutEffect(noteListPlace, [selectedId.value]);

  // At once: a fetch that ends before the next frame must not take the view for one that was left.
  useLayoutEffect(() => {
    openNarrows.value = [narrow];
    return () => {
      openNarrows.value = [];
    };
  }, [key]);

  useEffect(() => {
    keptUnread().clear();
    return () => {
      firstOnScreen.value = undefined;
      // Keys never act on a message of a view that was left.
      selectedId.value = undefined;
      openPicker.value = undefined;
      onScreen.value = undefined;
      scrollRequest.value = undefined;
    };
  }, [key]);

  /** Shows the newest message; if the server cannot be reached, the newest one that was fetched. */
  const goToEnd = async () => {
    // Also when a fetch that is under way ends.
    isGoingToEnd.current = true;
    const destination = ++destinations.current;
    setScrollAnchor("end");
    if (!latestList()?.foundNewest)
      await tryTo(() => fetchMessages(narrow, { anchor: "newest", before: pageSize, after: 0 }));
    if (destination !== destinations.current) return;
    const current = latestList();
    if (current) rowWindow.value = windowAtEnd(current, height());
    setScrollAnchor("end");
    restoreScroll();
  };

  /** Shows a message that is in the narrow, near the top of the screen. */
  const goToMessage = async (id: number) => {
    isGoingToEnd.current = false;
    const destination = ++destinations.current;
    if (!latestList()?.ids.includes(id))
      await tryTo(() => fetchMessages(narrow, { anchor: id, before: pageSize, after: pageSize }));
    if (destination !== destinations.current) return;
    const current = latestList();
    const target = current?.ids[indexOfId(current.ids, id)];
    if (!current || target === undefined) return;
    setScrollAnchor({ id: target, top: firstUnreadTop });
    rowWindow.value = windowAround(current, target, height());
    restoreScroll();
    scheduleFrame();
  };

  useLayoutEffect(() => () => void destinations.current++, [key, near]);

  const request = scrollRequest.value;
  useEffect(() => {
    if (request === undefined) return;
    scrollRequest.value = undefined;
    void (request === "end" ? goToEnd() : goToMessage(request));
  }, [request]);

  useLayoutEffect(() => {
    let isEnded = false;
    problem.value = "";
    missingId.value = undefined;
    isGoingToEnd.current = false;
    const left = placeLeft();
    const leftPlace = left && "list" in left ? left : undefined;
    // Where the user was when the view was left, or else the linked message.
    const linkedPlace = near === undefined ? undefined : { id: near, top: nearTop };
    const place = leftPlace ? leftPlace.list : linkedPlace;
    const start = place === "end" ? undefined : place;
    const wasSelected = leftPlace ? leftPlace.selectedId : near;
    const select = (ids: readonly number[]) => {
      if (wasSelected !== undefined && ids.includes(wasSelected)) selectedId.value = wasSelected;
    };
    setScrollAnchor(start ?? "end");
    const known = latestList();
    rowWindow.value = known && known.ids.length > 0 ? windowAtEnd(known, height()) : undefined;
    if (leftPlace && start && known?.ids.includes(start.id)) {
      rowWindow.value = windowAround(known, start.id, height());
      isLoaded.value = true;
      select(known.ids);
      return;
    }
    if (known?.foundNewest && !start && known.ids.length > 0 && firstUnread(known.ids, state.peek()) < 0) {
      isLoaded.value = true;
      select(known.ids);
      return;
    }
    const anchor = start?.id ?? ("first_unread" as const);
    loading.current = fetchMessages(narrow, { anchor, before: pageSize, after: pageSize })
      .then(() => {
        const current = latestList();
        if (isEnded || !current) return;
        isLoaded.value = true;
        // In place of a missing message, the next one.
        const nearestId = start && current.ids[indexOfId(current.ids, start.id)];
        missingId.value = start?.id !== near || nearestId === near ? undefined : near;
        const wanted = start ? nearestId : current.ids[firstUnread(current.ids, state.peek())];
        const target = isGoingToEnd.current ? undefined : wanted;
        setScrollAnchor(target === undefined ? "end" : { id: target, top: start?.top ?? firstUnreadTop });
        rowWindow.value =
          target === undefined ? windowAtEnd(current, height()) : windowAround(current, target, height());
        select(current.ids);
      })
      .catch((error: Error) => {
        if (isEnded) return;
        if (error instanceof ApiFailure && error.status === 400) onRefused(error);
        else problem.value = error.message;
      })
      .finally(() => {
        loading.current = undefined;
      });
    return () => {
      isEnded = true;
    };
  }, [key, near, registration]);

  // A move that may have added messages makes the state forget the list: fetches it again.
  useEffect(() => {
    if (list || !rowWindow.value || loading.current) return;
    const anchor = scrollAnchor.current;
    const isAtEnd = anchor === undefined || anchor === "end";
    loading.current = tryTo(() =>
      fetchMessages(narrow, {
        anchor: isAtEnd ? "newest" : anchor.id,
        before: pageSize,
        after: isAtEnd ? 0 : pageSize,
      }),
    ).finally(() => {
      loading.current = undefined;
      const current = latestList();
      if (current)
        rowWindow.value = isAtEnd ? windowAtEnd(current, height()) : windowAround(current, anchor.id, height());
    });
  }, [list]);

  const currentWindow = rowWindow.value;
  const shownIds = useMemo(() => (currentWindow ? idsWithin(ids, currentWindow) : noIds), [ids, currentWindow]);
  const atEnd = shownIds.at(-1) === ids.at(-1);
  const hasSelected = shownIds.includes(selectedId.value ?? -1);
  const atStart = shownIds[0] === ids[0];

  /** Restores the scroll anchor's position on the screen. */
  function restoreScroll() {
    const frame = scroller.current;
    const anchor = scrollAnchor.current;
    if (!frame || anchor === undefined) return;
    restoredSize.current = sizeOf(frame);
    if (anchor === "end") {
      frame.scrollTop = frame.scrollHeight;
      return;
    }
    if (!anchor.row?.isConnected) {
      const row = renderedRows.current.find(({ dataset }) => Number(dataset.messageId) === anchor.id);
      if (!row) return;
      anchor.row = row;
    }
    const shift = anchor.row.getBoundingClientRect().top - frame.getBoundingClientRect().top - anchor.top;
    if (Math.abs(shift) > 0.5) frame.scrollTop += shift;
  }

  // Pictures and formulas change their size after they were rendered, and the list shrinks when the compose box opens.
  useEffect(() => {
    const frame = scroller.current;
    if (!frame?.firstElementChild) return;
    const observer = new ResizeObserver(restoreScroll);
    observer.observe(frame);
    observer.observe(frame.firstElementChild);
    return () => observer.disconnect();
  }, [key]);

  /** Keeps the first visible row at its position from now on, or the list at its end. */
  const updateScrollAnchor = () => {
    const frame = scroller.current;
    if (!frame) return;
    const distance = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    if (distance < endDistance && atEnd && list?.foundNewest) {
      setScrollAnchor("end");
      return;
    }
    const { top } = frame.getBoundingClientRect();
    const row = renderedRows.current[firstBelow(renderedRows.current, top)];
    if (row) setScrollAnchor({ id: Number(row.dataset.messageId), top: row.getBoundingClientRect().top - top, row });
  };

  /** Fetches messages before or after an anchor, unless a fetch is under way. */
  const load = (anchor: number | undefined, older: boolean) => {
    if (loading.current || anchor === undefined) return;
    loading.current = tryTo(() =>
      fetchMessages(narrow, { anchor, before: older ? pageSize : 0, after: older ? 0 : pageSize }),
    ).finally(() => {
      loading.current = undefined;
    });
  };

  /** Moves the window by a few rows, and fetches messages when the end of the list is near. */
  const moveWindow = () => {
    const frame = scroller.current;
    const current = latestList();
    if (!frame || !current || current.ids.length === 0 || !rowWindow.value) return;
    // A fetch has replaced the list by another part of the history.
    if (shownIds.length === 0) rowWindow.value = windowAtEnd(current, height());
    if (shownIds.length === 0) return;
    const view = {
      height: frame.clientHeight,
      above: frame.scrollTop,
      below: frame.scrollHeight - frame.scrollTop - frame.clientHeight,
    };
    const { top, bottom } = frame.getBoundingClientRect();
    const kept = pixelsKept(view);
    const rows = renderedRows.current;
    const removable = {
      above: firstBelow(rows, top - kept),
      below: rows.length - Math.min(rows.length, firstBelow(rows, bottom + kept) + 1),
    };
    rowWindow.value = nextWindow(rowWindow.value, current, view, removable);
    const rowHeight = frame.scrollHeight / shownIds.length;
    const fetchDistance = 2 * pixelsAhead(view);
    const isNear = (rowCount: number, pixels: number) => rowCount * rowHeight + pixels < fetchDistance;
    const { ids: latestIds, foundOldest, foundNewest } = current;
    if (!foundOldest && isNear(indexOfId(latestIds, shownIds[0] as number), view.above)) load(latestIds[0], true);
    if (!foundNewest && isNear(latestIds.length - indexOfId(latestIds, shownIds.at(-1) as number), view.below))
      load(latestIds.at(-1), false);
  };

  const noteOnScreen = () => {
    const frame = scroller.current;
    const seen = frame ? rowsInView(frame, renderedRows.current).map((row) => Number(row.dataset.messageId)) : [];
    const [first, last] = [seen[0], seen.at(-1)];
    const before = onScreen.peek();
    if (first === before?.first && last === before?.last) return;
    onScreen.value = first === undefined || last === undefined ? undefined : { first, last };
  };

  /** Whether the user sees new messages when they come. */
  const isWatched = () =>
    scrollAnchor.current === "end" && document.hasFocus() && document.visibilityState === "visible";
  const lineAbove = useUnreadLine(ids, isLoaded.value, isWatched);

  const markVisibleAsRead = useReadMarks(narrow, scroller, renderedRows);

  /** The work of a frame. If it changes the window, the effect below schedules the next frame. */
  const frameWork = useRef(() => {});
  frameWork.current = () => {
    frameRequest.current = 0;
    moveWindow();
    noteOnScreen();
    markVisibleAsRead();
  };
  /** Schedules the work of a frame, at most once per frame. */
  const scheduleFrame = () => {
    frameRequest.current ||= requestAnimationFrame(() => frameWork.current());
  };
  useEffect(() => () => cancelAnimationFrame(frameRequest.current), []);

  useLayoutEffect(() => {
    const inner = scroller.current?.firstElementChild;
    renderedRows.current = ([...(inner?.children ?? [])] as HTMLElement[]).filter(({ dataset }) => dataset.messageId);
    restoreScroll();
  }, [shownIds, sending]);
  useEffect(scheduleFrame, [shownIds, messages]);

  const onScroll = () => {
    const frame = scroller.current;
    // The browser scrolls by itself when the size changes, for example of the compose box. That is not the user's wish.
    if (frame && scrollAnchor.current === "end" && sizeOf(frame) !== restoredSize.current) restoreScroll();
    else updateScrollAnchor();
    scheduleFrame();
  };

  const sentTo = compose.sentTo.value;
  useEffect(() => {
    const conversation = conversationIn(narrow);
    if (!sentTo || !conversation || !isSameRecipient(conversation, sentTo)) return;
    compose.sentTo.value = undefined;
    void goToEnd();
  }, [sentTo, key]);

  return (
    <>
      {missingId.value !== undefined && <MissingMessage id={missingId.value} />}
      {/* One Tab stop: the selected message, or else the list, whose arrow keys select one. */}
      <div class="messages" ref={scroller} onScroll={onScroll} tabIndex={hasSelected ? -1 : 0} id="messages">
        <div class="messages-inner" role="region" aria-label={t("Messages")} aria-busy={currentWindow === undefined}>
          {problem.value && (
            <p class="notice problem" role="alert">
              {problem.value}
            </p>
          )}
          {!currentWindow && !problem.value && <p class="notice">{t("Loading …")}</p>}
          {list?.foundOldest && atStart && ids.length > 0 && <p class="notice quiet">{t("This is the beginning.")}</p>}
          {currentWindow && list && ids.length === 0 && sending.length === 0 && <EmptyNarrow narrow={narrow} />}
          {messages && messageRows(shownIds, messages, narrow, lineAbove, list?.marked)}
          {atEnd && sending.map((message) => <OutgoingRow key={message.id} message={message} />)}
          {list && !list.foundNewest && atEnd && ids.length > 0 && (
            <p class="notice quiet">{t("Loading newer messages …")}</p>
          )}
        </div>
        {ids.length > 0 && (
          <Pills narrow={narrow} isAtEnd={atEnd && list?.foundNewest === true} onEnd={() => void goToEnd()} />
        )}
      </div>
    </>
  );
}

const knownElements = perSession(() => new WeakMap<Message, number>());

/** About how many elements are built of a message. */
function elementsOf(id: number): number {
  const message = state.peek()?.messages.get(id);
  if (!message) return 0;
  const known = knownElements().get(message);
  if (known !== undefined) return known;
  const { content, reactions, submessages } = message;
  const texts = submessages.reduce((sum, submessage) => sum + submessage.content.length, 0);
  const elements = elementsShownOf(content) + Math.min(3 * reactions.length, 400) + Math.min(texts, 600);
  knownElements().set(message, elements);
  return elements;
}

/** The height of the list and of what is in it. */
const sizeOf = ({ clientHeight, scrollHeight }: HTMLElement) => `${clientHeight} ${scrollHeight}`;

/** Messages with a header for each change of the conversation and of the day, and with the line above unread ones. */
function messageRows(
  ids: readonly number[],
  messages: ReadonlyMap<number, Message>,
  narrow: Narrow,
  lineAbove: number | undefined,
  marked: MessageListState["marked"],
) {
  const reader = ownUserId.value ?? 0;
  const inConversation = narrow.kind === "topic" || narrow.kind === "direct";
  const result = [];
  let previous: Message | undefined;
  let previousKey = "";
  for (const id of ids) {
    const message = messages.get(id);
    if (!message) continue;
    const conversation = conversationOf(message, reader);
    const key = conversationKey(conversation);
    const isNewDay = !previous || dayKey(previous.timestamp) !== dayKey(message.timestamp);
    const isNewConversation = key !== previousKey;
    if (isNewDay)
      result.push(
        <div class="day" key={`day-${id}`}>
          <span>{dayName(message.timestamp)}</span>
        </div>,
      );
    if (id === lineAbove) result.push(<UnreadLine key="unread-line" />);
    const found = marked?.get(id);
    if (isNewConversation && !inConversation)
      result.push(
        <Boundary key={`to-${id}`} what={`the destination of message ${id}`} fallback={() => null}>
          <RecipientHeader
            conversation={conversation}
            near={id}
            marked={found?.fromTopic === message.subject ? found.topic : undefined}
          />
        </Boundary>,
      );
    const continues =
      !isNewDay &&
      !isNewConversation &&
      id !== lineAbove &&
      previous?.sender_id === message.sender_id &&
      previous.via === message.via &&
      message.timestamp - (previous?.timestamp ?? 0) < maxGroupSeconds &&
      !message.is_me_message;
    result.push(
      <MessageRow
        key={id}
        message={message}
        continues={continues}
        // The marks of a message that was edited since are in another text.
        marked={found?.from === message.content ? found.content : undefined}
      />,
    );
    previous = message;
    previousKey = key;
  }
  return result;
}

const SearchHint = lazy(async () => (await import("../conversations/search-hint.tsx")).SearchHint);
const MissingMessage = lazy(async () => (await import("../conversations/missing-message.tsx")).MissingMessage);

/** What a view without messages says. */
function whatBelongsIn(narrow: Narrow): string {
  switch (narrow.kind) {
    case "search":
      return t("Nothing was found.");
    case "mentions":
      return t("Messages that mention you appear here.");
    case "starred":
      return t("Messages you star appear here, so you can find them again. Only you can see your stars.");
    case "directs":
      return t("Your direct messages appear here.");
    case "feed":
      return t("Messages in your channels and your direct messages appear here.");
    case "channel":
      return t("There are no messages here yet. Each conversation in a channel has its own topic.");
    default:
      return t("There are no messages here yet.");
  }
}

function EmptyNarrow({ narrow }: { narrow: Narrow }) {
  const conversation = conversationIn(narrow);
  return (
    <Empty>
      <p>{whatBelongsIn(narrow)}</p>
      {narrow.kind === "search" && <SearchHint terms={narrow.terms} />}
      {conversation && (
        <button type="button" class="primary" onClick={() => compose.open(conversation)}>
          {t("Write the first message")}
        </button>
      )}
    </Empty>
  );
}
