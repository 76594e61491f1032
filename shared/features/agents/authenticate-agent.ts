import { ApiError, accountDeactivated, realmDeactivated } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import type { HttpEvent } from "../../services/http/event.ts";
import { toCaller } from "../../services/identity/access.ts";
import { keyMatches } from "../../services/identity/api-keys.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findAgentKey, noteAgentKeyUse } from "../../store/users/agent-keys.ts";
import { findUser } from "../../store/users/users.ts";

/** How long a key's last use stays as it is noted. */
const notedSeconds = 3600;

/**
 * Authenticates the owner of an agent's key, or throws UNAUTHORIZED: a key is valid while it is not revoked, its owner is active and
 * has the API key with which it was created. 2.5 read units in two stages, and in each hour a write unit beside the second.
 */
export async function authenticateAgent({ headers }: HttpEvent): Promise<Caller> {
  const [, userId, keyId, secret] =
    /^Bearer +skein_(\d{1,15})_(\d{1,15})_([0-9a-f]{48}) *$/.exec(headers?.authorization ?? "") ?? [];
  if (secret === undefined) throw invalidKey();
  const [agentKey, user] = await Promise.all([findAgentKey(Number(userId), Number(keyId)), findUser(Number(userId))]);
  if (!agentKey || !user || !keyMatches(secret, agentKey.keyHash)) throw invalidKey();
  const account = await findAccount(user.email);
  if (account?.userId !== agentKey.userId || account.keyHash !== agentKey.ownerKeyHash) throw invalidKey();
  if (!account.active) throw accountDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  const now = nowSeconds();
  if ((agentKey.lastUsedAt ?? 0) <= now - notedSeconds) await noteAgentKeyUse(agentKey, now);
  return { ...toCaller(account), agentKey };
}

const invalidKey = () =>
  new ApiError("UNAUTHORIZED", "Invalid key", { headers: { "www-authenticate": 'Bearer realm="mcp"' } });
