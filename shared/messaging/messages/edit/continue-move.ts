import { Unavailable } from "../../../base/aws/unavailable.ts";
import { loadRealm, type Realm } from "../../../services/organization/access.ts";
import type { TopicMoveMark } from "../../../store/channels/topics.ts";
import { findMove, findMoveState } from "../../../store/messages/moves.ts";
import { recentSince } from "../../../store/table/commit-window.ts";
import { ConditionFailed } from "../../../store/table/transactions.ts";
import { topicLinksOf } from "../render/render.ts";
import { continueMove } from "./moves.ts";

/** Less than the worker's time limit, so that an unfinished job fails with an error that says so. */
const timeLimitMs = 240_000;

/** Continues an unfinished move; throws when time runs out, so that the queue delivers the job again. */
export async function continueMessageMove(id: number): Promise<void> {
  if (!(await finish(id, await loadRealm(), Date.now() + timeLimitMs)))
    throw new Error(`Move ${id} is unfinished after one job's time limit`);
}

async function finish(id: number, realm: Realm, deadline: number): Promise<boolean> {
  const record = await findMove(id);
  return !record || continueMove(id, realm, await topicLinksOf(record.to.topic, realm), deadline);
}

/**
 * Makes sure that the earlier moves from or to the topics of a move have ended, so that what follows a topic is where its messages
 * are. Finishes those that have not. `ended` has the moves that had ended before the plan of this move was begun: if others
 * end only now or ended recently, throws ConditionFailed, so that this move is planned from what they left.
 */
export async function afterEarlierMoves(
  earlier: readonly TopicMoveMark[],
  ended: Set<number>,
  realm: Realm,
  deadline: number,
): Promise<void> {
  const before = ended.size;
  for (const { id, at } of earlier) {
    if (ended.has(id)) continue;
    const state = await findMoveState(id);
    if (state === "unfinished" && !(await finish(id, realm, deadline)))
      throw new Unavailable(`Move ${id}, from or to the same topic, is unfinished`);
    if (state !== "past" || at >= recentSince()) ended.add(id);
  }
  if (ended.size > before) throw new ConditionFailed();
}
