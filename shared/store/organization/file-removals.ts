import { padded } from "../table/keys.ts";
import { queryItems } from "../table/reads.ts";
import { deleteItem } from "../table/single-writes.ts";
import { transact } from "../table/transactions.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

/**
 * The scheduled removal of a file from the bucket. It is written before the file itself, and deleted in the transaction that
 * starts using the file, so that a function that dies in between leaves no orphaned file.
 */
export interface FileRemoval {
  file: string;
  /** UNIX milliseconds. */
  dueAt: number;
  /** Keys of further files to remove with it. */
  others?: string[];
  /** The upload whose claims are deleted with the file. */
  pathId?: string;
  /** Set when the removal has begun: from then on the file can no longer be used. */
  begun?: true;
}

const key = ({ file, dueAt }: Pick<FileRemoval, "file" | "dueAt">) => ({
  pk: "REMOVALS",
  sk: `${padded(dueAt)}#${file}`,
});

export const createRemoval = (removal: FileRemoval): Write => create({ ...key(removal), ...removal });

/** Keeps a file; fails its transaction when its removal has begun or is done. */
export const cancelRemoval = (removal: Pick<FileRemoval, "file" | "dueAt">): Write =>
  remove(key(removal), { exists: true, equals: { begun: undefined } });

/** Removals due by `dueBefore` (UNIX milliseconds), at most `limit`, the most overdue first. */
export const listRemovals = (dueBefore: number, limit: number) =>
  queryItems<FileRemoval>({ pk: "REMOVALS", to: padded(dueBefore + 1), limit });

/** Prevents `cancelRemoval` from now on; throws ConditionFailed when the removal has been cancelled. */
export const beginRemoval = (removal: FileRemoval): Promise<void> =>
  transact([update(key(removal), { set: { begun: true } }, { exists: true })]);

/** Called once the file is removed. */
export const endRemoval = (removal: FileRemoval): Promise<void> => deleteItem(key(removal));
