import { commit, type LoggedEvent } from "./log.ts";
import { getItem } from "./table.ts";
import { ConditionFailed } from "./transactions.ts";
import { type Key, put, type Write } from "./writes.ts";

/** Short lists that are always used as a whole: one item each, so that reading one is one unit and two changes never mix. */
export interface ShortList<T> {
  /** Grows with each change; 0 before the first. */
  version: number;
  /** The greatest ID that was given out. */
  lastId: number;
  entries: T[];
}

/** The organization's code playgrounds. */
export interface Playground {
  id: number;
  name: string;
  language: string;
  urlTemplate: string;
}

/** A user's own place in the clients' navigation. */
export interface NavigationView {
  fragment: string;
  isPinned: boolean;
  name: string | null;
}

/** A field that the organization adds to its people's profiles. */
export interface ProfileField {
  id: number;
  /** 1 short text, 2 long text, 3 one of some choices, 4 date, 5 address, 6 users, 7 external account, 8 pronouns. */
  type: number;
  name: string;
  hint: string;
  /** JSON text: the choices, or the kind of external account; empty for other types. */
  data: string;
  inSummary: boolean;
  required: boolean;
  editableByUser: boolean;
}

export const profileFieldsKey: ListKey<ProfileField> = { pk: "PROFILE_FIELDS", sk: "PROFILE_FIELDS" };
export const playgroundsKey: ListKey<Playground> = { pk: "PLAYGROUNDS", sk: "PLAYGROUNDS" };
export const navigationViewsKey = (userId: number): ListKey<NavigationView> => ({
  pk: `USER#${userId}`,
  sk: "NAVIGATION_VIEWS",
});

/** Where a list of `T` is. */
export interface ListKey<T> extends Key {
  readonly entry?: T;
}

/** Strongly consistent: 1 read unit for each 4 KB. */
export async function readShortList<T>({ pk, sk }: ListKey<T>): Promise<ShortList<T>> {
  return (await getItem<ShortList<T>>({ pk, sk }, { consistent: true })) ?? { version: 0, lastId: 0, entries: [] };
}

interface Changed<T, R> {
  entries: T[];
  lastId?: number;
  events: LoggedEvent[];
  /** Further writes of the same transaction. */
  writes?: Write[];
  result: R;
}

/** Changes a list as it is then, with events: whoever comes second changes what the first has made. 7 write units. */
export async function changeShortList<T, R>(
  { pk, sk }: ListKey<T>,
  change: (list: ShortList<T>) => Changed<T, R> | Promise<Changed<T, R>>,
): Promise<R> {
  for (;;) {
    const list = await readShortList<T>({ pk, sk });
    const { entries, lastId = list.lastId, events, writes = [], result } = await change(list);
    if (events.length === 0) return result;
    const when = list.version === 0 ? { exists: false } : { equals: { version: list.version } };
    const item = put({ pk, sk, version: list.version + 1, lastId, entries }, when);
    try {
      return await commit({ events: events.length }, () => ({ writes: [item, ...writes], events, result }));
    } catch (error) {
      if (!(error instanceof ConditionFailed && error.failed.includes(0))) throw error;
    }
  }
}
