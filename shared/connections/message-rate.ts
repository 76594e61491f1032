import { rateLimits } from "../environment.ts";
import { ProcessCache } from "../process-cache.ts";

/**
 * Limits the messages of one connection before anything is read for them: whoever sends more does not wait for answers. Each
 * process counts for itself, which costs nothing. An ended connection's messages that are under way are dropped.
 */

/** Clients send one when they are connected, and then every few minutes. */
const maxMessages = 20;
const windowMs = 10_000;

interface Messages {
  count: number;
  isEnded: boolean;
}

const messages = new ProcessCache<string, Messages>({ minRetained: 5000 });

/** Counts a message. "excess": the connection is to be ended; "ended": that has been done. */
export function countMessage(connectionId: string): "allowed" | "excess" | "ended" {
  if (!rateLimits()) return "allowed";
  const known = messages.get(connectionId);
  if (known?.isEnded) return "ended";
  if (!known) {
    messages.set(connectionId, { count: 1, isEnded: false }, { ttlMs: windowMs });
    return "allowed";
  }
  return ++known.count > maxMessages ? "excess" : "allowed";
}

/** From now on the messages of a connection, which has been ended, are dropped. */
export const dropMessages = (connectionId: string): void =>
  messages.set(connectionId, { count: 0, isEnded: true }, { ttlMs: windowMs });
