import { type MessageList, maxKeptMessages, maxListLength, type State } from "./model.ts";
import { type Narrow, narrowKey } from "./narrow.ts";

/** Updates of message lists, and the limits on their length and on the messages in memory. */

/** Merges a fetched run into a list that it overlaps or adjoins; otherwise replaces the list. */
export function mergeRun(list: MessageList | undefined, run: MessageList): MessageList {
  const [runFirst, runLast] = [run.ids[0], run.ids.at(-1)];
  if (!list || list.ids.length === 0) {
    return list ? { ...run, foundOldest: run.foundOldest || list.foundOldest, foundNewest: run.foundNewest } : run;
  }
  if (runFirst === undefined || runLast === undefined)
    return {
      ids: list.ids,
      foundOldest: list.foundOldest || run.foundOldest,
      foundNewest: list.foundNewest || run.foundNewest,
    };
  const [listFirst, listLast] = [list.ids[0] as number, list.ids.at(-1) as number];
  if (runFirst > listLast || runLast < listFirst) return run;
  const ids = [...new Set([...list.ids, ...run.ids])].sort((a, b) => a - b);
  return {
    ids,
    foundOldest:
      runFirst <= listFirst ? run.foundOldest || (runFirst === listFirst && list.foundOldest) : list.foundOldest,
    foundNewest: runLast >= listLast ? run.foundNewest || (runLast === listLast && list.foundNewest) : list.foundNewest,
  };
}

/** Shortens a list that is too long, by the messages farthest from the run that was just fetched. */
export function shortenList(list: MessageList, run: MessageList): MessageList {
  const { ids } = list;
  if (ids.length <= maxListLength) return list;
  const runIndex = ids.indexOf(run.ids[0] as number);
  const isRunInOlderHalf = runIndex < ids.length / 2;
  return isRunInOlderHalf
    ? { ...list, ids: ids.slice(0, maxListLength), foundNewest: false }
    : { ...list, ids: ids.slice(-maxListLength), foundOldest: false };
}

/**
 * How many messages above the screen stay in its list: more than are in the DOM, because the removal of a row from the DOM
 * would move the visible ones.
 */
const minKeptAbove = 200;

/**
 * Appends a new message to a list that reaches the newest one. A list that becomes too long loses its oldest messages, but
 * its newest if the oldest are on or near the screen: scrolling down fetches those again.
 */
export function appendToList(list: MessageList, id: number, firstOnScreen = Number.POSITIVE_INFINITY): MessageList {
  const ids = [...list.ids, id].sort((a, b) => a - b);
  if (ids.length <= maxListLength) return { ...list, ids };
  const newest = ids.slice(-maxListLength);
  return firstOnScreen < (newest[minKeptAbove] as number)
    ? { ...list, ids: ids.slice(0, maxListLength), foundNewest: false }
    : { ...list, ids: newest, foundOldest: false };
}

/**
 * Once there are more than `maxKeptMessages`, drops the lists of closed narrows, and then the messages that are in no list,
 * except the newest ones, which overviews show.
 */
export function trimMessages(state: State, open: readonly Narrow[]): State {
  if (state.messages.size <= maxKeptMessages) return state;
  const openKeys = new Set(open.map(narrowKey));
  const lists = new Map([...state.lists].filter(([key]) => openKeys.has(key)));
  const newest = [...state.messages.keys()].sort((a, b) => a - b).slice(-maxListLength);
  const keptIds = new Set([...newest, ...[...lists.values()].flatMap(({ ids }) => ids)]);
  return { ...state, lists, messages: new Map([...state.messages].filter(([id]) => keptIds.has(id))) };
}
