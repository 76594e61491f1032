import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { takeIds } from "../store/table/counters.ts";
import { createDraft, type Draft, deleteDraft, replaceDraft } from "../store/users/drafts.ts";
import { noSuchDraft } from "./access.ts";
import { toDraftWire } from "./wire.ts";

type NewDraft = Omit<Draft, "id" | "userId">;

/** The maximum size of the drafts in one event, because an event is an item of at most 400 KB. */
const maxEventBytes = 250_000;
/** An upper bound for the fields of a draft other than its content. */
const otherFieldsBytes = 1000;

/** Creates up to 40 drafts, all or none, and returns their IDs in the given order. */
export async function addDrafts(userId: number, newDrafts: readonly NewDraft[]): Promise<number[]> {
  if (newDrafts.length === 0) return [];
  const firstId = await takeIds("draft", newDrafts.length);
  const drafts = newDrafts.map((draft, index): Draft => ({ ...draft, id: firstId + index, userId }));
  const events = groupForEvents(drafts).map((group) =>
    eventForUser(userId, { type: "drafts", op: "add", drafts: group.map(toDraftWire) }),
  );
  await commit({ writes: drafts.map(createDraft), events });
  return drafts.map(({ id }) => id);
}

function groupForEvents(drafts: readonly Draft[]): Draft[][] {
  const groups: Draft[][] = [];
  let remainingBytes = 0;
  for (const draft of drafts) {
    const bytes = Buffer.byteLength(draft.content) + otherFieldsBytes;
    if (bytes > remainingBytes) {
      groups.push([]);
      remainingBytes = maxEventBytes;
    }
    groups.at(-1)?.push(draft);
    remainingBytes -= bytes;
  }
  return groups;
}

/** Replaces a draft. Throws a 404 if the draft was deleted in the meantime. */
export const editDraft = (draft: Draft): Promise<void> =>
  commit({
    writes: [replaceDraft(draft)],
    events: [eventForUser(draft.userId, { type: "drafts", op: "update", draft: toDraftWire(draft) })],
    orElse: noSuchDraft,
  });

/** Deletes a draft. Throws a 404 if the draft does not exist. */
export const removeDraft = (userId: number, id: number): Promise<void> =>
  commit({
    writes: [deleteDraft({ userId, id })],
    events: [eventForUser(userId, { type: "drafts", op: "remove", draft_id: id })],
    orElse: noSuchDraft,
  });
