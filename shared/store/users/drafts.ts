import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, put, remove, type Write } from "../table/writes.ts";

export const draftTypes = ["", "stream", "private"] as const;

export interface Draft {
  id: number;
  userId: number;
  type: (typeof draftTypes)[number];
  /** A channel's ID, or users' IDs. */
  to: number[];
  topic: string;
  content: string;
  /** UNIX seconds of the last edit, according to the client. */
  timestamp: number;
}

const key = (userId: number, id: number) => ({ pk: `USER#${userId}`, sk: `DRAFT#${padded(id)}` });

export const findDraft = (userId: number, id: number) => getItem<Draft>(key(userId, id));

export const listDrafts = (userId: number) => queryItems<Draft>({ pk: `USER#${userId}`, prefix: "DRAFT#" });

export const createDraft = (draft: Draft): Write => create({ ...key(draft.userId, draft.id), ...draft });

/** Fails when the draft was changed or deleted since it was read. */
export const replaceDraft = ({ type, to, topic, content, timestamp }: Draft, after: Draft): Write =>
  put({ ...key(after.userId, after.id), ...after }, { exists: true, equals: { type, to, topic, content, timestamp } });

/** Fails when there is no such draft. */
export const deleteDraft = ({ userId, id }: Pick<Draft, "userId" | "id">): Write =>
  remove(key(userId, id), { exists: true });
