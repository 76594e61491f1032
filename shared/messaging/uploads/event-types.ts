import { int, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { attachmentObject } from "./wire.ts";

const type = literal("attachment");
/** Total bytes of all files after the change. */
const upload_space_used = int();

/** Events about an uploaded file, for its owner. */
export const attachmentEvents = [
  strictObject({ type, op: literal("add"), attachment: attachmentObject, upload_space_used }),
  strictObject({ type, op: literal("update"), attachment: attachmentObject, upload_space_used }),
  strictObject({ type, op: literal("remove"), attachment: strictObject({ id: int() }), upload_space_used }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    attachment: Value<(typeof attachmentEvents)[number]>;
  }
}
