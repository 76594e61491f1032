import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { linkifierObject } from "./linkifiers.ts";

/** Sent after a change: the complete list of linkifiers, in their order. */
export const realmLinkifiersEvent = strictObject({
  type: literal("realm_linkifiers"),
  realm_linkifiers: list(linkifierObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_linkifiers: Value<typeof realmLinkifiersEvent>;
  }
}
