import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { playgroundObject } from "./wire.ts";

/** Sent after a change: the complete list of code playgrounds. */
export const realmPlaygroundsEvent = strictObject({
  type: literal("realm_playgrounds"),
  realm_playgrounds: list(playgroundObject),
});
export type RealmPlaygroundsEvent = Value<typeof realmPlaygroundsEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    realmPlaygrounds: RealmPlaygroundsEvent;
  }
  interface ClientEvents {
    realmPlaygrounds: RealmPlaygroundsEvent;
  }
}
