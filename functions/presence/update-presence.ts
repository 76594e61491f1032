import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { planPing, recordPing } from "../../shared/presence/actions.ts";
import { historyDays } from "../../shared/presence/rules.ts";
import { presenceState } from "../../shared/presence/state.ts";
import { presencesObject } from "../../shared/presence/wire.ts";
import { bool, int, number, oneOf, optional, withDefault } from "../../shared/schema/params.ts";
import { listFewPresences } from "../../shared/store/users/presence.ts";
import { findEffectiveSettings } from "../../shared/users/state.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/presence",
    summary: "Reports that the caller is active or idle, and returns the presence of other users.",
    note: "Update IDs are milliseconds since the organization's creation. Of two people who ping within the same few hundredths of a second, one may be missed until their next ping. Events are sent in organizations of at most 100 active people and 199 accounts; where clients wait at wake-up queues, with the next poll, within a minute. `zephyr_mirror_active` is always `false`.",
    caller: "human",
    params: {
      status: oneOf(["active", "idle"], { echoValue: true }),
      ping_only: withDefault(bool(), false),
      new_user_input: withDefault(bool(), false),
      last_update_id: optional(int({ min: -1 })),
      history_limit_days: withDefault(int({ min: 0 }), historyDays),
      slim_presence: withDefault(bool(), false),
    },
    returns: {
      presence_last_update_id: int(),
      server_timestamp: optional(number()),
      presences: optional(presencesObject),
      zephyr_mirror_active: bool(),
    },
    prefetch: accessRealm,
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const [realm, { presence_enabled }, allPresences] = await Promise.all([
      accessRealm(),
      findEffectiveSettings(caller.id),
      // Undefined in a large organization.
      listFewPresences(),
    ]);
    const ping =
      presence_enabled && !realm.settings.presence_disabled
        ? await planPing(caller, params.status === "active", realm, allPresences)
        : undefined;
    const record = async () => ping && recordPing(ping, { readWhole: allPresences !== undefined });
    const lastUpdateId = params.last_update_id;
    if (params.ping_only) {
      await record();
      return { presence_last_update_id: lastUpdateId ?? -1, zephyr_mirror_active: false };
    }
    const [state] = await Promise.all([
      presenceState(caller, realm, {
        lastUpdateId,
        historyLimitDays: params.history_limit_days,
        slim: params.slim_presence,
        allPresences,
        ownPresence: ping?.presence,
      }),
      record(),
    ]);
    return { ...state, zephyr_mirror_active: false };
  },
);
