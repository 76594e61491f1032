import { int, list, literal, strictObject } from "../../base/schema/params.ts";
import { draftObject } from "./drafts.ts";

const type = literal("drafts");

/** Events about drafts, for their owner. */
export const draftEvents = [
  strictObject({ type, op: literal("add"), drafts: list(draftObject) }),
  strictObject({ type, op: literal("update"), draft: draftObject }),
  strictObject({ type, op: literal("remove"), draft_id: int() }),
];
