import { expect, test } from "vitest";
import type { ServerEvent } from "../../web/state/events/handler.ts";
import { applyAction, applyEvents } from "../../web/state/events/reducer.ts";
import type { Message, MessageList, State } from "../../web/state/model.ts";
import { maxKeptMessages, maxListLength } from "../../web/state/model.ts";
import {
  idsWithin,
  indexOfId,
  nextWindow,
  pixelsAhead,
  pixelsKept,
  type RowWindow,
  windowAround,
  windowAtEnd,
} from "../../web/views/messages/row-window.ts";

/** Scrolling through 100,000 messages: the DOM and the memory stay bounded, and no message is skipped. */

const messageCount = 100_000;
const pageSize = 100;
const height = 800;
const rowHeight = 26;
const maxRowsInDom = 200;
const maxRowsAddedPerFrame = 24;
const narrow = { kind: "feed" } as const;

const allIds = Array.from({ length: messageCount }, (_, index) => 10 + index * 2);
const messageOf = (id: number) => ({ id }) as Message;

/** The server's reply for the messages from an index on. */
const runOf = (start: number, end: number): MessageList => ({
  ids: allIds.slice(Math.max(0, start), end),
  foundOldest: start <= 0,
  foundNewest: end >= messageCount,
});

const withFetched = (state: State, list: MessageList): State =>
  applyAction(state, { kind: "fetched", narrow, list, messages: list.ids.map(messageOf) });

const listOf = (state: State) => state.lists.get("feed") as MessageList;
const empty = { messages: new Map(), lists: new Map() } as unknown as State;

/** A simulated screen with rows of equal height, and its scrolling. */
class Screen {
  state: State;
  window: RowWindow;
  /** The index in `allIds` of the message at the top of the screen. */
  top: number;
  maxRows = 0;
  maxAdded = 0;
  fetches = 0;

  constructor(state: State, top: number) {
    this.state = state;
    this.top = top;
    this.window = windowAround(listOf(state), allIds[top] as number, height);
  }

  rows() {
    return idsWithin(listOf(this.state).ids, this.window);
  }

  frame(rowsDown: number) {
    const last = messageCount - Math.ceil(height / rowHeight);
    const before = this.rows();
    const [lowest, highest] = [indexOf(before[0]), indexOf(before.at(-1))];
    this.top = Math.min(
      Math.max(lowest, this.top + rowsDown),
      Math.min(last, highest - Math.floor(height / rowHeight) + 1),
    );
    const above = (this.top - lowest) * rowHeight;
    const below = (highest - this.top + 1) * rowHeight - height;
    const removableRows = (pixels: number) => Math.max(0, Math.floor((pixels - pixelsKept({ height })) / rowHeight));
    const view = { height, above, below };
    this.window = nextWindow(this.window, listOf(this.state), view, {
      above: removableRows(above),
      below: removableRows(below),
    });
    const after = this.rows();
    const known = new Set(before);
    this.maxAdded = Math.max(this.maxAdded, after.filter((id) => !known.has(id)).length);
    this.maxRows = Math.max(this.maxRows, after.length);
    const { ids, foundOldest, foundNewest } = listOf(this.state);
    const fetchDistance = 2 * pixelsAhead({ height });
    const isNear = (rows: number, pixels: number) => rows * rowHeight + pixels < fetchDistance;
    const [first, end] = [indexOf(ids[0]), indexOf(ids.at(-1)) + 1];
    if (!foundOldest && isNear(indexOfId(ids, after[0] as number), above))
      this.fetch(runOf(first - pageSize, first + 1));
    if (!foundNewest && isNear(ids.length - indexOfId(ids, after.at(-1) as number), below))
      this.fetch(runOf(end - 1, end + pageSize));
  }

