import type { LoggedEvent } from "../log/entry.ts";
import { commit } from "../log/log.ts";
import { firstWriteFailed, retryOnConflict } from "../table/conflicts.ts";
import { getItem } from "../table/table.ts";
import { type Key, put, type Write } from "../table/writes.ts";

/** Short lists that are always used as a whole: one item each, so that a read costs one unit and concurrent changes conflict. */
export interface ShortList<T> {
  /** Grows with each change; 0 before the first. */
  version: number;
  /** The highest ID that was allocated. */
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

/** Channels that a new user may choose as a group. */
export interface DefaultStreamGroup {
  id: number;
  name: string;
  description: string;
  channelIds: number[];
}

/** A domain whose e-mail addresses may join an organization that restricts them. */
export interface RealmDomain {
  domain: string;
  allowSubdomains: boolean;
}

/** A view that a user has added to the clients' navigation. */
export interface NavigationView {
  fragment: string;
  isPinned: boolean;
  name: string | null;
}

/** A custom profile field. */
export interface ProfileField {
  id: number;
  /** 1 short text, 2 long text, 3 one of several choices, 4 date, 5 address, 6 users, 7 external account, 8 pronouns. */
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
export const realmDomainsKey: ListKey<RealmDomain> = { pk: "REALM_DOMAINS", sk: "REALM_DOMAINS" };
export const defaultStreamGroupsKey: ListKey<DefaultStreamGroup> = {
  pk: "DEFAULT_STREAM_GROUPS",
  sk: "DEFAULT_STREAM_GROUPS",
};
export const playgroundsKey: ListKey<Playground> = { pk: "PLAYGROUNDS", sk: "PLAYGROUNDS" };
export const navigationViewsKey = (userId: number): ListKey<NavigationView> => ({
  pk: `USER#${userId}`,
  sk: "NAVIGATION_VIEWS",
});

/** The onboarding steps that a user has seen. */
export const onboardingStepsKey = (userId: number): ListKey<string> => ({
  pk: `USER#${userId}`,
  sk: "ONBOARDING_STEPS",
});

/** The key of a list of `T`. */
export interface ListKey<T> extends Key {
  readonly entry?: T;
}

/** Strongly consistent: 1 read unit for each 4 KB. */
export async function readShortList<T>({ pk, sk }: ListKey<T>): Promise<ShortList<T>> {
  return (await getItem<ShortList<T>>({ pk, sk }, { consistent: true })) ?? { version: 0, lastId: 0, entries: [] };
}

/** Replaces a list; fails when another request has changed it since it was read. */
export function putShortList<T>(
  { pk, sk }: ListKey<T>,
  { version, lastId }: ShortList<T>,
  changed: { entries: T[]; lastId?: number | undefined },
): Write {
  const when = version === 0 ? { exists: false } : { equals: { version } };
  return put({ pk, sk, version: version + 1, lastId: changed.lastId ?? lastId, entries: changed.entries }, when);
}

interface Changed<T, R> {
  entries: T[];
  lastId?: number;
  events: LoggedEvent[];
  /** Further writes of the same transaction. */
  writes?: Write[];
  result: R;
}

/** Changes a list and logs the events; runs `change` again with the new list on a conflict. 7 write units. */
export const changeShortList = <T, R>(
  { pk, sk }: ListKey<T>,
  change: (list: ShortList<T>) => Changed<T, R> | Promise<Changed<T, R>>,
): Promise<R> =>
  retryOnConflict(
    async () => {
      const list = await readShortList<T>({ pk, sk });
      const { entries, lastId, events, writes = [], result } = await change(list);
      if (events.length === 0) return result;
      const item = putShortList({ pk, sk }, list, { entries, lastId });
      return commit({ events: events.length }, () => ({ writes: [item, ...writes], events, result }));
    },
    { isConflict: firstWriteFailed },
  );
