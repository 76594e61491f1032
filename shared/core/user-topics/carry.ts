import { nowSeconds } from "../../base/time.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import {
  deleteUserTopicIfUnchanged,
  findUserTopicsForUsers,
  listUserTopics,
  replaceUserTopic,
  type UserTopic,
  type VisibilityPolicy,
  visibilityPolicies,
} from "../../store/channels/user-topics.ts";
import { eventForUser, type LoggedEvent } from "../../store/log/entry.ts";
import type { ChangePart } from "../../store/log/log.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import type { Write } from "../../store/table/writes.ts";
import { listContentReaders } from "../channels/content-permissions.ts";
import { isSameTopic, type TopicRef } from "../channels/topics.ts";
import { userTopicChangedEvent } from "./events.ts";
import { toMutedTopicsWire } from "./state.ts";

const { none, muted, unmuted, followed } = visibilityPolicies;
type Policy = VisibilityPolicy | typeof none;

/** Of the policies of two topics that are merged, the one that shows more remains. */
const policyAfterMerge = (one: Policy, other: Policy): Policy =>
  [followed, unmuted, none].find((policy) => policy === one || policy === other) ?? muted;

/** A topic that moves as a whole, to another name, another channel or both. */
export interface TopicMove {
  from: TopicRef;
  to: TopicRef;
  target: Channel;
  /** Whether the target topic had messages. */
  merges: boolean;
  /** When the move began, in UNIX seconds. */
  at: number;
  realm: Realm;
}

/** `group`: "source" for a user with a policy for the topic that moves, "target" for one who has only one for the target. */
interface PolicyHolder {
  group: "source" | "target";
  userId: number;
}

/** Each user needs up to two writes and an event of their own, and a transaction has at most 100 items. */
const maxUsersPerChange = 30;
/** Of the events of their own, which list all topics that a user has muted. */
const maxEventBytes = 2_000_000;

/** What happens to a user's policy for the topic that moves and to the one for the target; undefined: it stays. */
interface Outcome {
  userId: number;
  source?: UserTopic | undefined;
  target?: UserTopic | undefined;
  removesSource: boolean;
  targetPolicy?: Policy | undefined;
}

/**
 * Plans what a move does to the policies of the first of `holders`; `count` says of how many. The writes are conditional on the
 * policies read. 2 to 5 read units and up to 6 write units for each user.
 */
export async function planPolicyChanges(
  move: TopicMove,
  holders: readonly PolicyHolder[],
): Promise<ChangePart & { count: number }> {
  const { from, to } = move;
  const first = holders.slice(0, maxUsersPerChange);
  const ids = first.map(({ userId }) => userId);
  const [sources, targets, readers] = await withConsistentReads(() =>
    Promise.all([
      findUserTopicsForUsers(ids, from.channelId, from.topic),
      findUserTopicsForUsers(ids, to.channelId, to.topic),
      from.channelId === to.channelId ? new Set(ids) : listContentReaders(move.target, ids, move.realm),
    ]),
  );
  const outcomes = first.map(({ group, userId }, index) => {
    const [source, target] = [sources[index], targets[index]];
    return { userId, source, target, ...outcomeFor(move, group, { source, target, mayRead: readers.has(userId) }) };
  });
  const updatedAt = nowSeconds();
  const mutedTopics = await Promise.all(
    outcomes.map((outcome) => (changesMuted(outcome) ? mutedTopicsAfter(outcome, move, updatedAt) : undefined)),
  );
  let bytes = 0;
  const fitting = mutedTopics.findIndex((topics, index) => {
    bytes += topics ? JSON.stringify(topics).length : 0;
    return index > 0 && bytes > maxEventBytes;
  });
  const count = fitting < 0 ? outcomes.length : fitting;
  const planned = outcomes.slice(0, count);
  return {
    count,
    writes: planned.flatMap((outcome) => writesFor(outcome, move, updatedAt)),
    events: [
      ...policyEvents(planned, move, updatedAt),
      ...mutedTopics
        .slice(0, count)
        .flatMap((topics, index) =>
          topics ? [eventForUser(ids[index] as number, { type: "muted_topics", muted_topics: topics })] : [],
        ),
    ],
  };
}

const unchanged = { removesSource: false };

function outcomeFor(
  move: TopicMove,
  group: PolicyHolder["group"],
  { source, target, mayRead }: { source: UserTopic | undefined; target: UserTopic | undefined; mayRead: boolean },
): Pick<Outcome, "removesSource" | "targetPolicy"> {
  // Only the case of the name changes: both are one item.
  if (isSameTopic(move.from, move.to))
    return source && source.topic !== move.to.topic ? { removesSource: true, targetPolicy: source.policy } : unchanged;
  if (group === "target" ? source || !target : !source) return unchanged;
  const current = target?.policy ?? none;
  const after = move.merges ? policyAfterMerge(source?.policy ?? none, current) : (source?.policy ?? none);
  // What users set since the move began is meant for what is there now.
  const isNewer = target !== undefined && target.updatedAt > move.at;
  return {
    removesSource: source !== undefined,
    targetPolicy: after === current || isNewer || !mayRead ? undefined : after,
  };
}

const changesMuted = ({ source, target, removesSource, targetPolicy }: Outcome) =>
  (removesSource && source?.policy === muted) ||
  (targetPolicy !== undefined && [targetPolicy, target?.policy].includes(muted));

const userTopicAfter = ({ userId, targetPolicy }: Outcome, { to }: TopicMove, updatedAt: number) =>
  targetPolicy ? { userId, ...to, policy: targetPolicy, updatedAt } : undefined;

async function mutedTopicsAfter(outcome: Outcome, move: TopicMove, updatedAt: number) {
  const { source, target, removesSource, targetPolicy, userId } = outcome;
  const dropped = [removesSource ? source : undefined, targetPolicy === undefined ? undefined : target];
  const kept = (await withConsistentReads(() => listUserTopics(userId))).filter(
    (userTopic) => !dropped.some((one) => one && isSameTopic(one, userTopic)),
  );
  const after = userTopicAfter(outcome, move, updatedAt);
  return toMutedTopicsWire(after ? [...kept, after] : kept);
}

function writesFor(outcome: Outcome, move: TopicMove, updatedAt: number): Write[] {
  const { source, target, removesSource, targetPolicy } = outcome;
  const after = userTopicAfter(outcome, move, updatedAt);
  if (source && after && isSameTopic(source, after)) return [replaceUserTopic(source, after)];
  return [
    ...(removesSource && source ? [deleteUserTopicIfUnchanged(source)] : []),
    ...(after ? [replaceUserTopic(target, after)] : []),
    ...(targetPolicy === none && target ? [deleteUserTopicIfUnchanged(target)] : []),
  ];
}

/** One event for all users for whom the same changed, first those of the topic that moved. */
function policyEvents(outcomes: readonly Outcome[], { from, to }: TopicMove, updatedAt: number): LoggedEvent[] {
  const toEvents = (topic: TopicRef, policy: Policy, changed: readonly Outcome[]): LoggedEvent[] =>
    changed.length === 0
      ? []
      : [
          {
            audience: { kind: "users", userIds: changed.map(({ userId }) => userId) },
            event: userTopicChangedEvent({ ...topic, policy, updatedAt }),
          },
        ];
  return [
    ...toEvents(
      from,
      none,
      outcomes.filter(({ removesSource }) => removesSource),
    ),
    ...Object.values(visibilityPolicies).flatMap((policy) =>
      toEvents(
        to,
        policy,
        outcomes.filter(({ targetPolicy }) => targetPolicy === policy),
      ),
    ),
  ];
}
