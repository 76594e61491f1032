import type { Period } from "../channels/subscriptions.ts";
import { padded } from "../table/keys.ts";
import { getItem } from "../table/table.ts";
import { create, remove, update, type Write } from "../table/writes.ts";

export const propagateModes = ["change_one", "change_later", "change_all"] as const;
export type PropagateMode = (typeof propagateModes)[number];

/** A move of many messages, of which some batches are still to be done; there while it is unfinished. */
export interface MoveRecord {
  /** The place in the log of its first event. */
  id: number;
  /** Grows with each batch: of two who continue a move, one finds that the other has done the batch. */
  step: number;
  actorId: number;
  /** The message that was edited, which moved with the first batch. */
  messageId: number;
  from: { channelId: number; topic: string };
  to: { channelId: number; topic: string };
  /** IDs of the messages that move lie between these, inclusive; what is sent later stays. */
  firstId: number;
  lastId: number;
  /** Only messages within these periods, if there are any: those that the actor may read. */
  periods?: Period[];
  /** How many have moved. */
  moved: number;
  /** UNIX seconds. */
  at: number;
  propagateMode: PropagateMode;
  resolution?: "resolved" | "unresolved";
  noticeToOld: boolean;
  noticeToNew: boolean;
}

const key = (id: number) => ({ pk: `MOVE#${padded(id)}`, sk: "MOVE" });

/** Strongly consistent: 1 read unit. */
export const findMove = (id: number) => getItem<MoveRecord>(key(id), { consistent: true });

export const createMove = (move: MoveRecord): Write => create({ ...key(move.id), ...move });

/** Notes a batch; fails when another did it. */
export const advanceMove = (move: MoveRecord, moved: number): Write =>
  update(key(move.id), { set: { step: move.step + 1, moved } }, { exists: true, equals: { step: move.step } });

/** Ends a move; fails when another did. */
export const deleteMove = (move: MoveRecord): Write =>
  remove(key(move.id), { exists: true, equals: { step: move.step } });
