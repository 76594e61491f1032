import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { deleteItem, transact } from "../table/transactions.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

/**
 * A file of the bucket that is to be removed at a time, written before the file itself: whoever takes the file into use
 * takes this away in the same transaction, so that a function which dies leaves nothing behind for ever.
 */
export interface FileRemoval {
  /** The file's key in the bucket. */
  file: string;
  /** UNIX milliseconds. */
  dueAt: number;
  /** Others that go with it. */
  others?: string[];
  /** The upload whose notes of claims go with the file. */
  pathId?: string;
  /** Set when the removal has begun: from then on nobody may take the file into use. */
  begun?: true;
}

const key = ({ file, dueAt }: Pick<FileRemoval, "file" | "dueAt">) => ({
  pk: "REMOVALS",
  sk: `${padded(dueAt)}#${file}`,
});

export const createRemoval = (removal: FileRemoval): Write => create({ ...key(removal), ...removal });

/** Takes a file into use; fails its transaction when its removal has begun or is done. */
export const cancelRemoval = (removal: Pick<FileRemoval, "file" | "dueAt">): Write =>
  remove(key(removal), { exists: true, equals: { begun: undefined } });

/** Files whose time has come, at most `limit`, oldest first; strongly consistent. */
export const listRemovals = (dueBefore: number, limit: number) =>
  queryItems<FileRemoval>({ pk: "REMOVALS", to: padded(dueBefore + 1), limit, consistent: true });

/** From now on nobody can take the file into use; throws ConditionFailed when somebody has. */
export const beginRemoval = (removal: FileRemoval): Promise<void> =>
  transact([update(key(removal), { set: { begun: true } }, { exists: true })]);

/** The file is gone. */
export const endRemoval = (removal: FileRemoval): Promise<void> => deleteItem(key(removal));
