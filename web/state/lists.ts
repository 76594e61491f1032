import { type MessageList, maxKeptMessages, maxListed, type State } from "./model.ts";
import { type Narrow, narrowKey } from "./narrow.ts";

/** What lists of messages hold, and how long they and the messages in memory may become. */

/** Merges a fetched run into a list that it overlaps or adjoins; otherwise replaces the list. */
export function merged(list: MessageList | undefined, run: MessageList): MessageList {
  const [first, last] = [run.ids[0], run.ids.at(-1)];
  if (!list || list.ids.length === 0) {
    return list ? { ...run, foundOldest: run.foundOldest || list.foundOldest, foundNewest: run.foundNewest } : run;
  }
  if (first === undefined || last === undefined)
    return {
      ids: list.ids,
      foundOldest: list.foundOldest || run.foundOldest,
      foundNewest: list.foundNewest || run.foundNewest,
    };
  const [listFirst, listLast] = [list.ids[0] as number, list.ids.at(-1) as number];
  if (first > listLast || last < listFirst) return run;
  const ids = [...new Set([...list.ids, ...run.ids])].sort((a, b) => a - b);
  return {
    ids,
    foundOldest: first <= listFirst ? run.foundOldest || (first === listFirst && list.foundOldest) : list.foundOldest,
    foundNewest: last >= listLast ? run.foundNewest || (last === listLast && list.foundNewest) : list.foundNewest,
  };
}

/** Drops the messages of a list that is too long which are farthest from the run that was just fetched. */
export function shortened(list: MessageList, run: MessageList): MessageList {
  const { ids } = list;
  if (ids.length <= maxListed) return list;
  const first = ids.indexOf(run.ids[0] as number);
  const isOlderHalf = first < ids.length / 2;
  return isOlderHalf
    ? { ...list, ids: ids.slice(0, maxListed), foundNewest: false }
    : { ...list, ids: ids.slice(-maxListed), foundOldest: false };
}

/** How many messages above the screen stay in its list: more than are in the DOM, whose removal would move the others. */
const rowsAbove = 200;

/**
 * Appends a new message to a list that reaches the newest one. A list that becomes too long loses its oldest messages, but
 * its newest if the oldest are on or near the screen: scrolling down fetches those again.
 */
export function appended(list: MessageList, id: number, firstOnScreen = Number.POSITIVE_INFINITY): MessageList {
  const ids = [...list.ids, id].sort((a, b) => a - b);
  if (ids.length <= maxListed) return { ...list, ids };
  const newest = ids.slice(-maxListed);
  return firstOnScreen < (newest[rowsAbove] as number)
    ? { ...list, ids: ids.slice(0, maxListed), foundNewest: false }
    : { ...list, ids: newest, foundOldest: false };
}

/**
 * Once there are more than `maxKeptMessages`, drops the lists of closed narrows, and then messages without a list but for
 * the newest, which overviews show.
 */
export function trimmed(state: State, open: readonly Narrow[]): State {
  if (state.messages.size <= maxKeptMessages) return state;
  const keys = new Set(open.map(narrowKey));
  const lists = new Map([...state.lists].filter(([key]) => keys.has(key)));
  const newest = [...state.messages.keys()].sort((a, b) => a - b).slice(-maxListed);
  const kept = new Set([...newest, ...[...lists.values()].flatMap(({ ids }) => ids)]);
  return { ...state, lists, messages: new Map([...state.messages].filter(([id]) => kept.has(id))) };
}
