import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { takeIds } from "../store/table/counters.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import { createDraft, type Draft, deleteDraft, replaceDraft } from "../store/users/drafts.ts";
import { noSuchDraft } from "./access.ts";
import { toDraftWire } from "./wire.ts";

type NewDraft = Omit<Draft, "id" | "userId">;

/** The maximum bytes of drafts in one event, because an event is an item of at most 400 KB. */
const eventBytes = 250_000;

/** Creates up to 40 drafts, all or none, and returns their IDs in the given order. */
export async function addDrafts(userId: number, wanted: readonly NewDraft[]): Promise<number[]> {
  if (wanted.length === 0) return [];
  const first = await takeIds("draft", wanted.length);
  const drafts = wanted.map((draft, index): Draft => ({ ...draft, id: first + index, userId }));
  const events = grouped(drafts).map((group) =>
    eventForUser(userId, { type: "drafts", op: "add", drafts: group.map(toDraftWire) }),
  );
  return commit({ events: events.length }, () => ({
    writes: drafts.map(createDraft),
    events,
    result: drafts.map(({ id }) => id),
  }));
}

function grouped(drafts: readonly Draft[]): Draft[][] {
  const groups: Draft[][] = [];
  let room = 0;
  for (const draft of drafts) {
    const size = Buffer.byteLength(draft.content) + 1000;
    if (size > room) {
      groups.push([]);
      room = eventBytes;
    }
    groups.at(-1)?.push(draft);
    room -= size;
  }
  return groups;
}

/** Replaces a draft. Throws a 404 if it was deleted in the meantime. */
export const editDraft = (draft: Draft): Promise<void> =>
  unlessMissing(
    commit({ events: 1 }, () => ({
      writes: [replaceDraft(draft)],
      events: [eventForUser(draft.userId, { type: "drafts", op: "update", draft: toDraftWire(draft) })],
      result: undefined,
    })),
  );

/** Deletes a draft. Throws a 404 if it does not exist. */
export const removeDraft = (userId: number, id: number): Promise<void> =>
  unlessMissing(
    commit({ events: 1 }, () => ({
      writes: [deleteDraft({ userId, id })],
      events: [eventForUser(userId, { type: "drafts", op: "remove", draft_id: id })],
      result: undefined,
    })),
  );

const unlessMissing = (written: Promise<void>): Promise<void> =>
  written.catch((error: unknown) => {
    throw error instanceof ConditionFailed ? noSuchDraft() : error;
  });
