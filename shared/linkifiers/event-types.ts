import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { linkifierObject } from "./wire.ts";

/** Sent after a change: the complete list of linkifiers, in their order. */
export const realmLinkifiersEvent = strictObject({
  type: literal("realm_linkifiers"),
  realm_linkifiers: list(linkifierObject),
});
export type RealmLinkifiersEvent = Value<typeof realmLinkifiersEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    realmLinkifiers: RealmLinkifiersEvent;
  }
  interface ClientEvents {
    realmLinkifiers: RealmLinkifiersEvent;
  }
}
