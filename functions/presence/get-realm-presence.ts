import { number } from "../../shared/base/schema/params.ts";
import { presenceState } from "../../shared/core/presence/state.ts";
import { presencesObject } from "../../shared/core/presence/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { findPresence } from "../../shared/store/users/presence.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/presence",
    summary: "Returns when each user was last active.",
    caller: "user",
    params: {},
    returns: { server_timestamp: number(), presences: presencesObject },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, realm }) => {
    // The list may be slightly outdated, but includes the caller's own changes.
    const ownPresence = await findPresence(caller.id);
    const { server_timestamp, presences } = await presenceState(caller, realm, { slim: false, ownPresence });
    return { server_timestamp, presences };
  },
);
