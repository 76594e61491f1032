/**
 * The unions of logged events and of clients' events. Each domain declares its events in its own `event-types.ts` and adds
 * their types here by declaration merging, so that the store and other lower layers can use the unions without importing a
 * domain:
 *
 * ```ts
 * declare module "../schema/event-types.ts" {
 *   interface UnchangedEvents { drafts: DraftEvent }
 * }
 * ```
 *
 * The schemas of these types are collected in `infra/reference/event-schemas.ts`, for tests and the reference documentation.
 * Functions' bundles do not contain them.
 */

/** The types of events that clients receive as they are logged, by domain. */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface UnchangedEvents {}

/** The types of other logged events. */
export interface LogEvents extends UnchangedEvents {
  /** An entry that no user receives. */
  silence: { type: "silence" };
}

/** The types of other events that clients receive, without the event's ID. */
export interface ClientEvents extends UnchangedEvents {}

export type LogEvent = LogEvents[keyof LogEvents];
export type ClientEvent = ClientEvents[keyof ClientEvents];

export type LogEventOf<T extends LogEvent["type"]> = Extract<LogEvent, { type: T }>;

/** `Omit` applied to each member of a union. */
export type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
