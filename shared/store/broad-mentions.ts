import { padded } from "./keys.ts";
import type { RangeQuery } from "./messages.ts";
import { queryItems } from "./queries.ts";
import { put, type Write } from "./writes.ts";

/** A message that mentions more people than a transaction should write flags for: whom, its HTML says. */
const partition = "BROADMENTIONS";

/** Lists a message among those with broad mentions; 2 write units. */
export const putBroadMention = (messageId: number): Write => put({ pk: partition, sk: padded(messageId) });

/** IDs of the messages with broad mentions, at most `limit`; 0.5 read units for about 80. */
export const readBroadMentions = async ({ from, to, descending, limit }: RangeQuery): Promise<number[]> =>
  (await queryItems<{ sk: string }>({ pk: partition, from: padded(from), to: padded(to), descending, limit })).map(
    ({ sk }) => Number(sk),
  );
