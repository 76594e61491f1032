import { type LoggedEvent, readHead } from "../../shared/store/log.ts";
import { queryItems } from "../../shared/store/queries.ts";

/** What the organization's log holds, for cases about events that belong to a change. */

/** The log's present end. */
export const logEnd = async (): Promise<number> => (await readHead()).event;

/** Events written after `end` of some type that concern what the case knows, in their order. */
export async function eventsAfter(
  end: number,
  type: string,
  concerns: (event: any) => boolean,
): Promise<LoggedEvent[]> {
  const newest = await logEnd();
  const partitions = Array.from(
    { length: Math.floor(newest / 1000) - Math.floor((end + 1) / 1000) + 1 },
    (_, index) => Math.floor((end + 1) / 1000) + index,
  );
  const pages = await Promise.all(
    partitions.map((partition) =>
      queryItems<LoggedEvent & { sk: string }>({ pk: `LOG#${partition}`, consistent: true }),
    ),
  );
  return pages
    .flat()
    .filter(({ sk, event }) => Number(sk) > end && event?.type === type && concerns(event))
    .map(({ audience, event }) => ({ audience, event }));
}
