import { int, oneOf, strictObject, string } from "../../shared/base/schema/params.ts";
import { accessPresenceOf } from "../../shared/core/presence/access.ts";
import { offlineAfterSeconds, toLegacyPresence } from "../../shared/core/presence/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

const statusWithTime = strictObject({ status: oneOf(["active", "idle", "offline"]), timestamp: int() });

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id_or_email}/presence",
    summary: "Returns when a user was last active.",
    caller: "user",
    params: { user_id_or_email: string({ max: 320 }) },
    returns: { presence: strictObject({ aggregated: statusWithTime, website: statusWithTime }) },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const { user, presence } = await accessPresenceOf(caller, params.user_id_or_email, realm);
    const { status, timestamp } = toLegacyPresence(presence, user.joinedAt).aggregated as {
      status: "active";
      timestamp: number;
    };
    const isOffline = Date.now() / 1000 - timestamp > offlineAfterSeconds;
    const aggregatedStatus = isOffline ? ("offline" as const) : status;
    // As in Zulip, only the aggregated status may be "offline".
    return { presence: { aggregated: { status: aggregatedStatus, timestamp }, website: { status, timestamp } } };
  },
);
