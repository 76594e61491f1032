import type { MessageSummary } from "../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";
import { changeSparseFlag, type FlagOp, markAsRead, markAsUnread } from "./actions.ts";
import type { EditableFlag } from "./flags.ts";

export interface FlagChange {
  changed: number[];
  /** Only when marking messages as unread. */
  ignoredChannels?: number[];
}

/** Adds or removes a flag that clients may change; `known` are messages that have been loaded already. */
export async function changeFlag(
  reader: Reader,
  ids: readonly number[],
  op: FlagOp,
  flag: EditableFlag,
  known?: readonly MessageSummary[],
): Promise<FlagChange> {
  if (flag !== "read") return { changed: await changeSparseFlag(reader, ids, op, flag) };
  if (op === "remove") return markAsUnread(reader, ids);
  return { changed: await markAsRead(reader, ids, known) };
}
