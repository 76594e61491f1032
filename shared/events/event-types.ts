import type { ClientEvent, LogEventOf } from "../schema/event-types.ts";
import { literal, strictObject } from "../schema/params.ts";

/** Ends a poll without events, whatever types the client asked for. */
export const heartbeat = strictObject({ type: literal("heartbeat") });

/** A no-op entry of the log, which is visible to nobody. Its stored type is `silence`. */
export const noopEvent = strictObject({ type: literal("silence") });

/** An event before it is adapted to a client's capabilities: events of presence and groups have the fields for all clients. */
export type QueuedEvent = ClientEvent | LogEventOf<"presence" | "user_group">;
