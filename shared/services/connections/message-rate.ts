import { rateLimits } from "../../base/environment.ts";
import { rateLimitHit } from "../../base/errors.ts";
import { ProcessCache } from "../../base/process-cache.ts";

/**
 * Limits the messages of one connection before anything is read for them: whoever sends more does not wait for answers. Each
 * process counts for itself, which costs nothing. An ended connection's messages that are under way are dropped.
 */

/** Clients send one when they are connected, and then every few minutes. */
const maxMessages = 20;
const windowMs = 10_000;
/** How long a client waits that is told to: it may connect again at once, but its next messages count too. */
const retryAfterSeconds = 10;

interface Messages {
  count: number;
  isEnded: boolean;
}

const messages = new ProcessCache<string, Messages>({ minRetained: 5000 });

/** Counts a message. False if its connection has been ended; throws if it is one too many. */
export function checkMessageRate(connectionId: string): boolean {
  if (!rateLimits()) return true;
  const known = messages.get(connectionId);
  if (known?.isEnded) return false;
  if (!known) {
    messages.set(connectionId, { count: 1, isEnded: false }, { ttlMs: windowMs });
    return true;
  }
  if (++known.count > maxMessages) throw rateLimitHit(retryAfterSeconds);
  return true;
}

/** From now on the messages of a connection, which has been ended, are dropped. */
export const dropMessages = (connectionId: string): void =>
  messages.set(connectionId, { count: 0, isEnded: true }, { ttlMs: windowMs });
