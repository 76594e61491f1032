import { exactly, int, list, literal, type Value } from "../schema/params.ts";

/** All muted users, for whoever muted them; `timestamp`: when, in UNIX seconds. */
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
