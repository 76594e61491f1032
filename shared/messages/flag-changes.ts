import type { Brief } from "../store/messages.ts";
import { changeSparseFlag, type FlagOp, markAsRead, markAsUnread } from "./flag-actions.ts";
import type { EditableFlag } from "./flags.ts";
import type { Reader } from "./reader.ts";

export interface FlagChange {
  changed: number[];
  /** Only when messages were to be marked as unread. */
  ignoredChannels?: number[];
}

/** Adds or removes any flag that clients may change; `known` are messages that were read already. */
export async function changeFlag(
  reader: Reader,
  ids: readonly number[],
  op: FlagOp,
  flag: EditableFlag,
  known?: readonly Brief[],
): Promise<FlagChange> {
  if (flag !== "read") return { changed: await changeSparseFlag(reader, ids, op, flag) };
  if (op === "remove") return markAsUnread(reader, ids);
  return { changed: await markAsRead(reader, ids, known) };
}
