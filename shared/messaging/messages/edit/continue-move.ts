import { loadRealm } from "../../../services/organization/access.ts";
import { findMove } from "../../../store/messages/moves.ts";
import { topicLinksOf } from "../render/render.ts";
import { continueMove } from "./moves.ts";

/** Less than the worker's time limit, so that an unfinished job fails with an error that says so. */
const timeLimitMs = 240_000;

/** Continues an unfinished move; throws when time runs out, so that the queue delivers the job again. */
export async function continueMessageMove(id: number): Promise<void> {
  const [record, realm] = await Promise.all([findMove(id), loadRealm()]);
  if (!record) return;
  const links = await topicLinksOf(record.to.topic, realm);
  if (!(await continueMove(id, realm, links, Date.now() + timeLimitMs)))
    throw new Error(`Move ${id} is unfinished after one job's time limit`);
}
