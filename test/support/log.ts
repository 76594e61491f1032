import type { LogEvent, LogEventOf } from "../../shared/base/schema/event-types.ts";
import type { Audience, LoggedEvent } from "../../shared/store/log/entry.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { queryItems } from "../../shared/store/table/reads.ts";
import { checkLogEvent } from "./checks/events.ts";
import type { Person } from "./world.ts";

/** Reads the organization's log, for tests of the events that a change writes. */

/** The current last sequence number of the log. */
export const logEnd = async (): Promise<number> => (await readHead()).event;

/** The events of a type after `end` for which `concerns` is true, in order. */
export async function eventsAfter<T extends LogEvent["type"]>(
  end: number,
  type: T,
  concerns: (event: any) => boolean,
): Promise<{ audience: Audience; event: LogEventOf<T> }[]> {
  const newest = await logEnd();
  const partitions = Array.from(
    { length: Math.floor(newest / 1000) - Math.floor((end + 1) / 1000) + 1 },
    (_, index) => Math.floor((end + 1) / 1000) + index,
  );
  const pages = await Promise.all(
    partitions.map((partition) => queryItems<LoggedEvent & { sk: string }>({ pk: `LOG#${partition}` })),
  );
  const after = pages.flat().filter(({ sk, event }) => Number(sk) > end && event);
  for (const { event } of after) checkLogEvent(event);
  return after
    .filter(({ event }) => event.type === type && concerns(event))
    .map(({ audience, event }) => ({ audience, event: event as LogEventOf<T> }));
}

/** Runs `act` and returns the events of a type that it wrote to the log for one person only, oldest first. */
export async function ownEventsOf(person: Pick<Person, "id">, type: LogEvent["type"], act: () => Promise<unknown>) {
  const end = await logEnd();
  await act();
  return (await eventsAfter(end, type, () => true))
    .filter(({ audience }) => audience.kind === "users" && audience.userIds.join() === String(person.id))
    .map(({ event }): Record<string, any> => event);
}
