import { takeIds } from "../store/counters.ts";
import { createDraft, type Draft, deleteDraft, replaceDraft } from "../store/drafts.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { wireDraft } from "./wire.ts";

type NewDraft = Omit<Draft, "id" | "userId">;

/** Bytes of drafts in one event, which is an item of at most 400 KB. */
const eventBytes = 250_000;

const ownEvent = (userId: number, op: string, fields: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "drafts", op, ...fields },
});

/** Keeps some drafts (at most 40), all or none, and returns their IDs in the order given. */
export async function addDrafts(userId: number, wanted: readonly NewDraft[]): Promise<number[]> {
  if (wanted.length === 0) return [];
  const first = await takeIds("draft", wanted.length);
  const drafts = wanted.map((draft, index): Draft => ({ ...draft, id: first + index, userId }));
  const events = grouped(drafts).map((group) => ownEvent(userId, "add", { drafts: group.map(wireDraft) }));
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

/** False when the draft was deleted in the meantime. */
export const editDraft = (draft: Draft): Promise<boolean> =>
  unlessGone(
    commit({ events: 1 }, () => ({
      writes: [replaceDraft(draft)],
      events: [ownEvent(draft.userId, "update", { draft: wireDraft(draft) })],
      result: true,
    })),
  );

/** False when there is no such draft. */
export const removeDraft = (userId: number, id: number): Promise<boolean> =>
  unlessGone(
    commit({ events: 1 }, () => ({
      writes: [deleteDraft({ userId, id })],
      events: [ownEvent(userId, "remove", { draft_id: id })],
      result: true,
    })),
  );

async function unlessGone(written: Promise<boolean>): Promise<boolean> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
