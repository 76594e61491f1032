/**
 * The two unions of events. Each domain declares its events in its own `event-types.ts` and adds their types here by
 * declaration merging, so that the store, and every room below the domains, can name the whole union without importing
 * a domain:
 *
 * ```ts
 * declare module "../schema/event-types.ts" {
 *   interface LogEvents { drafts: DraftEvent }
 *   interface ClientEvents { drafts: DraftEvent }
 * }
 * ```
 *
 * The schemas behind the types are collected in `infra/reference/event-schemas.ts`, for tests and the reference
 * documentation: functions carry none of them.
 */

/** What the log may hold, by a name for each group of events. */
export interface LogEvents {
  /** An entry that nobody sees. */
  silence: { type: "silence" };
}

/** What clients may receive, without the event's ID. */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface ClientEvents {}

export type LogEvent = LogEvents[keyof LogEvents];
export type ClientEvent = ClientEvents[keyof ClientEvents];

/** The log's events of a type. */
export type LogEventOf<T extends LogEvent["type"]> = Extract<LogEvent, { type: T }>;
export type ClientEventOf<T extends ClientEvent["type"]> = Extract<ClientEvent, { type: T }>;

/** `Omit` for each member of a union by itself. */
export type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