  fetch(list: MessageList) {
    // A page fetched in one direction says nothing about the other end.
    const known = listOf(this.state);
    const isOlder = (list.ids[0] as number) < (known.ids[0] as number);
    this.fetches++;
    this.state = withFetched(this.state, {
      ids: list.ids,
      foundOldest: isOlder && list.foundOldest,
      foundNewest: !isOlder && list.foundNewest,
    });
  }
}

const indexOf = (id: number | undefined) => indexOfId(allIds, id ?? 0);

test("scrolling down and up again keeps the rows and the messages in memory bounded", () => {
  const screen = new Screen(withFetched(empty, runOf(0, pageSize)), 0);
  const seen = new Set<number>();
  let maxMessages = 0;
  let maxIds = 0;
  const checkScreen = () => {
    const rows = screen.rows();
    const onScreen = rows.slice(indexOfId(rows, allIds[screen.top] as number)).slice(0, Math.ceil(height / rowHeight));
    expect(onScreen).toEqual(allIds.slice(screen.top, screen.top + onScreen.length));
    for (const id of onScreen) seen.add(id);
  };
  for (const rowsDown of [12, -12]) {
    checkScreen();
    for (let frame = 0; frame < messageCount / 10; frame++) {
      screen.frame(rowsDown);
      checkScreen();
      maxMessages = Math.max(maxMessages, screen.state.messages.size);
      maxIds = Math.max(maxIds, listOf(screen.state).ids.length);
    }
    expect(seen.size).toBe(messageCount);
    seen.clear();
  }
  expect(screen.maxRows).toBeLessThan(maxRowsInDom);
  expect(screen.maxAdded).toBeLessThanOrEqual(maxRowsAddedPerFrame);
  expect(maxIds).toBeLessThanOrEqual(maxListLength);
  expect(maxMessages).toBeLessThanOrEqual(maxKeptMessages + pageSize);
  expect(screen.top).toBe(0);
});

test("a list that becomes too long loses the messages farthest from the fetched ones", () => {
  let state = withFetched(empty, runOf(50_000, 50_000 + maxListLength));
  state = withFetched(state, runOf(50_000 - pageSize, 50_001));
  expect(listOf(state).ids).toEqual(allIds.slice(50_000 - pageSize, 50_000 - pageSize + maxListLength));
  expect(listOf(state).foundNewest).toBe(false);

  state = withFetched(state, runOf(50_000 + maxListLength - pageSize - 1, 50_000 + maxListLength));
  expect(listOf(state).ids).toEqual(allIds.slice(50_000, 50_000 + maxListLength));
  expect(listOf(state).foundOldest).toBe(false);
});

/** A user's state without anything but messages. Channel 1 is open. */
const live = {
  userId: 7,
  lastEventId: 0,
  unread: { byConversation: new Map(), mentions: new Set() },
  outgoing: [],
  recentDirect: new Map(),
  typing: new Map(),
  messages: new Map(),
  lists: new Map(),
} as unknown as State;
const open = { kind: "channel", channelId: 1 } as const;
const openList = (state: State) => state.lists.get("channel:1") as MessageList;

/** The state after the messages of a range of indexes have arrived one by one. */
const withArrived = (state: State, start: number, end: number, firstOnScreen?: number, channelId = 1): State =>
  applyEvents(
    state,
    allIds.slice(start, end).map(
      (id, index) =>
        ({
          id: index,
          type: "message",
          flags: ["read"],
          message: { id, type: "stream", stream_id: channelId, subject: "warp", sender_id: 8 },
        }) as ServerEvent,
    ),
    [open],
    0,
    firstOnScreen,
  );
/** The state when the messages of a range of indexes are the whole of the open list. */
const withOpenList = (start: number, end: number): State => {
  const list = { ...runOf(start, end), foundOldest: true, foundNewest: true };
  return applyAction(live, { kind: "fetched", narrow: open, list, messages: list.ids.map(messageOf) });
};

