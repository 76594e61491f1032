import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import { create, type Key, remove, update, type Write } from "../table/writes.ts";

/** A key by which an assistant reads as the person who has created it. */
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
  /** UNIX seconds. */
  createdAt: number;
  /** UNIX seconds, an hour late at most; absent: never. */
  lastUsedAt?: number;
}

const key = (userId: number, id: number): Key => ({ pk: `USER#${userId}`, sk: `AGENTKEY#${padded(id)}` });
const countKey = (userId: number): Key => ({ pk: `USER#${userId}`, sk: "AGENTKEYS" });

/** 1 read unit. */
export const findAgentKey = (userId: number, id: number) => getItem<AgentKey>(key(userId, id));

/** A person's keys by ID. */
export const listAgentKeys = (userId: number) => queryItems<AgentKey>({ pk: `USER#${userId}`, prefix: "AGENTKEY#" });

/** Fails its transaction when the person has `maxKeys` already. */
export const createAgentKey = (agentKey: AgentKey, maxKeys: number): Write[] => [
  update(countKey(agentKey.userId), { add: { count: 1 } }, { below: { count: maxKeys } }),
  create({ ...key(agentKey.userId, agentKey.id), ...agentKey }),
];

/** Fails its transaction when the key does not exist any more. */
export const deleteAgentKey = ({ userId, id }: Pick<AgentKey, "userId" | "id">): Write[] => [
  remove(key(userId, id), { exists: true }),
  update(countKey(userId), { add: { count: -1 } }),
];

/** Notes that a key is used, unless another request has done so meanwhile, or the key is gone. 1 write unit. */
export const noteAgentKeyUse = async ({ userId, id, lastUsedAt }: AgentKey, now: number): Promise<void> =>
  void (await updateIf(key(userId, id), { set: { lastUsedAt: now } }, { exists: true, equals: { lastUsedAt } }));
