import { literal, strictObject, type Value } from "../../base/schema/params.ts";

/** A no-op entry of the log, which is visible to nobody. Its stored type is `silence`. */
export const noopEvent = strictObject({ type: literal("silence") });

declare module "../../base/schema/event-types.ts" {
  interface LogEvents {
    silence: Value<typeof noopEvent>;
  }
}
