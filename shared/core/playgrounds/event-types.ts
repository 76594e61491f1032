import { list, literal, strictObject } from "../../base/schema/params.ts";
import { playgroundObject } from "./playgrounds.ts";

/** Sent after a change: the complete list of code playgrounds. */
export const realmPlaygroundsEvent = strictObject({
  type: literal("realm_playgrounds"),
  realm_playgrounds: list(playgroundObject),
});
