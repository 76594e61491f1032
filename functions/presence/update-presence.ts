import { bool, int, number, oneOf, optional, withDefault } from "../../shared/base/schema/params.ts";
import { answerPing } from "../../shared/core/presence/ping.ts";
import { historyDays } from "../../shared/core/presence/rules.ts";
import { presencesObject } from "../../shared/core/presence/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/presence",
    summary: "Reports that the caller is active or idle, and returns the presence of other users.",
    note: "Update IDs are milliseconds since the organization's creation. If two people ping within a few hundredths of a second of each other, clients may miss one of them until that person's next ping. Presence events are sent in organizations of at most 100 active people and 199 accounts; clients that wait at wake-up queues get them with their next poll, within a minute. The times of a user who is connected by a WebSocket may be up to 180 s ahead of `server_timestamp`: the report is valid until then. `zephyr_mirror_active` is always `false`.",
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
    needs: { realm },
    creates: "presence",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const { status, last_update_id: lastUpdateId, history_limit_days: historyLimitDays, slim_presence: slim } = params;
    const asks = params.ping_only ? undefined : { lastUpdateId, historyLimitDays, slim };
    const state = await answerPing(caller, { status, asks }, realm);
    return { ...(state ?? { presence_last_update_id: lastUpdateId ?? -1 }), zephyr_mirror_active: false };
  },
);
