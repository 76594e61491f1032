import type { Caller } from "../../services/identity/caller.ts";
import type { EventQueue } from "../../store/delivery/event-queues.ts";
import type { LogEntry, LoggedEvent } from "../../store/log/entry.ts";
import { findUserSettings, receivesTyping } from "../../store/users/user-settings.ts";
import type { PollCache } from "./fresh-messages.ts";
import type { AddressedEvent } from "./readers.ts";
import { acceptsTyping } from "./shapes.ts";

/**
 * Typing notifications in channels are addressed to all subscribers: this filter leaves out those who have disabled them.
 * Typing notifications in direct conversations are addressed only to users who receive them.
 */

interface TypingView {
  caller: Caller;
  queue: EventQueue;
  among: readonly AddressedEvent[];
  cache: PollCache;
}

/**
 * The value to which an entry sets the setting `receives_typing_notifications` of its addressee; undefined for other entries.
 */
const typingSettingIn = ({ event }: Partial<LoggedEvent>): boolean | undefined =>
  event?.type === "user_settings" && event.property === "receives_typing_notifications"
    ? event.value === true
    : undefined;

/** Updates a poll's cache from an entry that is addressed to its caller. */
export function followTypingSetting(cache: PollCache, entry: LogEntry): void {
  cache.receivesTyping = typingSettingIn(entry) ?? cache.receivesTyping;
}

/**
 * Returns a predicate that is false for those typing notifications among `events` that the caller did not want when they were
 * sent. `among` are all entries that were read together. 1 read unit, unless there is no such notification, or the cache or
 * `among` tells what the setting was.
 */
export async function typingFilter(
  { caller, queue, among, cache }: TypingView,
  events: readonly AddressedEvent[],
): Promise<(logged: AddressedEvent) => boolean> {
  const isChannelTyping = ({ audience, event }: AddressedEvent) =>
    audience.kind === "channel" && acceptsTyping(queue, event) === true;
  if (!events.some(isChannelTyping)) return () => true;
  const changes = among.flatMap((logged) => {
    const value = logged.addressed ? typingSettingIn(logged) : undefined;
    return value === undefined ? [] : [{ sequence: logged.sequence, value }];
  });
  const [first] = changes;
  // Only changes are logged, so the setting had the other value before the first one.
  const before = first ? !first.value : await findTypingSetting(caller, cache);
  return (logged) =>
    !isChannelTyping(logged) || (changes.findLast(({ sequence }) => sequence < logged.sequence)?.value ?? before);
}

async function findTypingSetting({ id }: Caller, cache: PollCache): Promise<boolean> {
  if (cache.receivesTyping !== undefined) return cache.receivesTyping;
  const value = receivesTyping(await findUserSettings(id));
  // A concurrent poll of the same queue may have read a change in the log meanwhile.
  cache.receivesTyping ??= value;
  return value;
}
