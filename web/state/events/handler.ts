import type { State } from "../model.ts";
import type { Narrow } from "../narrow.ts";

/** Handlers of one kind of event. Each is pure and returns a new state. */

/** An event as `GET /events` returns it. */
export type ServerEvent = { id: number; type: string; [field: string]: any };

export interface Context {
  /** The narrows that are on the screen. */
  narrows: readonly Narrow[];
  /** The message at the top of the screen; undefined while the screen follows the newest messages. */
  firstOnScreen: number | undefined;
  /** UNIX milliseconds. */
  now: number;
}

export type Handler = (state: State, event: ServerEvent, context: Context) => State;
export type Handlers = Readonly<Record<string, Handler>>;

export function updatedMap<K, V>(map: ReadonlyMap<K, V>, key: K, change: (value: V) => V): ReadonlyMap<K, V> {
  const value = map.get(key);
  return value === undefined ? map : new Map(map).set(key, change(value));
}

export function without<K, V>(map: ReadonlyMap<K, V>, keys: Iterable<K>): ReadonlyMap<K, V> {
  const rest = new Map(map);
  for (const key of keys) rest.delete(key);
  return rest;
}
