import { int, list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { draftObject } from "./drafts.ts";

const type = literal("drafts");

/** Events about drafts, for their owner. */
export const draftEvents = [
  strictObject({ type, op: literal("add"), drafts: list(draftObject) }),
  strictObject({ type, op: literal("update"), draft: draftObject }),
  strictObject({ type, op: literal("remove"), draft_id: int() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    drafts: Value<(typeof draftEvents)[number]>;
  }
}
