import { showChannelEvent } from "../../shared/channels/feed.ts";
import type { SubscriptionView } from "../../shared/channels/state.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { findAccount } from "../../shared/store/accounts.ts";
import { type LoggedEvent, readHead } from "../../shared/store/log.ts";
import { queryItems } from "../../shared/store/queries.ts";
import { callerOf } from "../../shared/users/access.ts";
import { isAdministrator } from "../../shared/users/caller.ts";
import type { Person } from "./world.ts";

type Event = LoggedEvent["event"];

/** What the log holds from here on. */
export async function listening() {
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
    /** The events of the given types that a person's client is told, as it is told them. */
    heardBy: async (
      person: Person,
      types: readonly string[],
      view: Partial<SubscriptionView> = {},
    ): Promise<Event[]> => {
      const account = await findAccount(person.email);
      if (!account) throw new Error(`${person.email} has no account`);
      const [caller, realm] = [callerOf(account), await accessRealm()];
      const told: Event[] = [];
      for (const entry of await entries()) {
        const { audience, event } = entry;
        if (!types.includes(event.type)) continue;
        const named = "userIds" in audience && audience.userIds?.includes(person.id) === true;
        const belongs =
          audience.kind === "everyone" ||
          audience.kind === "channelViewers" ||
          named ||
          (audience.kind === "administrators" && isAdministrator(caller));
        const shown = { includeSubscribers: false, archivedChannels: true, ...view };
        if (!belongs) continue;
        const seen = await showChannelEvent(entry, { caller, realm, view: shown });
        // A reactivated group's record is for clients that do not know deactivated ones.
        told.push(
          ...seen.map(({ group, ...rest }) =>
            rest.op === "update" ? rest : { ...rest, ...(group !== undefined && { group }) },
          ),
        );
      }
      return told;
    },
  };
}

/** Those of some events that are about a channel. */
export const about = (channelId: number, events: Event[]): Event[] =>
  events.filter((event) => {
    const ids = [
      event.stream_id,
      ...((event.stream_ids as number[] | undefined) ?? []),
      ...((event.subscriptions as { stream_id: number }[] | undefined) ?? []).map(({ stream_id }) => stream_id),
      ...((event.streams as { stream_id: number }[] | undefined) ?? []).map(({ stream_id }) => stream_id),
    ];
    return ids.includes(channelId);
  });
