import type { LogEvent } from "../../shared/schema/event-types.ts";
import { eventsAfter, logEnd } from "./log.ts";
import type { Person } from "./world.ts";

/** Runs `act` and returns the events of a type that it wrote to the log for one person only, oldest first. */
export async function ownEventsOf(person: Pick<Person, "id">, type: LogEvent["type"], act: () => Promise<unknown>) {
  const end = await logEnd();
  await act();
  return (await eventsAfter(end, type, () => true))
    .filter(({ audience }) => audience.kind === "users" && audience.userIds.join() === String(person.id))
    .map(({ event }): Record<string, any> => event);
}
