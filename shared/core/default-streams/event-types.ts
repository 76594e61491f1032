import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { defaultStreamGroupObject } from "./groups.ts";

/** Sent after a change: the complete list of default channel groups, which people can choose when they join. */
export const defaultStreamGroupsEvent = strictObject({
  type: literal("default_stream_groups"),
  default_stream_groups: list(defaultStreamGroupObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    default_stream_groups: Value<typeof defaultStreamGroupsEvent>;
  }
}
