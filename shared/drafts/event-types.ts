import { exactly, int, list, literal, type Value } from "../schema/params.ts";
import { draftObject } from "./wire.ts";

const type = literal("drafts");

/** Events about drafts, for their owner. */
export const draftEvents = [
  exactly({ type, op: literal("add"), drafts: list(draftObject) }),
  exactly({ type, op: literal("update"), draft: draftObject }),
  exactly({ type, op: literal("remove"), draft_id: int() }),
];
export type DraftEvent = Value<(typeof draftEvents)[number]>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    drafts: DraftEvent;
  }
  interface ClientEvents {
    drafts: DraftEvent;
  }
}
