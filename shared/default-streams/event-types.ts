import { exactly, list, literal, type Value } from "../schema/params.ts";
import { defaultStreamGroupObject } from "./wire.ts";

/** All groups of channels that a person who joins may choose. */
export const defaultStreamGroupsEvent = exactly({
  type: literal("default_stream_groups"),
  default_stream_groups: list(defaultStreamGroupObject),
});
export type DefaultStreamGroupsEvent = Value<typeof defaultStreamGroupsEvent>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    defaultStreamGroups: DefaultStreamGroupsEvent;
  }
  interface ClientEvents {
    defaultStreamGroups: DefaultStreamGroupsEvent;
  }
}
