/**
 * The unions of logged events and of clients' events. Each domain declares its events in its own `event-types.ts` and adds
 * their types here by declaration merging, so that the store and other lower layers can use the unions without importing a
 * domain:
 *
 * ```ts
 * declare module "../schema/event-types.ts" {
 *   interface LogEvents { drafts: DraftEvent }
 *   interface ClientEvents { drafts: DraftEvent }
 * }
 * ```
 *
 * The schemas of these types are collected in `infra/reference/event-schemas.ts`, for tests and the reference documentation.
 * Functions' bundles do not contain them.
 */

/** The types of logged events, by domain. */
export interface LogEvents {
  /** An entry that no user receives. */
  silence: { type: "silence" };
}

/** The types of events that clients receive, without the event's ID. */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface ClientEvents {}

export type LogEvent = LogEvents[keyof LogEvents];
export type ClientEvent = ClientEvents[keyof ClientEvents];

/** The logged events of a type. */
export type LogEventOf<T extends LogEvent["type"]> = Extract<LogEvent, { type: T }>;
export type ClientEventOf<T extends ClientEvent["type"]> = Extract<ClientEvent, { type: T }>;

/** `Omit` applied to each member of a union. */
export type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