test.each([
  ["the newest messages are on the screen", undefined],
  ["the screen shows others that are not among the oldest", 1000],
])("messages that arrive push the oldest out of a list that is full when %s", (_, topIndex) => {
  const firstOnScreen = topIndex === undefined ? undefined : allIds[topIndex];
  const full = withOpenList(0, maxListLength);

  const after = openList(withArrived(full, maxListLength, maxListLength + 300, firstOnScreen));

  expect(openList(full)).toMatchObject({ foundOldest: true, foundNewest: true });
  expect(after).toEqual({ ids: allIds.slice(300, maxListLength + 300), foundOldest: false, foundNewest: true });
});

test("a reader who scrolled far up keeps the same rows while messages arrive, and gets those when scrolling down", () => {
  const top = allIds[300] as number;
  let state = withOpenList(0, maxListLength);
  const window = windowAround(openList(state), top, height);
  const rows = idsWithin(openList(state).ids, window);

  for (let start = maxListLength; start < 2 * maxListLength; start += 500) {
    state = withArrived(state, start, start + 500, top);
    expect(idsWithin(openList(state).ids, window)).toEqual(rows);
  }
  const { ids, foundNewest } = openList(state);
  const [first, end] = [indexOf(ids[0]), indexOf(ids.at(-1)) + 1];
  expect(ids).toEqual(allIds.slice(first, first + maxListLength));
  expect(foundNewest).toBe(false);

  const list = { ...runOf(end - 1, end + pageSize), foundOldest: false };
  state = applyAction(state, { kind: "fetched", narrow: open, list, messages: list.ids.map(messageOf) });
  expect(openList(state).ids).toEqual(allIds.slice(end + pageSize - maxListLength, end + pageSize));
});

test("while messages arrive in any channel, memory stays bounded and keeps the messages of open lists", () => {
  let state = withOpenList(0, 50);
  for (const id of allIds.slice(50, maxKeptMessages - 50))
    (state.messages as Map<number, Message>).set(id, messageOf(id));

  for (let start = maxKeptMessages - 50; start < maxKeptMessages + 250; start += 50) {
    state = withArrived(state, start, start + 50, undefined, 2);
    expect(state.messages.size).toBeLessThanOrEqual(maxKeptMessages);
    expect(state.messages.has(allIds[start + 49] as number)).toBe(true);
  }
  expect(openList(state).ids.filter((id) => !state.messages.has(id))).toEqual([]);
  expect(openList(state).ids).toHaveLength(50);
});

test("an unchanged window stays the same object", () => {
  const list = runOf(0, 1000);
  const view = { height, above: 5000, below: 5000 };
  const window = windowAround(list, allIds[500] as number, height);

  expect(nextWindow(window, list, view, { above: 0, below: 0 })).toBe(window);
});

test("a window at the end of the history shows new messages, and one before it does not", () => {
  const list = runOf(messageCount - 1000, messageCount);
  const arrived = [...list.ids, (list.ids.at(-1) as number) + 1];

  expect(idsWithin(arrived, windowAtEnd(list, height)).at(-1)).toBe(arrived.at(-1));
  expect(idsWithin(arrived, windowAround(list, list.ids[100] as number, height))).not.toContain(arrived.at(-1));
});

test("what arrived during a fetch is in its list, and what was read since stays read", () => {
  const message = { id: 12, type: "stream", stream_id: 1, subject: "warp", sender_id: 8 };
  const meanwhile = [{ id: 1, type: "message", flags: [], message }] as unknown as ServerEvent[];
  const arrived = applyEvents(live, meanwhile, [open], 0);
  const read = { ...arrived, unread: live.unread };

  const list = { ids: [10], foundOldest: true, foundNewest: true };
  const messages = [messageOf(10)];
  const state = applyAction(read, { kind: "fetched", narrow: open, list, messages, meanwhile, open: [open] });

  expect(arrived.unread).not.toEqual(live.unread);
  expect(openList(state).ids).toEqual([10, 12]);
  expect(state.unread).toEqual(live.unread);
});
