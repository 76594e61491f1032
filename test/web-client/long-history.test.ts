import { expect, test } from "vitest";
import type { Message, MessageList, State } from "../../web/state/model.ts";
import { maxKeptMessages, maxListed } from "../../web/state/model.ts";
import { applyAction, applyEvents } from "../../web/state/reducer.ts";
import {
  aheadOf,
  idsWithin,
  indexOfId,
  keptAround,
  nextWindow,
  type RowWindow,
  windowAround,
  windowAtEnd,
} from "../../web/views/messages/row-window.ts";

/** Scrolling through 100,000 messages: the DOM and the memory stay bounded, and no message is skipped. */

const count = 100_000;
const pageSize = 100;
const height = 800;
const rowHeight = 26;
const narrow = { kind: "feed" } as const;

const everything = Array.from({ length: count }, (_, at) => 10 + at * 2);
const messageOf = (id: number) => ({ id }) as Message;

/** The server's reply for the messages from an index on. */
const run = (start: number, end: number): MessageList => ({
  ids: everything.slice(Math.max(0, start), end),
  foundOldest: start <= 0,
  foundNewest: end >= count,
});

const fetched = (state: State, list: MessageList): State =>
  applyAction(state, { kind: "fetched", narrow, list, messages: list.ids.map(messageOf) });

const listOf = (state: State) => state.lists.get("feed") as MessageList;
const empty = { messages: new Map(), lists: new Map() } as unknown as State;

/** A simulated screen with rows of equal height, and its scrolling. */
class Screen {
  state: State;
  window: RowWindow;
  /** The index in `everything` of the message at the top of the screen. */
  top: number;
  maxRows = 0;
  maxAdded = 0;
  fetches = 0;

  constructor(state: State, top: number) {
    this.state = state;
    this.top = top;
    this.window = windowAround(listOf(state), everything[top] as number, height);
  }

  rows() {
    return idsWithin(listOf(this.state).ids, this.window);
  }

  frame(rowsDown: number) {
    const last = count - Math.ceil(height / rowHeight);
    const before = this.rows();
    const [lowest, highest] = [indexOf(before[0]), indexOf(before.at(-1))];
    this.top = Math.min(
      Math.max(lowest, this.top + rowsDown),
      Math.min(last, highest - Math.floor(height / rowHeight) + 1),
    );
    const above = (this.top - lowest) * rowHeight;
    const below = (highest - this.top + 1) * rowHeight - height;
    const spareOf = (pixels: number) => Math.max(0, Math.floor((pixels - keptAround({ height })) / rowHeight));
    const view = { height, above, below };
    this.window = nextWindow(this.window, listOf(this.state), view, { above: spareOf(above), below: spareOf(below) });
    const after = this.rows();
    const known = new Set(before);
    this.maxAdded = Math.max(this.maxAdded, after.filter((id) => !known.has(id)).length);
    this.maxRows = Math.max(this.maxRows, after.length);
    const { ids, foundOldest, foundNewest } = listOf(this.state);
    const reach = 2 * aheadOf({ height });
    const left = (rows: number, pixels: number) => rows * rowHeight + pixels < reach;
    const [first, end] = [indexOf(ids[0]), indexOf(ids.at(-1)) + 1];
    if (!foundOldest && left(indexOfId(ids, after[0] as number), above)) this.fetch(run(first - pageSize, first + 1));
    if (!foundNewest && left(ids.length - indexOfId(ids, after.at(-1) as number), below))
      this.fetch(run(end - 1, end + pageSize));
  }

  fetch(list: MessageList) {
    // A page fetched in one direction says nothing about the other end.
    const known = listOf(this.state);
    const isOlder = (list.ids[0] as number) < (known.ids[0] as number);
    this.fetches++;
    this.state = fetched(this.state, {
      ids: list.ids,
      foundOldest: isOlder && list.foundOldest,
      foundNewest: !isOlder && list.foundNewest,
    });
  }
}

const indexOf = (id: number | undefined) => indexOfId(everything, id ?? 0);

test("scrolling down and up again keeps the rows and the messages in memory bounded", () => {
  const screen = new Screen(fetched(empty, run(0, pageSize)), 0);
  const seen = new Set<number>();
  let maxMessages = 0;
  let maxIds = 0;
  const note = () => {
    const rows = screen.rows();
    const onScreen = rows
      .slice(indexOfId(rows, everything[screen.top] as number))
      .slice(0, Math.ceil(height / rowHeight));
    expect(onScreen).toEqual(everything.slice(screen.top, screen.top + onScreen.length));
    for (const id of onScreen) seen.add(id);
  };
  for (const rowsDown of [12, -12]) {
    note();
    for (let frame = 0; frame < count / 10; frame++) {
      screen.frame(rowsDown);
      note();
      maxMessages = Math.max(maxMessages, screen.state.messages.size);
      maxIds = Math.max(maxIds, listOf(screen.state).ids.length);
    }
    expect(seen.size).toBe(count);
    seen.clear();
  }
  expect(screen.maxRows).toBeLessThan(200);
  expect(screen.maxAdded).toBeLessThanOrEqual(24);
  expect(maxIds).toBeLessThanOrEqual(maxListed);
  expect(maxMessages).toBeLessThanOrEqual(maxKeptMessages + pageSize);
  expect(screen.top).toBe(0);
});

