import { exactly, int, list, literal, type Value } from "../schema/params.ts";

/** All users whom a user has muted, sent to that user. `timestamp` is when each was muted, in UNIX seconds. */
export const mutedUsersEvent = exactly({
  type: literal("muted_users"),
  muted_users: list(exactly({ id: int(), timestamp: int() })),
});
export type MutedUsersEvent = Value<typeof mutedUsersEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    mutedUsers: MutedUsersEvent;
  }
  interface ClientEvents {
    mutedUsers: MutedUsersEvent;
  }
}
