import { bool, int, list, literal, partial, strictObject, text, type Value } from "../../base/schema/params.ts";
import { folderObject } from "./channel-folders.ts";

const type = literal("channel_folder");
const changes = partial({ name: text(), description: text(), rendered_description: text(), is_archived: bool() });

/** Events about channel folders; `order` lists all of them. */
export const channelFolderEvents = [
  strictObject({ type, op: literal("add"), channel_folder: folderObject }),
  strictObject({ type, op: literal("update"), channel_folder_id: int(), data: strictObject(changes) }),
  strictObject({ type, op: literal("reorder"), order: list(int()) }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    channel_folder: Value<(typeof channelFolderEvents)[number]>;
  }
}
