import { int, list, literal, strictObject, type Value } from "../../base/schema/params.ts";

/** All users whom a user has muted, sent to that user. `timestamp` is when each was muted, in UNIX seconds. */
export const mutedUsersEvent = strictObject({
  type: literal("muted_users"),
  muted_users: list(strictObject({ id: int(), timestamp: int() })),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    muted_users: Value<typeof mutedUsersEvent>;
  }
}
