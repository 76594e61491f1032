import { accessRealm } from "../organization/access.ts";
import { findMove } from "../store/moves.ts";
import { continueMove } from "./moves.ts";
import { topicLinksOf } from "./render.ts";

/** Milliseconds for which one delivery of the job goes on: below the worker's time limit. */
const patience = 240_000;

/** Goes on with a move if it is unfinished; throws when there is still more to do, so that the job comes again. */
export async function resumeMove(id: number): Promise<void> {
  const [record, realm] = await Promise.all([findMove(id), accessRealm()]);
  if (!record) return;
  const links = await topicLinksOf(record.to.topic, realm);
  if (!(await continueMove(id, realm, links, Date.now() + patience)))
    throw new Error(`The move ${id} needs more time than one delivery has`);
}
