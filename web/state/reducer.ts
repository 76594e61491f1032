import { channelHandlers } from "./events/channels.ts";
import type { Handlers, ServerEvent } from "./events/handler.ts";
import { messageHandlers } from "./events/messages.ts";
import { organizationHandlers } from "./events/organization.ts";
import { ownHandlers } from "./events/own.ts";
import { peopleHandlers } from "./events/people.ts";
import { typingHandlers } from "./events/typing.ts";
import { type Message, type MessageList, maxKeptMessages, maxListed, type Outgoing, type State } from "./model.ts";
import { type Narrow, narrowKey } from "./narrow.ts";

/** Applies events and actions to the state. Each function is pure and returns a new state. */

/** State changes by the page itself. */
export type Action =
  | { kind: "fetched"; narrow: Narrow; messages: readonly Message[]; list: MessageList }
  | { kind: "sending"; outgoing: Outgoing }
  | { kind: "failed"; localId: string; reason: string }
  | { kind: "discarded"; localId: string }
  | { kind: "forget-lists" };

/** The handlers by event type. */
const handlers: Readonly<Record<string, Handlers[string] | undefined>> = {
  ...messageHandlers,
  ...typingHandlers,
  ...channelHandlers,
  ...peopleHandlers,
  ...ownHandlers,
  ...organizationHandlers,
};

export function applyEvents(state: State, events: readonly ServerEvent[], narrows: readonly Narrow[], now: number) {
  return events.reduce((before, event) => applyEvent(before, event, narrows, now), state);
}

/** `narrows` are those whose lists are open; `now` is in UNIX milliseconds. */
export function applyEvent(state: State, event: ServerEvent, narrows: readonly Narrow[], now: number): State {
  const after = { ...state, lastEventId: Math.max(state.lastEventId, event.id) };
  const handler = handlers[event.type];
  return handler ? handler(after, event, { narrows, now }) : after;
}

export function applyAction(state: State, action: Action): State {
  switch (action.kind) {
    case "fetched": {
      const messages = new Map(state.messages);
      for (const message of action.messages) messages.set(message.id, message);
      const lists = new Map(state.lists).set(
        narrowKey(action.narrow),
        shortened(merged(state.lists.get(narrowKey(action.narrow)), action.list), action.list),
      );
      return trimmed({ ...state, messages, lists }, action.narrow);
    }
    case "sending":
      return {
        ...state,
        outgoing: [...state.outgoing.filter(({ localId }) => localId !== action.outgoing.localId), action.outgoing],
      };
    case "failed":
      return {
        ...state,
        outgoing: state.outgoing.map((outgoing) =>
          outgoing.localId === action.localId ? { ...outgoing, failure: action.reason } : outgoing,
        ),
      };
    case "discarded":
      return { ...state, outgoing: state.outgoing.filter(({ localId }) => localId !== action.localId) };
    case "forget-lists":
      return { ...state, lists: new Map(), messages: new Map() };
  }
}

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
function trimmed(state: State, current: Narrow): State {
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
