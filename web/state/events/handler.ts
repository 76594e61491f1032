import type { Reply } from "../../base/api/calls.ts";
import type { State } from "../model.ts";
import type { Narrow } from "../narrow.ts";

/** The types of event handlers. A handler applies one type of event; it is pure and returns a new state. */

/** An event as `GET /events` returns it. */
export type ServerEvent = Reply<"GET /events">["events"][number];
export type EventType = ServerEvent["type"];
/** The events of a type. */
export type EventOf<T extends EventType> = Extract<ServerEvent, { type: T }>;

/** What handlers need in addition to the state and the event. */
export interface Context {
  /** The narrows that are on the screen. */
  narrows: readonly Narrow[];
  /** The message at the top of the screen; undefined while the screen follows the newest messages. */
  firstOnScreen: number | undefined;
  /** The current time, UNIX milliseconds. */
  nowMs: number;
}

export type Handler<T extends EventType> = (state: State, event: EventOf<T>, context: Context) => State;
/** Handlers by the type of their event. */
export type Handlers = { readonly [T in EventType]?: Handler<T> };

/** A copy with the key's value changed; the same map if it does not have the key. */
export function updatedMap<K, V>(map: ReadonlyMap<K, V>, key: K, change: (value: V) => V): ReadonlyMap<K, V> {
  const value = map.get(key);
  return value === undefined ? map : new Map(map).set(key, change(value));
}

/** A copy without the keys. */
export function without<K, V>(map: ReadonlyMap<K, V>, keys: Iterable<K>): ReadonlyMap<K, V> {
  const rest = new Map(map);
  for (const key of keys) rest.delete(key);
  return rest;
}
