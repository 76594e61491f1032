import { randomBytes } from "node:crypto";
import { secondsPerDay } from "../../base/time.ts";
import { idOf, padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { updateIf, updateItem } from "../table/single-writes.ts";
import { create, type Key, remove, update, type Write } from "../table/writes.ts";

/** A key by which an assistant reads, and may write, as the person who has created it. */
export interface AgentKey {
  id: number;
  userId: number;
  name: string;
  /** SHA-256 of the key, in hex. */
  keyHash: string;
  /** SHA-256 of the owner's API key at that time, in hex: with a new API key, the keys of agents end. */
  ownerKeyHash: string;
  /** The channels that the agent may read; absent: all that its owner may read. */
  channelIds?: number[];
  /** Whether the agent may read direct messages. */
  directMessages?: true;
  /** What the agent may write of what it may read; absent: nothing. */
  writing?: AgentWriting;
  /** UNIX seconds. */
  createdAt: number;
  /** UNIX seconds, an hour late at most; absent: never. */
  lastUsedAt?: number;
}

export interface AgentWriting {
  /** The channels in which the agent may write; absent: all that it may read. */
  channelIds?: number[];
  directMessages?: true;
  /** Whether what it writes may mention people, groups, or everybody. */
  mentions?: true;
}

const key = (userId: number, id: number): Key => ({ pk: `USER#${userId}`, sk: `AGENTKEY#${padded(id)}` });
/** An index of all keys by ID. It has only keys, so that noting a use does not write it. */
const indexPartition = "AGENTKEYS";
const indexKey = (id: number) => ({ gsi3pk: indexPartition, gsi3sk: padded(id) });
const countKey = (userId: number): Key => ({ pk: `USER#${userId}`, sk: "AGENTKEYS" });

/** 1 read unit. */
export const findAgentKey = (userId: number, id: number) => getItem<AgentKey>(key(userId, id));

/** A person's keys by ID. */
export const listAgentKeys = (userId: number) => queryItems<AgentKey>({ pk: `USER#${userId}`, prefix: "AGENTKEY#" });

/** Everybody's keys with IDs above `after`, by ID; 0.5 read units for about 40, and 1 for each. */
export async function listAllAgentKeys(after: number, limit: number) {
  const found = await queryItems<Key & { gsi3sk: string }>({
    index: "gsi3",
    pk: indexPartition,
    from: padded(after + 1),
    limit,
  });
  const keys = await getItems<AgentKey>(found.map(({ pk, sk }) => ({ pk, sk })));
  const last = found.length < limit ? undefined : found.at(-1);
  return { keys: keys.filter((one) => one !== undefined), nextAfter: last && idOf(last.gsi3sk) };
}

/** Fails its transaction when the person has `maxKeys` already. */
export const createAgentKey = (agentKey: AgentKey, maxKeys: number): Write[] => [
  update(countKey(agentKey.userId), { add: { count: 1 } }, { below: { count: maxKeys } }),
  create({
    ...key(agentKey.userId, agentKey.id),
    ...agentKey,
    ...indexKey(agentKey.id),
  }),
];

/** Fails its transaction when the key does not exist any more. */
export const deleteAgentKey = ({ userId, id }: Pick<AgentKey, "userId" | "id">): Write[] => [
  remove(key(userId, id), { exists: true }),
  update(countKey(userId), { add: { count: -1 } }),
];

/**
 * Notes that a key is used, unless another request has done so meanwhile, or the key is gone. A key from before the index comes into it.
 * 1 write unit.
 */
export const noteAgentKeyUse = async ({ userId, id, lastUsedAt }: AgentKey, now: number): Promise<void> =>
  void (await updateIf(
    key(userId, id),
    { set: { lastUsedAt: now, ...indexKey(id) } },
    { exists: true, equals: { lastUsedAt } },
  ));

/** What an agent has done with a key, without any text. */
export interface AgentCall {
  /** UNIX seconds. */
  at: number;
  tool: string;
  /** "failed": it may have been done. */
  outcome: "done" | "refused" | "failed";
  channelId?: number;
  messageId?: number;
  /** The others in a direct conversation. */
  userIds?: number[];
}

const callPrefix = (id: number) => `AGENTCALL#${padded(id)}#`;

const retentionSeconds = 30 * secondsPerDay;

/** Each call is an item of its own, so that calls at the same time do not wait for one another. 1 write unit. */
export async function recordAgentCall({ userId, id }: Pick<AgentKey, "userId" | "id">, call: AgentCall): Promise<void> {
  const sk = `${callPrefix(id)}${padded(Date.now())}#${randomBytes(4).toString("hex")}`;
  await updateItem({ pk: `USER#${userId}`, sk }, { set: { ...call, expiresAt: call.at + retentionSeconds } });
}

/** The newest calls with a key, newest first; 1 read unit for each 4 KB begun, which is about 25 of them. */
export const listAgentCalls = ({ userId, id }: Pick<AgentKey, "userId" | "id">, limit: number) =>
  queryItems<AgentCall>({ pk: `USER#${userId}`, prefix: callPrefix(id), descending: true, limit });
