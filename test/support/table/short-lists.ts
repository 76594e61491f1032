import { commit } from "../../../shared/store/log/log.ts";
import { type ListKey, readShortList, shortListChange } from "../../../shared/store/organization/short-lists.ts";
import { retryOnConflict } from "../../../shared/store/table/conflicts.ts";

interface Entries<T> {
  entries: T[];
  lastId?: number;
}

/** Changes a short list past its endpoints, such as to fill it up to its limit. Nobody receives an event. */
export const editShortList = <T>(key: ListKey<T>, edit: (list: Required<Entries<T>>) => Entries<T>): Promise<void> =>
  retryOnConflict(async () => {
    const list = await readShortList(key);
    await commit(shortListChange(key, list, { ...edit(list), events: [] }));
  });
