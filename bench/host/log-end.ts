import { entriesPerPartition } from "../../shared/store/table/log-items.ts";

/** Sort keys contain sequence numbers padded to this length. */
export const sequenceDigits = 16;

/**
 * Shifts a recorded read of the log's end by as many entries as the log has grown since. Such a read has no upper bound, so
 * that it would otherwise return all entries written since. Other calls stay as they are.
 */
export const shiftLogEnd =
  (entryCount: number) =>
  (body: string): string => {
    const { pk, from } = /":pk":\{"S":"(?<pk>LOG#\d+)"\},":from":\{"S":"(?<from>\d{16})"\}/.exec(body)?.groups ?? {};
    if (!pk || !from) return body;
    const shifted = Number(from) + entryCount;
    return body
      .replace(`"${pk}"`, `"LOG#${Math.floor(shifted / entriesPerPartition)}"`)
      .replace(`"${from}"`, `"${String(shifted).padStart(sequenceDigits, "0")}"`);
  };
