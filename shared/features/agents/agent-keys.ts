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
import { loadPermissions } from "../../services/permissions/access.ts";
import type { Change } from "../../store/log/log.ts";
import { takeIds } from "../../store/table/counters.ts";
import { findAccount } from "../../store/users/accounts.ts";
import {
  type AgentKey,
  createAgentKey,
  deleteAgentKey,
  findAgentKey,
  listAgentKeys,
} from "../../store/users/agent-keys.ts";

/** Keys that people create for their assistants: each reads as its owner, and no more than it was created for. */

const maxNameLength = 60;
/** How many channels a key may name. */
export const maxKeyChannels = 50;

/** A key as its owner sees it, without the secret. `channel_ids` is null for all channels; `last_used` for a key that was not used. */
export const agentKeyObject = strictObject({
  id: int(),
  name: text(),
  channel_ids: nullable(list(int())),
  direct_messages: bool(),
  date_created: int(),
  last_used: nullable(int()),
});

const toAgentKeyWire = (key: AgentKey): Value<typeof agentKeyObject> => ({
  id: key.id,
  name: key.name,
  channel_ids: key.channelIds ?? null,
  direct_messages: key.directMessages === true,
  date_created: key.createdAt,
  last_used: key.lastUsedAt ?? null,
});

export const agentKeysOf = async ({ id }: Caller) => (await listAgentKeys(id)).map(toAgentKeyWire);

/** Throws unless the organization lets somebody connect agents: whoever may create bots may. */
async function checkMayUseAgents(caller: Caller, { settings }: Realm): Promise<void> {
  const permission = settings.can_create_bots_group;
  const isGranted = await loadPermissions(caller, [permission], settings);
  if (!isGranted(permission)) throw insufficientPermission();
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
}

/** A new key, which is told once: only its hash is stored. Every channel that it names must be one whose messages the owner may read. */
export async function newAgentKey(
  caller: Caller,
  { name, channelIds, directMessages }: NewKey,
  realm: Realm,
): Promise<{ id: number; key: string; change: Change }> {
  const checkedName = checkName(name, "name of the key", maxNameLength);
  await checkMayUseAgents(caller, realm);
  const ids = channelIds && [...new Set(channelIds)];
  if (ids) await mapInBatches(ids, 10, (id) => accessChannelContent(caller, id, realm));
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
    createdAt: nowSeconds(),
  };
  const change = {
    writes: createAgentKey(agentKey, creationLimits.agentKey.max),
    refusal: () => badRequest(tooMany("agentKey")),
  };
  return { id, key: `skein_${caller.id}_${id}_${secret}`, change };
}

const changedMeanwhile = () => badRequest("The account was changed by another request; try again.");

/** The caller's key that a request names; others' and unknown ones give the same 404. */
export const ownAgentKey: Need<AgentKey, { caller: Caller; params: { key_id: number } }> = {
  load: async ({ caller, params }) => {
    const key = await findAgentKey(caller.id, params.key_id);
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
