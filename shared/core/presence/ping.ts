import type { EmailVisibility } from "../../base/schema/user-settings.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listFewPresences } from "../../store/users/presence.ts";
import { findEffectiveSettings } from "../users/state.ts";
import { planPing, recordPing } from "./actions.ts";
import { type PresenceRequest, type PresenceState, presenceState } from "./state.ts";

interface PingRequest {
  status: "active" | "idle";
  /** How long the report holds, if it is not repeated after a minute. */
  holdsSeconds?: number;
  /** The presences that the client asks for. */
  asks?: Pick<PresenceRequest, "lastUpdateId" | "historyLimitDays" | "slim"> | undefined;
}

/**
 * Records that a user is active or idle, if they share their presence, and returns the presences that the client asks for. 0 to 2
 * write units.
 */
export async function answerPing(
  caller: Caller,
  { status, holdsSeconds = 0, asks }: PingRequest,
  realm: Realm,
): Promise<PresenceState | undefined> {
  const [{ presence_enabled, email_address_visibility }, allPresences] = await Promise.all([
    findEffectiveSettings(caller.id),
    // Undefined in a large organization.
    listFewPresences(),
  ]);
  const ping =
    presence_enabled && !realm.settings.presence_disabled
      ? await planPing(caller, { isActive: status === "active", holdsSeconds }, realm, allPresences)
      : undefined;
  const user = { ...caller, emailVisibility: email_address_visibility as EmailVisibility };
  const [state] = await Promise.all([
    asks && presenceState(caller, realm, { ...asks, allPresences, ownPresence: ping?.presence }),
    ping && recordPing(ping, user, realm, { readWhole: allPresences !== undefined }),
  ]);
  return state;
}
