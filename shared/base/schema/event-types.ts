/**
 * The events, by their types. Each room adds those that it writes, beside their schemas in its `event-types.ts`; so a layer knows
 * its own and those of the layers below, with which it compiles alone, and the bundles of functions do not contain the schemas.
 */

/** Events that clients receive exactly as they are logged. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface EventsSentAsLogged {}

/** Events that the log may contain. */
export interface LogEvents extends EventsSentAsLogged {}

/** Events that a client may receive, without the event's ID. */
export interface ClientEvents extends EventsSentAsLogged {}

export type LogEvent = LogEvents[keyof LogEvents];
export type ClientEvent = ClientEvents[keyof ClientEvents];

export type LogEventOf<T extends keyof LogEvents> = LogEvents[T];

/** `Omit` applied to each member of a union. */
export type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
