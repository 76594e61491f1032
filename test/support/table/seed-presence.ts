import { padded } from "../../../shared/store/table/keys.ts";
import type { PrivateHost } from "../hosts/private-host.ts";
import { seedTable } from "./seed-table.ts";

export const presenceOf = (userId: number) => ({ pk: "PRESENCE", sk: padded(userId) });
export const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

/** Writes the presence of `count` users who have no account, so that presence is stored as in a large organization. */
export const seedPresence = (host: Pick<PrivateHost, "environment">, count: number): Promise<void> =>
  seedTable(
    host,
    Array.from({ length: count }, (_, index) => {
      const userId = 9_000_000 + index;
      const times = { lastActive: secondsAgo(90), lastConnected: secondsAgo(90) };
      return { ...presenceOf(userId), userId, ...times, updateId: 1 };
    }),
  );
