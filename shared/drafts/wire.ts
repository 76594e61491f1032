import { leadingItems } from "../http/reply-size.ts";
import type { Caller } from "../identity/caller.ts";
import {
  int,
  list,
  maxTimestamp,
  number,
  object,
  oneOf,
  optional,
  strictObject,
  string,
  text,
  type Value,
} from "../schema/params.ts";
import { type Draft, draftTypes, listDrafts } from "../store/users/drafts.ts";

/** A draft as clients send it. */
export const draftParam = () =>
  object({
    type: oneOf(draftTypes),
    to: list(int(), { max: 200 }),
    topic: text(),
    content: text(),
    timestamp: optional(number({ max: maxTimestamp })),
  });
export type SentDraft = Value<ReturnType<typeof draftParam>>;

/** The draft object; see https://zulip.com/api/get-drafts. */
export const draftObject = strictObject({
  id: int(),
  type: oneOf(draftTypes),
  to: list(int()),
  topic: string(),
  content: text(),
  timestamp: int(),
});

export const toDraftWire = ({ id, type, to, topic, content, timestamp }: Draft): Value<typeof draftObject> => ({
  id,
  type,
  to,
  topic,
  content,
  timestamp,
});

const maxDraftsInState = 1000;

/** The caller's drafts, the most recently edited first, as many as fit into a reply. */
export async function newestDrafts(caller: Caller) {
  const drafts = (await listDrafts(caller.id)).sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  return leadingItems(drafts.map(toDraftWire));
}

/** The initial state of drafts: only the newest. */
export const draftsState = async (caller: Caller) => ({
  drafts: (await newestDrafts(caller)).slice(0, maxDraftsInState),
});
