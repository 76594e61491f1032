/**
 * The unions of logged events and of clients' events. Each domain declares the schemas of its events in its own `event-types.ts`.
 * `infra/reference/event-schemas.ts` collects them, and adds the types of both unions here by declaration merging, so that the
 * store and other lower layers can use the unions without importing a domain, and functions' bundles do not contain the schemas.
 */

// biome-ignore lint/suspicious/noEmptyInterface: `event-schemas.ts` fills it
export interface EventTypes {}

/** An event that the log may contain. */
export type LogEvent = EventTypes["logged"];

/** An event that a client may receive, without the event's ID. */
export type ClientEvent = EventTypes["received"];

export type LogEventOf<T extends LogEvent["type"]> = Extract<LogEvent, { type: T }>;

/** `Omit` applied to each member of a union. */
export type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
