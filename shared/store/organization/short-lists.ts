import type { LoggedEvent } from "../log/entry.ts";
import type { Change } from "../log/log.ts";
import { getItem } from "../table/reads.ts";
import { type Key, put, type Write } from "../table/writes.ts";

/** A list stored in one item, read and replaced as a whole: a read usually costs one unit, and concurrent changes conflict. */
interface ShortList<T> {
  /** Incremented by each change; 0 before the first. */
  version: number;
  /** The highest ID that was allocated, for lists whose entries have IDs. */
  lastId: number;
  entries: T[];
}

/** An external site that runs code blocks of a language. See https://zulip.com/help/code-blocks#code-playgrounds. */
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
  id: number;
  domain: string;
  allowSubdomains: boolean;
}

/** A view, by the fragment of its URL, that a user has added to the sidebar of their clients. */
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

export const onboardingStepsKey = (userId: number): ListKey<string> => ({
  pk: `USER#${userId}`,
  sk: "ONBOARDING_STEPS",
});

/** The key of a list of `T`. */
export interface ListKey<T> extends Key {
  /** Never set: it only ties the key to the type of the entries. */
  readonly entry?: T;
}

/** 1 read unit for each 4 KB. */
export async function readShortList<T>({ pk, sk }: ListKey<T>): Promise<ShortList<T>> {
  return (await getItem<ShortList<T>>({ pk, sk })) ?? { version: 0, lastId: 0, entries: [] };
}

/** The write that replaces a list; its transaction fails when another request has changed the list since it was read. */
export function putShortList<T>(
  { pk, sk }: ListKey<T>,
  { version, lastId }: ShortList<T>,
  changed: { entries: T[]; lastId?: number | undefined },
): Write {
  const condition = version === 0 ? { exists: false } : { equals: { version } };
  return put({ pk, sk, version: version + 1, lastId: changed.lastId ?? lastId, entries: changed.entries }, condition);
}

/** What a change makes of a list. */
interface ListChange<T> {
  entries: T[];
  lastId?: number;
  events: LoggedEvent[];
  /** Further writes of the same transaction. */
  writes?: readonly Write[];
}

/**
 * The change of a list as it was read. Its commit fails when another request has changed the list since, and costs 7 write units.
 */
export const shortListChange = <T>(
  key: ListKey<T>,
  before: ShortList<T>,
  { entries, lastId, events, writes = [] }: ListChange<T>,
): Change => ({ writes: [putShortList(key, before, { entries, lastId }), ...writes], events });
