import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { playgroundObject } from "./playgrounds.ts";

/** Sent after a change: the complete list of code playgrounds. */
export const realmPlaygroundsEvent = strictObject({
  type: literal("realm_playgrounds"),
  realm_playgrounds: list(playgroundObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_playgrounds: Value<typeof realmPlaygroundsEvent>;
  }
}