test("a list that becomes too long loses what is farthest from the new messages", () => {
  let state = fetched(empty, run(50_000, 50_000 + maxListed));
  state = fetched(state, run(50_000 - pageSize, 50_001));
  expect(listOf(state).ids).toEqual(everything.slice(50_000 - pageSize, 50_000 - pageSize + maxListed));
  expect(listOf(state).foundNewest).toBe(false);

  state = fetched(state, run(50_000 + maxListed - pageSize - 1, 50_000 + maxListed));
  expect(listOf(state).ids).toEqual(everything.slice(50_000, 50_000 + maxListed));
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
const arrived = (state: State, start: number, end: number, firstOnScreen?: number, channelId = 1): State =>
  applyEvents(
    state,
    everything.slice(start, end).map((id, at) => ({
      id: at,
      type: "message",
      flags: ["read"],
      message: { id, type: "stream", stream_id: channelId, subject: "warp", sender_id: 8 },
    })),
    [open],
    0,
    firstOnScreen,
  );
/** The state when the messages of a range of indexes are the whole of the open list. */
const opened = (start: number, end: number): State => {
  const list = { ...run(start, end), foundOldest: true, foundNewest: true };
  return applyAction(live, { kind: "fetched", narrow: open, list, messages: list.ids.map(messageOf) });
};

test.each([
  ["the newest messages are on the screen", undefined],
  ["the screen shows others that are not among the oldest", 1000],
])("messages that arrive push the oldest out of a list that is full when %s", (_, at) => {
  const firstOnScreen = at === undefined ? undefined : everything[at];
  const full = opened(0, maxListed);

  const after = openList(arrived(full, maxListed, maxListed + 300, firstOnScreen));

  expect(openList(full)).toMatchObject({ foundOldest: true, foundNewest: true });
  expect(after).toEqual({ ids: everything.slice(300, maxListed + 300), foundOldest: false, foundNewest: true });
});

test("a reader who scrolled far up keeps the same rows however many messages arrive, and finds those farther down", () => {
  const top = everything[300] as number;
  let state = opened(0, maxListed);
  const window = windowAround(openList(state), top, height);
  const rows = idsWithin(openList(state).ids, window);

  for (let start = maxListed; start < 2 * maxListed; start += 500) {
    state = arrived(state, start, start + 500, top);
    expect(idsWithin(openList(state).ids, window)).toEqual(rows);
  }
  const { ids, foundNewest } = openList(state);
  const [first, end] = [indexOf(ids[0]), indexOf(ids.at(-1)) + 1];
  expect(ids).toEqual(everything.slice(first, first + maxListed));
  expect(foundNewest).toBe(false);

  const list = { ...run(end - 1, end + pageSize), foundOldest: false };
  state = applyAction(state, { kind: "fetched", narrow: open, list, messages: list.ids.map(messageOf) });
  expect(openList(state).ids).toEqual(everything.slice(end + pageSize - maxListed, end + pageSize));
});

test("messages that arrive anywhere keep the messages in memory bounded, and those of open lists there", () => {
  let state = opened(0, 50);
  for (const id of everything.slice(50, maxKeptMessages - 50))
    (state.messages as Map<number, Message>).set(id, messageOf(id));

  for (let start = maxKeptMessages - 50; start < maxKeptMessages + 250; start += 50) {
    state = arrived(state, start, start + 50, undefined, 2);
    expect(state.messages.size).toBeLessThanOrEqual(maxKeptMessages);
    expect(state.messages.has(everything[start + 49] as number)).toBe(true);
  }
  expect(openList(state).ids.filter((id) => !state.messages.has(id))).toEqual([]);
  expect(openList(state).ids).toHaveLength(50);
});

test("a window that is at rest stays the same object", () => {
  const list = run(0, 1000);
  const view = { height, above: 5000, below: 5000 };
  const window = windowAround(list, everything[500] as number, height);

  expect(nextWindow(window, list, view, { above: 0, below: 0 })).toBe(window);
});

test("a window at the end of the history shows new messages, and one before it does not", () => {
  const list = run(count - 1000, count);
  const arrived = [...list.ids, (list.ids.at(-1) as number) + 1];

  expect(idsWithin(arrived, windowAtEnd(list, height)).at(-1)).toBe(arrived.at(-1));
  expect(idsWithin(arrived, windowAround(list, list.ids[100] as number, height))).not.toContain(arrived.at(-1));
});
