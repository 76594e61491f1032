import { nowSeconds } from "../../base/time.ts";
import type { Period } from "../channels/subscriptions.ts";
import { recentSeconds, recentSince } from "../table/commit-window.ts";
import { padded } from "../table/keys.ts";
import { getItem } from "../table/reads.ts";
import { type Changes, create, update, type Write } from "../table/writes.ts";

export const propagateModes = ["change_one", "change_later", "change_all"] as const;
export type PropagateMode = (typeof propagateModes)[number];

/** A move of messages in several batches. */
export interface MoveRecord {
  /** The sequence number of its first event. */
  id: number;
  /** Incremented by each batch. Of two workers on the same batch, one fails. */
  step: number;
  actorId: number;
  /** The edited message, which moved in the first batch. */
  messageId: number;
  from: { channelId: number; topic: string };
  to: { channelId: number; topic: string };
  /** The messages that move have IDs from `firstId` to `lastId`, inclusive; those sent later stay. */
  firstId: number;
  lastId: number;
  /** If present, only messages within these periods, which the actor may read, move. */
  periods?: Period[];
  /** The number of messages moved so far. */
  moved: number;
  /** UNIX seconds. */
  at: number;
  propagateMode: PropagateMode;
  resolution?: "resolved" | "unresolved";
  noticeToOld: boolean;
  noticeToNew: boolean;
  /** Present until the users' visibility policies have followed the topic; absent from the start if there are none. */
  policies?: {
    /** Whether the target topic had messages, so that the topics are merged. */
    merges: boolean;
    /** The last user who is done: first come those who have a policy for the target topic alone. */
    done?: { group: "target" | "source"; userId: number };
  };
  /** When all was done, in UNIX seconds. The record stays for a while, for later moves of the topic. */
  endedAt?: number;
}

const key = (id: number) => ({ pk: `MOVE#${padded(id)}`, sk: "MOVE" });

/** A move that has not ended. */
export async function findMove(id: number): Promise<MoveRecord | undefined> {
  const move = await getItem<MoveRecord>(key(id));
  return move?.endedAt === undefined ? move : undefined;
}

/** Whether a move that began with a record has ended, and whether that was so long ago that all reads show it. */
export async function findMoveState(id: number): Promise<"unfinished" | "recent" | "past"> {
  const move = await getItem<MoveRecord>(key(id));
  if (move && move.endedAt === undefined) return "unfinished";
  return (move?.endedAt ?? 0) >= recentSince() ? "recent" : "past";
}

export const createMove = (move: MoveRecord): Write => create({ ...key(move.id), ...move });

/** Records a finished batch; fails when another worker has done it. Undefined `policies` means that all have followed. */
export const advanceMove = (move: MoveRecord, progress: Changes<Pick<MoveRecord, "moved" | "policies">>): Write =>
  update(
    key(move.id),
    {
      set: { step: move.step + 1, ...progress },
      ...("policies" in progress && !progress.policies && { remove: ["policies"] }),
    },
    { exists: true, equals: { step: move.step } },
  );

/** Completes a move; fails when another worker has. */
export const endMove = (move: MoveRecord): Write => {
  const endedAt = nowSeconds();
  const ended = { endedAt, expiresAt: endedAt + 2 * recentSeconds };
  return update(
    key(move.id),
    { set: { step: move.step + 1, ...ended } },
    { exists: true, equals: { step: move.step } },
  );
};
