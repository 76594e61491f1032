import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { accessPresenceOf } from "../../shared/presence/access.ts";
import { offlineAfterSeconds, toLegacyPresence } from "../../shared/presence/rules.ts";
import { int, oneOf, strictObject, string } from "../../shared/schema/params.ts";

const times = strictObject({ status: oneOf(["active", "idle", "offline"]), timestamp: int() });

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id_or_email}/presence",
    summary: "Returns when a user was last active.",
    caller: "user",
    params: { user_id_or_email: string({ max: 320 }) },
    returns: { presence: strictObject({ aggregated: times, website: times }) },
    prefetch: accessRealm,
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const { user, presence } = await accessPresenceOf(caller, params.user_id_or_email, await accessRealm());
    const { status, timestamp } = toLegacyPresence(presence, user.joinedAt).aggregated as {
      status: "active";
      timestamp: number;
    };
    const isOffline = Date.now() / 1000 - timestamp > offlineAfterSeconds;
    const shown = isOffline ? ("offline" as const) : status;
    return { presence: { aggregated: { status: shown, timestamp }, website: { status, timestamp } } };
  },
);
