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

/** Once there are more than `maxKeptMessages`, drops lists of closed narrows, and then messages without a list. */
export function trimmed(state: State, current: Narrow): State {
  if (state.messages.size <= maxKeptMessages) return state;
  const key = narrowKey(current);
  const list = state.lists.get(key);
  const kept = new Set(list?.ids ?? []);
  return {
    ...state,
    lists: new Map(list ? [[key, list]] : []),
    messages: new Map([...state.messages].filter(([id]) => kept.has(id))),
  };
}
