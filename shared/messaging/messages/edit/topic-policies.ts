import { findNewestVisible, findTopic, hasTopic } from "../../../core/channels/topics.ts";
import { planPolicyChanges, type TopicMove } from "../../../core/user-topics/carry.ts";
import { hasPolicyHolders, listPolicyHolderIds } from "../../../store/channels/user-topics.ts";
import { commit, joinParts } from "../../../store/log/log.ts";
import { advanceMove, type MoveRecord } from "../../../store/messages/moves.ts";
import type { MoveContext } from "./move-notices.ts";

/** Visibility policies follow a topic that moves as a whole, after its messages. */

/** What a move's record says about policies: undefined if nobody has one for either topic. 1.5 read units in one stage. */
export async function policiesToCarry({ from, to }: Pick<MoveRecord, "from" | "to">): Promise<MoveRecord["policies"]> {
  const [inSource, inTarget, merges] = await Promise.all([
    hasPolicyHolders(from),
    hasPolicyHolders(to),
    hasTopic(to.channelId, to.topic),
  ]);
  return inSource || inTarget ? { merges } : undefined;
}

/**
 * Carries the policies, in transactions of some users each. Every transaction is conditional on the record's step, and on
 * the policies that it replaces: throws ConditionFailed when another worker or a user came first. Returns at `deadline`.
 */
export async function carryPolicies(record: MoveRecord, context: MoveContext, deadline: number): Promise<void> {
  const { policies } = record;
  if (!policies) return;
  if (!policies.done && !(await isWholeTopic(record, context)))
    return commit({ writes: [advanceMove(record, { policies: undefined })] });
  const move: TopicMove = { ...record, ...policies, target: context.to, realm: context.realm };
  let pending = await listPending(record, policies);
  for (let { step } = record; Date.now() < deadline; step++) {
    const { count, ...changes } = await planPolicyChanges(move, pending);
    const done = pending[count - 1];
    pending = pending.slice(count);
    const progress = { policies: pending.length > 0 ? { ...policies, ...(done && { done }) } : undefined };
    await commit(joinParts({ writes: [advanceMove({ ...record, step }, progress)] }, changes));
    if (pending.length === 0) return;
  }
}

/** Whether all messages of the topic have moved that the user who moves them can see. */
async function isWholeTopic({ propagateMode, from, periods }: MoveRecord, context: MoveContext): Promise<boolean> {
  if (propagateMode === "change_all") return true;
  const rest = await findTopic(from.channelId, from.topic);
  return !rest || (periods !== undefined && !(await findNewestVisible(rest, periods, context.from)));
}

/**
 * The users whose policies are still to be changed, in an order that each attempt repeats. Those with a policy for the target
 * topic alone come first: later, a policy that has been carried there could not be told from theirs.
 */
async function listPending({ from, to }: MoveRecord, { done }: NonNullable<MoveRecord["policies"]>) {
  const [sourceIds, targetIds] = await Promise.all([listPolicyHolderIds(from), listPolicyHolderIds(to)]);
  const inSource = new Set(sourceIds);
  const pending = [
    ...targetIds.filter((id) => !inSource.has(id)).map((userId) => ({ group: "target" as const, userId })),
    ...sourceIds.map((userId) => ({ group: "source" as const, userId })),
  ];
  if (!done) return pending;
  return pending.filter(
    ({ group, userId }) =>
      (group === done.group && userId > done.userId) || (group === "source" && done.group === "target"),
  );
}
