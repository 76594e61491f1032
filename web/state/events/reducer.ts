import { mergeRun, shortenList, trimMessages } from "../lists.ts";
import type { Message, MessageList, State, VisibilityPolicy } from "../model.ts";
import { type Narrow, narrowKey } from "../narrow.ts";
import { type PresenceFields, presenceFieldsOf } from "../records.ts";
import { channelHandlers, withTopicPolicy } from "./channel-events.ts";
import type { Context, ServerEvent } from "./handler.ts";
import { messageHandlers } from "./message-events.ts";
import { organizationHandlers } from "./organization-events.ts";
import { ownHandlers } from "./own-events.ts";
import { peopleHandlers } from "./people-events.ts";
import { typingHandlers } from "./typing-events.ts";

/** Applies events and actions to the state. Each function is pure and returns a new state. */

/** State changes by the page itself. */
export type Action =
  | {
      kind: "fetched";
      narrow: Narrow;
      messages: readonly Message[];
      list: MessageList;
      /** The events that arrived after the request: the reply may be older than they. */
      meanwhile?: readonly ServerEvent[];
      /** The narrows that are on the screen. */
      open?: readonly Narrow[];
    }
  | { kind: "forget-lists" }
  /** What the server has accepted, and whose event may come later. */
  | { kind: "topic-policy"; channelId: number; topic: string; policy: VisibilityPolicy }
  | { kind: "presences"; answer: { readonly [name in keyof PresenceFields]?: unknown }; nowMs: number }
  | { kind: "setting"; name: keyof State["settings"]; value: unknown };

type AnyHandler = (state: State, event: ServerEvent, context: Context) => State;

/** The handlers by event type, each of which is only called with events of its type. */
const handlers: ReadonlyMap<string, AnyHandler> = new Map(
  [messageHandlers, typingHandlers, channelHandlers, peopleHandlers, ownHandlers, organizationHandlers].flatMap(
    (ofDomain) => Object.entries(ofDomain) as [string, AnyHandler][],
  ),
);

/** `Context` explains `narrows` and `firstOnScreen`. */
export function applyEvents(
  state: State,
  events: readonly ServerEvent[],
  narrows: readonly Narrow[],
  nowMs: number,
  firstOnScreen?: number,
): State {
  return events.reduce((before, event) => applyEvent(before, event, { narrows, nowMs, firstOnScreen }), state);
}

/** Applies an event; leaves out one that cannot be applied, so that it does not hold up the others. */
function applyEvent(state: State, event: ServerEvent, context: Context): State {
  const { id, type } = event;
  const after = Number.isSafeInteger(id) ? { ...state, lastEventId: Math.max(state.lastEventId, id) } : state;
  try {
    return handlers.get(type)?.(after, event, context) ?? after;
  } catch (error) {
    console.error(`Cannot apply event ${id} (${type}):`, error);
    return after;
  }
}

export function applyAction(state: State, action: Action): State {
  switch (action.kind) {
    case "fetched": {
      const messages = new Map(state.messages);
      for (const message of action.messages) messages.set(message.id, message);
      const known = state.lists.get(narrowKey(action.narrow));
      const list = shortenList(mergeRun(known, action.list), action.list);
      const marked = action.list.marked && new Map([...(known?.marked ?? []), ...action.list.marked]);
      const lists = new Map(state.lists).set(narrowKey(action.narrow), { ...list, ...(marked && { marked }) });
      const fetched = trimMessages({ ...state, messages, lists }, [action.narrow]);
      const { meanwhile = [], open = [] } = action;
      const ofMessages = meanwhile.filter(({ type }) => type in messageHandlers);
      const replayed = applyEvents(fetched, ofMessages, [action.narrow, ...open], Date.now());
      // What else these events change was changed when they arrived, and may have changed since.
      return { ...fetched, messages: replayed.messages, lists: replayed.lists };
    }
    case "forget-lists":
      return { ...state, lists: new Map(), messages: new Map() };
    case "topic-policy":
      return withTopicPolicy(state, action.channelId, action.topic, action.policy);
    case "presences": {
      const { presences, ...rest } = presenceFieldsOf(action.answer, action.nowMs);
      return { ...state, ...rest, presences: new Map([...state.presences, ...presences]) };
    }
    case "setting":
      return { ...state, settings: { ...state.settings, [action.name]: action.value } };
  }
}
