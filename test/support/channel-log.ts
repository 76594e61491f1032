import type { LogEvent, LogEventOf } from "../../shared/base/schema/event-types.ts";
import { toClientChannelEvents } from "../../shared/core/channels/channel-events.ts";
import type { Membership } from "../../shared/core/channels/event-types.ts";
import type { SubscriptionOptions } from "../../shared/core/channels/state.ts";
import { isAddressed } from "../../shared/features/events/audience.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import type { LoggedEvent } from "../../shared/store/log/entry.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { queryItems } from "../../shared/store/table/reads.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import type { Person } from "./world.ts";

/** An event of any type; `any`, because each test checks other fields. */
type Event = Record<string, any>;

/** Gives access to the log entries that are written from now on. */
export async function recordLog() {
  const { event: from } = await readHead();
  const entries = async () => {
    const { event: to } = await readHead();
    const partitions = Array.from({ length: Math.floor(to / 1000) - Math.floor(from / 1000) + 1 }, (_, index) =>
      queryItems<{ sk: string } & LoggedEvent>({ pk: `LOG#${Math.floor(from / 1000) + index}` }),
    );
    return (await Promise.all(partitions)).flat().filter(({ sk, event }) => Number(sk) > from && event);
  };
  return {
    entries,
    /** The events of the given types that a person's client receives, in the client's form. */
    eventsFor: async (
      person: Person,
      types: readonly string[],
      view: Partial<SubscriptionOptions> = {},
    ): Promise<Event[]> => {
      const account = await findAccount(person.email);
      if (!account) throw new Error(`${person.email} has no account`);
      const [caller, realm] = [toCaller(account), await loadRealm()];
      const received: Event[] = [];
      for (const entry of await entries()) {
        const { event } = entry;
        if (!types.includes(event.type)) continue;
        const isRecipient = isAddressed(entry, caller, new Set());
        const clientView = { includeSubscribers: false, archivedChannels: true, ...view };
        if (!isRecipient) continue;
        if (isAboutChannel(event))
          received.push(...(await toClientChannelEvents(event, { caller, realm, view: clientView })));
        else if (event.type === "user_group" && event.op === "update") {
          // The group record is only for clients that do not support deactivated groups.
          const { group: _, ...rest } = event;
          received.push(rest);
        } else received.push(event);
      }
      return received;
    },
  };
}

const isAboutChannel = (event: LogEvent): event is LogEventOf<"stream"> | Membership =>
  event.type === "stream" || (event.type === "subscription" && event.op !== "update");

/** The events about a channel. */
export const about = (channelId: number, events: Event[]): Event[] =>
  events.filter((event) => {
    // Follows a channel's first message whenever the log's consumer gets to it.
    if (event.property === "first_message_id") return false;
    const ids = [
      event.stream_id,
      ...(event.stream_ids ?? []),
      ...((event.subscriptions as { stream_id: number }[] | undefined) ?? []).map(({ stream_id }) => stream_id),
      ...((event.streams as { stream_id: number }[] | undefined) ?? []).map(({ stream_id }) => stream_id),
    ];
    return ids.includes(channelId);
  });
