import { randomBytes } from "node:crypto";
import { mapInBatches } from "../../base/batches.ts";
import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, insufficientPermission, notFound } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { bool, int, list, nullable, strictObject, text, type Value } from "../../base/schema/params.ts";
import { checkName } from "../../base/schema/text.ts";
import { nowSeconds } from "../../base/time.ts";
import { accessChannelContent } from "../../core/channels/channel-access.ts";
import { hashApiKey } from "../../services/identity/api-keys.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import type { Change } from "../../store/log/log.ts";
import { takeIds } from "../../store/table/counters.ts";
import { findAccount } from "../../store/users/accounts.ts";
import {
  type AgentKey,
  type AgentWriting,
  createAgentKey,
  deleteAgentKey,
  findAgentKey,
  listAgentKeys,
  listAllAgentKeys,
} from "../../store/users/agent-keys.ts";
import { keyOwner } from "./calls.ts";

/** Keys that people create for their assistants: each reads and writes as its owner, and no more than it was created for. */

const maxNameLength = 60;
/** How many channels a key may name. */
export const maxKeyChannels = 50;

/**
 * A key as its owner sees it, without the secret. `channel_ids` is null for all channels, `write_channel_ids` for all that it may read if
 * it may write, and `last_used` for a key that was not used.
 */
const agentKeyFields = {
  id: int(),
  name: text(),
  channel_ids: nullable(list(int())),
  direct_messages: bool(),
  can_write: bool(),
  write_channel_ids: nullable(list(int())),
  write_direct_messages: bool(),
  may_mention: bool(),
  date_created: int(),
  last_used: nullable(int()),
};
export const agentKeyObject = strictObject(agentKeyFields);

/** A key as administrators see it. */
export const ownedAgentKeyObject = strictObject({ user_id: int(), ...agentKeyFields });

const toAgentKeyWire = (key: AgentKey): Value<typeof agentKeyObject> => ({
  id: key.id,
  name: key.name,
  channel_ids: key.channelIds ?? null,
  direct_messages: key.directMessages === true,
  can_write: key.writing !== undefined,
  write_channel_ids: key.writing?.channelIds ?? null,
  write_direct_messages: key.writing?.directMessages === true,
  may_mention: key.writing?.mentions === true,
  date_created: key.createdAt,
  last_used: key.lastUsedAt ?? null,
});

export const agentKeysOf = async ({ id }: Caller) => (await listAgentKeys(id)).map(toAgentKeyWire);

const pageSize = 100;

/** A page of everybody's keys. */
export async function allAgentKeys(after: number) {
  const { keys, nextAfter } = await listAllAgentKeys(after, pageSize);
  return {
    agent_keys: keys.map((key) => ({ user_id: key.userId, ...toAgentKeyWire(key) })),
    next_after: nextAfter ?? null,
  };
}

/** Throws unless the organization lets somebody connect agents. */
async function checkMayUseAgents(caller: Caller, { settings }: Realm): Promise<void> {
  if (!(await hasPermission(caller, settings.can_connect_agents_group, settings))) throw insufficientPermission();
}

/** The organization for a request at `POST /mcp`, unless the request is by an agent's key and its owner may have none. */
export const agentRealm: Need<Realm, { caller: Caller; params: object }> = {
  load: async ({ caller }) => {
    const loaded = await loadRealm();
    if (caller.agentKey) await checkMayUseAgents(caller, loaded);
    return loaded;
  },
};

interface NewKey {
  name: string;
  channelIds: readonly number[] | undefined;
  directMessages: boolean;
  /** Undefined: it may only read. */
  writing: NewWriting | undefined;
}

interface NewWriting {
  channelIds: readonly number[] | undefined;
  directMessages: boolean;
  mentions: boolean;
}

/** Throws unless a key may read where it may write. */
function checkWriting({ channelIds, directMessages, writing }: NewKey): void {
  if (writing?.directMessages && !directMessages) throw badRequest("write_direct_messages needs direct_messages");
  if (channelIds && writing?.channelIds?.some((id) => !channelIds.includes(id)))
    throw badRequest("write_channel_ids must be among channel_ids");
}

const storedWriting = ({ channelIds, directMessages, mentions }: NewWriting): AgentWriting => ({
  ...(channelIds && { channelIds: [...new Set(channelIds)] }),
  ...(directMessages && { directMessages }),
  ...(mentions && { mentions }),
});

/** A new key, which is told once: only its hash is stored. Every channel that it names must be one whose messages the owner may read. */
export async function newAgentKey(
  caller: Caller,
  newKey: NewKey,
  realm: Realm,
): Promise<{ id: number; key: string; change: Change }> {
  const { name, channelIds, directMessages, writing } = newKey;
  const checkedName = checkName(name, "name of the key", maxNameLength);
  await checkMayUseAgents(caller, realm);
  checkWriting(newKey);
  const ids = channelIds && [...new Set(channelIds)];
  const named = [...new Set([...(channelIds ?? []), ...(writing?.channelIds ?? [])])];
  await mapInBatches(named, 10, (id) => accessChannelContent(caller, id, realm));
  const account = await findAccount(caller.email);
  if (!account) throw changedMeanwhile();
  const id = await takeIds("agent-key");
  const secret = randomBytes(24).toString("hex");
  const agentKey: AgentKey = {
    id,
    userId: caller.id,
    name: checkedName,
    keyHash: hashApiKey(secret),
    ownerKeyHash: account.keyHash,
    ...(ids && { channelIds: ids }),
    ...(directMessages && { directMessages }),
    ...(writing && { writing: storedWriting(writing) }),
    createdAt: nowSeconds(),
  };
  const change = {
    writes: createAgentKey(agentKey, creationLimits.agentKey.max),
    refusal: () => badRequest(tooMany("agentKey")),
  };
  return { id, key: `skein_${caller.id}_${id}_${secret}`, change };
}

const changedMeanwhile = () => badRequest("The account was changed by another request; try again.");

/** The caller's key that a request names or, for administrators, anybody's. */
export const namedAgentKey: Need<
  AgentKey,
  { caller: Caller; params: { key_id: number; user_id?: number | undefined } }
> = {
  load: async ({ caller, params }) => {
    const key = await findAgentKey(keyOwner(caller, params.user_id), params.key_id);
    if (!key) throw keyDoesNotExist();
    return key;
  },
};

const keyDoesNotExist = () => notFound("There is no such key.");

/** Ends a key; its next request is refused. */
export const removeAgentKey = (key: AgentKey): Change => ({
  writes: deleteAgentKey(key),
  refusal: keyDoesNotExist,
});
