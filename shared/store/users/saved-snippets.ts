import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

/** Content that a user saved to insert into messages. */
export interface Snippet {
  id: number;
  userId: number;
  title: string;
  content: string;
  /** UNIX seconds. */
  createdAt: number;
}

const key = (userId: number, id: number) => ({ pk: `USER#${userId}`, sk: `SNIPPET#${padded(id)}` });
const countKey = (userId: number) => ({ pk: `USER#${userId}`, sk: "SNIPPETS" });

/** 1 read unit for each 4 KB. */
export const findSnippet = (userId: number, id: number) => getItem<Snippet>(key(userId, id));

/** A user's snippets by ID. */
export const listSnippets = (userId: number) => queryItems<Snippet>({ pk: `USER#${userId}`, prefix: "SNIPPET#" });

/** Fails its transaction when the user has `maxSnippets` already. */
export const createSnippet = (snippet: Snippet, maxSnippets: number): Write[] => [
  update(countKey(snippet.userId), { add: { count: 1 } }, { below: { count: maxSnippets } }),
  create({ ...key(snippet.userId, snippet.id), ...snippet }),
];

/** Fails when the snippet has changed since it was read. */
export const updateSnippet = (before: Snippet, change: Pick<Snippet, "title" | "content">): Write =>
  update(key(before.userId, before.id), { set: { ...change } }, unchanged(before));

/** Fails its transaction when the snippet does not exist any more. */
export const deleteSnippet = ({ userId, id }: Snippet): Write[] => [
  remove(key(userId, id), { exists: true }),
  update(countKey(userId), { add: { count: -1 } }),
];

const unchanged = ({ title, content }: Snippet) => ({ equals: { title, content } });
